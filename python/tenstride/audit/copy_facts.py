# SPDX-License-Identifier: Apache-2.0
"""One copy as facts: what was called where, the layouts on both sides, the bytes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .layouts import Layout, Sizes
from .links import Link
from .origins import Origin
from .places import Place


class AtLine:
    """What the user's line did."""

    place: Place | None

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


@dataclass(eq=False, repr=False)
class CopyFacts(AtLine):
    """One copy. All layouts are in elements, all sizes of memory in bytes.

    ``kind`` is ``"silent"`` (nothing in the call says copy), ``"explicit"`` (clone, copy_, an assignment),
    ``"conversion"`` (another dtype was asked for) or ``"transfer"`` (another device was; ``link`` says how).
    ``operation`` is what the user's line, or the library code below it (``inside``), called; ``call`` what the
    framework did for it. ``phase`` is ``"forward"`` or ``"backward"``.
    """

    kind: str
    operation: str
    call: str
    src: Layout | None
    src_dtype: str
    src_device: str
    dst: Layout | None
    dst_dtype: str
    dst_device: str
    bytes_read: int
    bytes_written: int
    place: Place | None
    inside: Place | None
    phase: str
    allowed: str
    """The label of the ``allow`` scope it happened in, or empty."""
    start: float
    """Seconds since the scope began."""
    seconds: float
    thread: str
    said: str | None = None
    """Of PyTorch: the name at the call itself, also one that is no operation of PyTorch's; None where it is unknown."""
    node: str | None = None
    """Of the backward pass: autograd's node, where PyTorch tells."""
    origin: Origin | None = None
    target: Sizes | None = None
    """The sizes a reshape was to give."""
    note: str | None = None
    remedy: str | None = None
    trial: Any = None
    """Of PyTorch: what a fix is tried on (``torch_fixes.Trial``)."""
    sources: int = 1
    link: Link | None = None
    """Of a transfer: what crosses, and what is copied beside it."""

    @property
    def bytes_moved(self) -> int:
        """Bytes read and written."""
        return self.bytes_read + self.bytes_written
