# SPDX-License-Identifier: Apache-2.0
"""The result of an explanation of Python code."""

from __future__ import annotations

import json
import shutil
import sys
from typing import Any

from .runner import Run
from .steps import Failure, Printed, Remark, Step
from .text import to_text


class CodeExplanation:
    """What a text of Python did with memory, step by step: print it, or read its parts.

    >>> print(tenstride.explain("import torch\\nx = torch.zeros(2, 3).T\\ny = x.reshape(6)").steps[2].kind)
    copy
    """

    def __init__(self, run: Run, real: bool, strict: bool) -> None:
        self._run, self._real, self._strict = run, real, strict
        self._events = tuple(run.recorder.events)

    @property
    def steps(self) -> tuple[Step, ...]:
        """The calls that made or changed a layout, or were refused."""
        return tuple(event for event in self._events if isinstance(event, Step))

    @property
    def errors(self) -> tuple[str, ...]:
        """What failed, in order: refused calls, other errors, undefined names, skipped statements, and a stop."""
        found = []
        for event in self._events:
            if isinstance(event, Step) and event.error is not None:
                found.append(event.error)
            elif isinstance(event, Failure):
                found.append(event.text)
            elif isinstance(event, Step) and self._strict and event.scramble is not None:
                found.append(f"scramble: {event.scramble}")
        if (self._run.ended or "").startswith("stopped"):
            found.append(str(self._run.ended))
        return tuple(found)

    @property
    def error(self) -> str | None:
        """The first of the errors."""
        return next(iter(self.errors), None)

    @property
    def copies(self) -> int:
        """How many steps copied elements into new memory."""
        return sum(step.kind == "copy" for step in self.steps)

    @property
    def bytes_moved(self) -> int:
        """Bytes read and written, together."""
        return sum(step.bytes_moved for step in self.steps)

    @property
    def bytes_written(self) -> int:
        """Bytes written by copies and writes in place."""
        return sum(step.bytes_written for step in self.steps)

    @property
    def transfers(self) -> int:
        """Transfers to devices: none, as devices are left out."""
        return 0

    @property
    def bytes_transferred(self) -> int:
        """Bytes sent to devices: none."""
        return 0

    @property
    def printed(self) -> str:
        """What the code printed."""
        return "".join(f"{event.text}\n" for event in self._events if isinstance(event, Printed) and not event.is_value)

    @property
    def notes(self) -> tuple[str, ...]:
        """What else a reader should know."""
        return tuple(event.text for event in self._events if isinstance(event, Remark))

    @property
    def value(self) -> Any:
        """The value of the last statement, where that is an expression."""
        value = self._run.value
        return getattr(value, "held", value)

    def to_text(self, width: int | None = None, *, ascii_only: bool = False) -> str:
        """The explanation as text, folded at the width; None folds nothing."""
        return to_text(self._events, self._totals(), self._real, width, ascii_only)

    def to_json(self) -> str:
        """All of it as JSON: `steps`, `events` in their order, `errors`, `totals`."""
        events: list[dict[str, Any]] = []
        for event in self._events:
            if isinstance(event, Step):
                events.append({"kind": "step", "step": event.number, "line": event.line})
            elif isinstance(event, Printed):
                events.append({"kind": "value" if event.is_value else "print", "line": event.line, "text": event.text})
            else:
                kind = "note" if isinstance(event, Remark) else "skip" if event.is_skip else "error"
                events.append({"kind": kind, "line": event.line, "text": event.text})
        totals = {"copies": self.copies, "bytes_moved": self.bytes_moved, "bytes_written": self.bytes_written}
        return json.dumps(
            {
                "runs": "torch" if self._real else "tenstride",
                "steps": [step.to_dict() for step in self.steps],
                "events": events,
                "errors": list(self.errors),
                "ended": self._run.ended,
                "totals": totals,
            },
            ensure_ascii=False,
        )

    def _totals(self) -> str:
        copies = {0: "no copy", 1: "1 copy"}.get(self.copies, f"{self.copies} copies")
        line = f"{copies}, {self.bytes_moved} B moved"
        return f"{line}\n{self._run.ended}" if self._run.ended else line

    def __str__(self) -> str:
        return self.to_text(shutil.get_terminal_size().columns if sys.stdout.isatty() else None)

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        from .._display import html

        return html(self)
