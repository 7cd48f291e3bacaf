# SPDX-License-Identifier: Apache-2.0
"""What an explanation consists of: steps with layouts, printed text, notes and errors, in the order of the run."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Union

from ..audit.layouts import Layout, is_contiguous


@dataclass
class Step:
    """One call that made or changed a layout, or was refused.

    `kind` is `new`, `view`, `copy`, `self` (the same tensor) or `refused`. `cause` is the number of the step that is
    to blame for a copy or a refusal. `layout` counts in elements; it is None for what was refused.
    """

    number: int
    line: int
    code: str
    library: str
    kind: str
    layout: Layout | None = None
    dtype: str = ""
    contiguous: str = ""
    why_not_contiguous: str | None = None
    strides_in_bytes: tuple[int, ...] | None = None
    bytes_moved: int = 0
    bytes_written: int = 0
    bytes_allocated: int = 0
    reason: str | None = None
    cause: int | None = None
    scramble: str | None = None
    notes: list[str] = field(default_factory=list)
    error: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """The step as data for JSON."""
        layout = self.layout
        return {
            "step": self.number,
            "line": self.line,
            "code": self.code,
            "library": self.library,
            "kind": self.kind,
            "dtype": self.dtype or None,
            "shape": None if layout is None else list(layout.shape),
            "strides": None if layout is None else list(layout.strides),
            "offset": None if layout is None else layout.offset,
            "contiguous": None if layout is None else is_contiguous(layout),
            "not_contiguous": self.why_not_contiguous,
            "strides_in_bytes": None if self.strides_in_bytes is None else list(self.strides_in_bytes),
            "bytes_moved": self.bytes_moved,
            "bytes_written": self.bytes_written,
            "bytes_allocated": self.bytes_allocated,
            "reason": self.reason,
            "cause": self.cause,
            "scramble": self.scramble,
            "notes": list(self.notes),
            "error": self.error,
        }


@dataclass
class Printed:
    """Text that the code printed, or the value of an expression that stands alone."""

    line: int
    text: str
    is_value: bool = False


@dataclass
class Failure:
    """An error that no call of a tensor raised, or a statement that could not be run."""

    line: int
    text: str
    is_skip: bool = False


@dataclass
class Remark:
    """What a reader should know about a line; 0 is the whole text."""

    line: int
    text: str


Event = Union[Step, Printed, Failure, Remark]


@dataclass
class Origin:
    """The step that gave a tensor its layout, and the origin of what it was a view of."""

    step: Step
    layout: Layout
    parent: Origin | None = None

    def __str__(self) -> str:
        before = self.source
        of = "" if before is None else f" of {'the contiguous ' if is_contiguous(before) else ''}{before}"
        return f"{self.step.code} (step {self.step.number}) made {self.layout}{of}"

    @property
    def source(self) -> Layout | None:
        """The layout of what it was made of."""
        return self.parent.layout if self.parent is not None else None


def without_unknown(sizes: tuple[int, ...], count: int) -> tuple[int, ...]:
    """The sizes with what a -1 among them stands for, of `count` elements.

    >>> without_unknown((2, -1), 6)
    (2, 3)
    """
    return tuple(count // abs(math.prod(sizes)) if size == -1 and count else size for size in sizes)
