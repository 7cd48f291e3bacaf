# SPDX-License-Identifier: Apache-2.0
"""What an audit found: the copies and scrambles of a scope, as a table, as data, as a page, as a trace, as a check."""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Callable, Union

from .places import Place, Skipper
from .record import Copy, ScrambleFound

Exception_ = Union[str, Callable[["Copy"], bool]]
KINDS = ("silent", "explicit", "conversion", "transfer")

_scopes = threading.local()


@contextlib.contextmanager
def allow(label: str) -> Iterator[None]:
    """A scope whose copies are meant: they are listed under the label, and ``assert_no_copies`` lets them pass.

    Belongs to the calling thread and may stand anywhere below the audit, also where no audit is open.
    """
    stack = _scopes.__dict__.setdefault("labels", [])
    stack.append(str(label))
    try:
        yield
    finally:
        stack.pop()


def current_label() -> str:
    """The label of the innermost ``allow`` of this thread, or an empty string."""
    stack = _scopes.__dict__.get("labels")
    return stack[-1] if stack else ""


class Report:
    """What a scope copied, in the order in which it happened. Made by ``tenstride.audit``."""

    def __init__(self, limit: int, skipper: Skipper) -> None:
        self.copies: list[Copy] = []
        self.scrambles: list[ScrambleFound] = []
        self.left_out = 0
        """Copies beyond the limit: counted, not listed."""
        self.open = False
        self.began = time.perf_counter()
        self.missed: list[str] = []
        """What the audit could not look into, as sentences."""
        self._limit, self._skipper, self._lock = limit, skipper, threading.Lock()

    allow = staticmethod(allow)

    def add(self, copy: Copy) -> bool:
        """Lists a copy; False where the list is full and it is only counted."""
        with self._lock:
            if len(self.copies) >= self._limit:
                self.left_out += 1
                return False
            self.copies.append(copy)
            return True

    def add_scramble(self, scramble: ScrambleFound) -> None:
        """Lists a scramble."""
        with self._lock:
            if len(self.scrambles) < self._limit:
                self.scrambles.append(scramble)

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

    @property
    def bytes_read(self) -> int:
        """Bytes all listed copies read."""
        return sum(copy.bytes_read for copy in self.copies)

    @property
    def bytes_written(self) -> int:
        """Bytes all listed copies wrote."""
        return sum(copy.bytes_written for copy in self.copies)

    @property
    def total_bytes(self) -> int:
        """Bytes read and written by all listed copies."""
        return self.bytes_read + self.bytes_written

    @property
    def transfers(self) -> list[Copy]:
        """The copies that go to another device."""
        return self.of_kind("transfer")

    @property
    def bytes_transferred(self) -> int:
        """Bytes that cross a link."""
        return sum(copy.link.bytes for copy in self.copies if copy.link is not None)

    def of_kind(self, *kinds: str) -> list[Copy]:
        """The copies of these kinds (``silent``, ``explicit``, ``conversion``, ``transfer``)."""
        return [copy for copy in self.copies if copy.kind in kinds]

    def groups(self) -> list[list[Copy]]:
        """Copies alike (same line, operation and layouts) together, the most bytes first."""
        found: dict[tuple[Any, ...], list[Copy]] = {}
        for copy in list(self.copies):
            found.setdefault(copy.group(), []).append(copy)
        return sorted(found.values(), key=lambda group: -sum(copy.bytes_moved for copy in group))

    @property
    def saves(self) -> int:
        """Bytes fewer that are written when each fix is followed: the sum of what each saves alone."""
        return sum(len(group) * group[0].saves for group in self.groups())

    def to_dict(self) -> dict[str, Any]:
        """All as plain data: ``copies``, ``scrambles``, ``totals``, ``left_out``, ``missed``."""
        return {
            "copies": [copy.to_dict() for copy in self.copies],
            "scrambles": [scramble.to_dict() for scramble in self.scrambles],
            "totals": {
                "copies": len(self.copies),
                **{kind: len(self.of_kind(kind)) for kind in KINDS},
                "scrambles": len(self.scrambles),
                "bytes_read": self.bytes_read,
                "bytes_written": self.bytes_written,
                "bytes_transferred": self.bytes_transferred,
                "saves": self.saves,
            },
            "left_out": self.left_out,
            "missed": list(self.missed),
        }

    def to_json(self, indent: int | None = None) -> str:
        """``to_dict()`` as JSON."""
        return json.dumps(self.to_dict(), indent=indent)

    def to_html(self, title: str = "Copies") -> str:
        """A page that stands alone: no script, nothing from the network, light or dark as the reader has it."""
        from .html import page

        return page(self, title)

    def to_trace(self) -> str:
        """Chrome trace events as JSON, for Perfetto or ``chrome://tracing``."""
        from .trace import trace

        return trace(self)

    def __str__(self) -> str:
        from .text import report_text

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
            from .text import complaint

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
