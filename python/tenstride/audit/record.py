# SPDX-License-Identifier: Apache-2.0
"""What an audit lists: copies and scrambles, as facts; why and what to do about them is worked out when asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from . import reasons
from .copy_facts import AtLine, CopyFacts
from .fixes import Fix
from .layouts import Layout, Scramble
from .origins import Origin
from .places import Place


class Copy(CopyFacts):
    """One copy, with why it was made and what to write instead, which are worked out when asked.

    Its facts are those of ``CopyFacts``.
    """

    _tried: tuple[int, Fix] | None = None

    @property
    def why(self) -> str:
        """Why it copied, as one clause."""
        return reasons.why(self)

    @property
    def since(self) -> Origin | None:
        """The earlier step that made the copy necessary (an Origin), or None."""
        return reasons.since(self)

    @property
    def advice(self) -> Fix:
        """What to write instead, with what it was found to save. Tried once for as many calls as the scope has."""
        if self.trial is None or self.link is not None:
            return reasons.fix(self)
        known = len(self.trial.tape.calls)
        if self._tried is None or self._tried[0] != known:
            self._tried = known, reasons.fix(self)
        return self._tried[1]

    @property
    def fix(self) -> str:
        """What to write instead, as text."""
        return self.advice.text

    @property
    def saves(self) -> int:
        """Bytes written less with the fix, as tried on the recorded layouts; 0 where there is none."""
        return self.advice.saves

    def sides(self) -> tuple[str, str]:
        """Source and destination as they are printed: layout, dtype, and the device where it is not the CPU."""
        more = f" and {self.sources - 1} more" if self.sources > 1 else ""
        return (
            _side(self.src, self.src_dtype, self.src_device) + more,
            _side(self.dst, self.dst_dtype, self.dst_device),
        )

    def group(self) -> tuple[Any, ...]:
        """What equal rows of the table have in common."""
        place = self.place.key() if self.place else None
        inside = self.inside.key() if self.inside else None
        before = self.origin.place.key() if self.origin and self.origin.place else None
        return (
            place,
            inside,
            before,
            self.operation,
            self.kind,
            self.src,
            self.dst,
            self.target,
            self.dst_dtype,
            self.dst_device,
            self.allowed,
        )

    def to_dict(self) -> dict[str, Any]:
        """The copy as plain data, with the names the library's ledger gives in its JSON."""
        step, fix = self.since, self.advice
        return {
            "kind": self.kind,
            "operation": self.operation,
            "call": self.call,
            "phase": self.phase,
            "reason": self.why,
            "since": None if step is None else {"operation": step.operation, **_place_dict(step.place)},
            "fix": fix.text,
            "saves": fix.saves,
            "src": _side_dict(self.src, self.src_dtype),
            "dst": _side_dict(self.dst, self.dst_dtype),
            "device": str(self.dst_device),
            "link": None if self.link is None else self.link.to_dict(),
            "bytes_read": self.bytes_read,
            "bytes_written": self.bytes_written,
            "start": self.start,
            "seconds": self.seconds,
            "thread": self.thread,
            **_place_dict(self.place),
            "inside": _place_dict(self.inside) if self.inside else None,
            "allowed": self.allowed,
        }

    def __repr__(self) -> str:
        src, dst = self.sides()
        where = self.place.short if self.place else "?"
        return f"<Copy {self.operation} {src} -> {dst}, {self.bytes_moved} B, {where}>"


@dataclass(eq=False)
class ScrambleFound(AtLine):
    """A view or reshape in which an axis stands elsewhere: the elements are not where the sizes say."""

    operation: str
    reordering: Scramble
    dtype: str
    place: Place | None
    allowed: str

    @property
    def fix(self) -> str:
        """The transpose that was probably meant."""
        return self.reordering.code

    def to_dict(self) -> dict[str, Any]:
        """The scramble as plain data."""
        return {
            "operation": self.operation,
            "from": list(self.reordering.source),
            "to": list(self.reordering.to),
            "certainty": self.reordering.certainty,
            "dtype": self.dtype,
            "reason": str(self.reordering),
            "fix": self.fix,
            **_place_dict(self.place),
            "allowed": self.allowed,
        }

    def __str__(self) -> str:
        return f"{self.operation}: {self.reordering}"


def _side(layout: Layout | None, dtype: str, device: Any) -> str:
    where = "" if device in (None, "cpu") else f" {device}"
    return f"{layout if layout is not None else '-'} {dtype}{where}"


def _side_dict(layout: Layout | None, dtype: str) -> dict[str, Any] | None:
    return None if layout is None else {"layout": str(layout), "dtype": dtype}


def _place_dict(place: Place | None) -> dict[str, Any]:
    if place is None:
        return {"file": "", "line": 0, "function": "", "code": ""}
    return {"file": place.file, "line": place.line, "function": place.function, "code": place.code}
