# SPDX-License-Identifier: Apache-2.0
"""What an audit found: the copies and scrambles of a scope, as a table, as data, as a page, as a trace, as a
check."""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Callable, Union

from . import reasons
from .layouts import Layout, Reordering
from .places import Place, Skipper

Exception_ = Union[str, Callable[["Copy"], bool]]
KINDS = ("silent", "explicit", "conversion")

_scopes = threading.local()


@contextlib.contextmanager
def allow(label: str) -> Iterator[None]:
    """A scope whose copies are meant: they are listed under the label, and ``assert_no_copies`` lets them
    pass.

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


_FACTS = (
    "kind operation call src src_dtype src_device dst dst_dtype dst_device bytes_read bytes_written place "
    "inside phase node allowed start seconds thread target origin note remedy followed sources"
)


class Copy:
    """One copy. All layouts are in elements, all sizes of memory in bytes.

    ``kind`` is ``"silent"`` (nothing in the call says copy), ``"explicit"`` (clone, copy_, an assignment) or
    ``"conversion"`` (another dtype or device was asked for). ``operation`` is what the user's line, or the
    library code below it (``inside``), called; ``call`` what the framework did for it.
    """

    __slots__ = tuple(_FACTS.split())

    def __init__(self, **facts: Any):
        for name in self.__slots__:
            setattr(self, name, facts.get(name))
        self.allowed = self.allowed or ""
        self.sources = self.sources or 1

    @property
    def bytes_moved(self) -> int:
        """Bytes read and written."""
        return self.bytes_read + self.bytes_written

    @property
    def file(self) -> str:
        """The user's file, empty where the stack holds none."""
        return self.place.file if self.place else ""

    @property
    def line(self) -> int:
        """The user's line, 0 where the stack holds none."""
        return self.place.line if self.place else 0

    @property
    def code(self) -> str:
        """The text of the user's line."""
        return self.place.code if self.place else ""

    @property
    def why(self) -> str:
        """Why it copied, as one clause."""
        return reasons.why(self)

    @property
    def since(self):
        """The earlier step that made the copy necessary (an Origin), or None."""
        return reasons.since(self)

    @property
    def fix(self) -> str:
        """What to write instead."""
        return reasons.fix(self)

    def sides(self) -> tuple[str, str]:
        """Source and destination as they are printed: layout, dtype, and the device where it is not the
        CPU."""
        more = f" and {self.sources - 1} more" if self.sources > 1 else ""
        return (
            _side(self.src, self.src_dtype, self.src_device) + more,
            _side(self.dst, self.dst_dtype, self.dst_device),
        )

    def group(self) -> tuple:
        """What equal rows of the table have in common."""
        place = self.place.key() if self.place else None
        inside = self.inside.key() if self.inside else None
        return (
            place,
            inside,
            self.operation,
            self.kind,
            self.src,
            self.dst,
            self.target,
            self.dst_dtype,
            self.allowed,
        )

    def to_dict(self) -> dict[str, Any]:
        """The copy as plain data, with the names the library's ledger gives in its JSON."""
        step = self.since
        return {
            "kind": self.kind,
            "operation": self.operation,
            "call": self.call,
            "phase": self.phase,
            "reason": self.why,
            "since": None if step is None else {"operation": step.operation, **_place_dict(step.place)},
            "fix": self.fix,
            "src": _side_dict(self.src, self.src_dtype),
            "dst": _side_dict(self.dst, self.dst_dtype),
            "device": str(self.dst_device),
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


class ScrambleFound:
    """A view or reshape whose sizes are the source's in another order: the elements are not where the sizes
    say."""

    __slots__ = ("allowed", "dtype", "operation", "place", "reordering")

    def __init__(self, operation: str, reordering: Reordering, dtype: str, place: Place | None, allowed: str):
        self.operation, self.reordering, self.dtype, self.place = operation, reordering, dtype, place
        self.allowed = allowed

    file, line, code = Copy.file, Copy.line, Copy.code

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
            "dtype": self.dtype,
            "reason": str(self.reordering),
            "fix": self.fix,
            **_place_dict(self.place),
            "allowed": self.allowed,
        }

    def __str__(self) -> str:
        return f"{self.operation}: {self.reordering}"


class Report:
    """What a scope copied, in the order in which it happened. Made by ``tenstride.audit``."""

    def __init__(self, limit: int, skipper: Skipper):
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

    def watch(self, array):
        """A NumPy array on the same memory whose copies, and those of all arrays made of it, this report
        lists.

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

    def of_kind(self, *kinds: str) -> list[Copy]:
        """The copies of these kinds (``silent``, ``explicit``, ``conversion``)."""
        return [copy for copy in self.copies if copy.kind in kinds]

    def groups(self) -> list[list[Copy]]:
        """Copies alike (same line, operation and layouts) together, the most bytes first."""
        found: dict[tuple, list[Copy]] = {}
        for copy in list(self.copies):
            found.setdefault(copy.group(), []).append(copy)
        return sorted(found.values(), key=lambda group: -sum(copy.bytes_moved for copy in group))

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
            },
            "left_out": self.left_out,
            "missed": list(self.missed),
        }

    def to_json(self, indent: int | None = None) -> str:
        """``to_dict()`` as JSON."""
        return json.dumps(self.to_dict(), indent=indent)

    def to_html(self, title: str = "Copies") -> str:
        """A page that stands alone: no script, nothing from the network, light or dark as the reader has
        it."""
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
    return path == wanted or path.endswith("/" + wanted.lstrip("./"))


def _side(layout: Layout | None, dtype: str, device: Any) -> str:
    where = "" if device in (None, "cpu") else f" {device}"
    return f"{layout if layout is not None else '-'} {dtype}{where}"


def _side_dict(layout: Layout | None, dtype: str) -> dict[str, Any] | None:
    return None if layout is None else {"layout": str(layout), "dtype": dtype}


def _place_dict(place: Place | None) -> dict[str, Any]:
    if place is None:
        return {"file": "", "line": 0, "function": "", "code": ""}
    return {"file": place.file, "line": place.line, "function": place.function, "code": place.code}
