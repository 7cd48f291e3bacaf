# SPDX-License-Identifier: Apache-2.0
"""What an audit found, as data: the copies and scrambles of a scope, their sums, and the labels of what is meant."""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections.abc import Iterator
from typing import Any

from .places import Skipper
from .record import Copy, ScrambleFound

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


class Findings:
    """What a scope copied, in the order in which it happened."""

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
