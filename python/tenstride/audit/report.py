# SPDX-License-Identifier: Apache-2.0
"""What an audit found, for whoever asks: as text, as a page, as a trace, as a check."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Callable, Union

from .findings import KINDS, Findings, allow
from .html import page
from .places import Place
from .record import Copy
from .text import complaint, report_text
from .trace import trace

Exception_ = Union[str, Callable[["Copy"], bool]]


class Report(Findings):
    """What a scope copied, in the order in which it happened. Made by ``tenstride.audit``."""

    allow = staticmethod(allow)

    def watch(self, array: Any) -> Any:
        """A NumPy array on the same memory whose copies, and those of all arrays made of it, this report lists.

        >>> import numpy
        >>> from tenstride.audit import audit
        >>> with audit() as report:
        ...     x = report.watch(numpy.zeros((2, 3)))
        ...     y = x.T.reshape(6)
        >>> report.copies[0].operation, report.copies[0].bytes_written
        ('reshape', 48)
        """
        from .numpy_watch import watched

        return watched(array, self)

    def to_html(self, title: str = "Copies") -> str:
        """A page that stands alone: no script, nothing from the network, light or dark as the reader has it."""
        return page(self, title)

    def to_trace(self) -> str:
        """Chrome trace events as JSON, for Perfetto or ``chrome://tracing``."""
        return trace(self)

    def __str__(self) -> str:
        return report_text(self)

    def __repr__(self) -> str:
        return f"<Report: {len(self.copies)} copies, {self.total_bytes} B, {len(self.scrambles)} scrambles>"

    def assert_no_copies(
        self, except_: Exception_ | Iterable[Exception_] | None = None, kinds: Sequence[str] = KINDS
    ) -> None:
        """Raises AssertionError that lists what was copied, where, why and what to write instead.

        Copies inside ``allow`` pass, and those ``except_`` names: an operation (``"clone"``), a file
        (``"loader.py"``), a line (``"loader.py:12"``), a callable that takes the Copy, or several of these.
        ``kinds`` narrows the check, e.g. to ``["silent"]``.
        """
        kinds = (kinds,) if isinstance(kinds, str) else tuple(kinds)
        unknown = [kind for kind in kinds if kind not in KINDS]
        if unknown:
            raise ValueError(f"assert_no_copies: kinds {unknown!r} must be of {', '.join(KINDS)}")
        if except_ is None:
            except_ = ()
        wanted = (except_,) if isinstance(except_, str) or callable(except_) else tuple(except_)
        left = [
            copy
            for copy in self.copies
            if copy.kind in kinds and not copy.allowed and not any(_matches(copy, one) for one in wanted)
        ]
        if left or self.left_out:
            raise AssertionError(complaint(self, left))


def _matches(copy: Copy, wanted: Exception_) -> bool:
    if callable(wanted):
        return bool(wanted(copy))
    if wanted == copy.operation:
        return True
    return any(place is not None and _is_place(place, wanted) for place in (copy.place, copy.inside))


def _is_place(place: Place, wanted: str) -> bool:
    file, colon, line = wanted.rpartition(":")
    if colon and line.isdigit():
        return int(line) == place.line and _is_file(place.file, file)
    return _is_file(place.file, wanted)


def _is_file(path: str, wanted: str) -> bool:
    path, wanted = path.replace("\\", "/"), wanted.replace("\\", "/")
    return path == wanted or path.endswith("/" + (wanted[2:] if wanted.startswith("./") else wanted))
