# SPDX-License-Identifier: Apache-2.0
"""Transfers between devices: what crosses the link, what is copied beside it, and how long that takes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .. import _tenstride
from .layouts import Layout, is_contiguous

HOSTS = frozenset({"cpu", "meta"})
"""This machine's memory, and what stands for it without any."""

_SMALL = 1_000_000  # bytes of a transfer whose time is mostly that of the call


@dataclass(eq=False)
class Pin:
    """A pinned storage, and how often it was sent."""

    by_call: bool
    """Whether pin_memory() copied it there, in the scope."""
    sent: int = 0


@dataclass(eq=False)
class Line:
    """A line that sends, and how often it did."""

    count: int = 0


@dataclass(eq=False)
class Link:
    """How elements go from one device to another."""

    source: str
    target: str
    memory: str
    """``"pageable"``, ``"pinned"``, or ``"peer"`` between two devices."""
    blocking: bool
    dtype: str
    """What crosses, which may not be what came or what arrives."""
    bytes: int
    extra: list[str] = field(default_factory=list)
    """The copies before and after it, on either side."""
    converted_before: bool = False
    narrow: tuple[str, int] | None = None
    """The narrowest type that the elements had on this side, and its bytes."""
    item: int = 1
    pin: Pin | None = None
    line: Line = field(default_factory=Line)
    is_module: bool = False
    """Whether it is a parameter or buffer that its module sends."""
    reads_number: bool = False
    """Whether a number is read: item() and the like, for which the program waits."""

    @property
    def seconds(self) -> float:
        """Forecast by the speed of a link, or what TENSTRIDE_LINK says of it."""
        return _tenstride._transfer_seconds(self.bytes, self.memory)

    def why(self) -> str:
        """The link, the bytes that cross it and what else is copied."""
        waits = "blocking" if self.blocking else "non-blocking"
        text = f"{self.source} to {self.target}, {self.memory}, {waits}: {self.bytes} B of {self.dtype} cross the link"
        return "; ".join([text, *(f"one more copy, {one}" for one in self.extra)])

    def advice(self) -> list[str]:
        """What to write instead; empty where nothing is wrong with it."""
        found = []
        if self.narrow is not None and self.narrow[1] < self.item:
            dtype, item = self.narrow
            how = f": .to({self.target!r}).to(torch.{self.dtype})" if self.converted_before else ""
            times = f"{self.item // item} x the bytes"
            found.append(f"{self.dtype} crosses the link, {times}: send {dtype} and convert there{how}")
        if any("contiguous" in one for one in self.extra):
            found.append(
                f"non-contiguous upload: send the whole and slice on {self.target}, or lay it out once before"
                if self.source in HOSTS
                else f"non-contiguous: .contiguous() on {self.source} first is faster than on the other side"
            )
        if self.pin is not None and self.pin.by_call and self.pin.sent == 1:
            found.append(
                "pin_memory() then .to() is slower than .to(): one copy more, which is waited for; pin a buffer that "
                "is sent again, or let the loader pin (DataLoader(pin_memory=True))"
            )
        if self.pin is not None and self.memory == "pageable":
            found.append("the pinned memory is not used: what is sent is a copy of it in pageable memory")
        if not self.blocking and self.target in HOSTS:
            found.append("the elements are there only after torch.cuda.synchronize()")
        elif not self.blocking and self.memory == "pageable":
            found.append("non_blocking gains nothing from pageable memory: the call waits all the same; pin the source")
        if self.line.count > 1 and not self.is_module:
            found.append(self._loop())
        return found

    def _loop(self) -> str:
        times = f"a transfer in a loop ({self.line.count} times)"
        if self.reads_number:
            return f"{times}: each waits for the device; keep the numbers there and read them once, behind the loop"
        if self.bytes < _SMALL:
            return f"{times}: each costs its call, whatever its size; put the parts together first and send them once"
        return f"{times}: from pinned memory and with non_blocking=True it runs beside the computing"

    def to_dict(self) -> dict[str, Any]:
        """As plain data, with the names of the library's ledger."""
        return {
            "from": self.source,
            "to": self.target,
            "memory": self.memory,
            "blocking": self.blocking,
            "dtype": self.dtype,
            "bytes": self.bytes,
            "copies_beside": list(self.extra),
            "forecast_seconds": self.seconds,
        }


def is_transfer(source: str, target: str) -> bool:
    """Whether elements cross a link between these devices.

    >>> is_transfer("cpu", "cuda:0"), is_transfer("cpu", "meta")
    (True, False)
    """
    return source != target and not (source in HOSTS and target in HOSTS)


def _is_dense(layout: Layout) -> bool:
    axes = sorted((stride, size) for size, stride in zip(layout.shape, layout.strides) if size != 1)
    expected = 1
    for stride, size in axes:
        if stride != expected:
            return False
        expected *= size
    return True


def plan(
    source: str,
    target: str,
    src: tuple[Layout, str, int],
    dst: tuple[Layout, str, int],
    pin: Pin | None,
    pins_target: bool,
    blocking: bool,
) -> Link:
    """The transfer as PyTorch 2.6 carries it out between the cpu and CUDA (aten/src/ATen/native/cuda/Copy.cu).

    Each side is its layout, its dtype and the bytes of an element. The bytes go over as they lie where both sides
    are dense in one order and of one dtype; else a row-major copy is sent. A blocking transfer is converted by the
    cpu, another one by the device.
    """
    (src_layout, src_dtype, src_item), (dst_layout, dst_dtype, dst_item) = src, dst
    is_peer = source not in HOSTS and target not in HOSTS
    host_pinned = pin is not None if source in HOSTS else pins_target
    memory = "peer" if is_peer else "pinned" if host_pinned else "pageable"
    same = src_dtype == dst_dtype
    as_it_lies = same and (
        (is_contiguous(src_layout) and is_contiguous(dst_layout))
        or (_is_dense(src_layout) and src_layout.strides == dst_layout.strides)
    )
    if is_peer or as_it_lies:
        sent, item = (src_dtype, src_item) if same else (dst_dtype, dst_item)
        return Link(source, target, memory, blocking, sent, src_layout.numel * item, item=item, pin=pin)
    here, there = ("cpu" if one in HOSTS else one for one in (source, target))
    extra = []
    converts_here = (source in HOSTS) == blocking
    sent, item = (dst_dtype, dst_item) if converts_here else (src_dtype, src_item)
    if sent != src_dtype:
        extra.append(f"{src_dtype} to {sent} on {here}, before the transfer")
    if not is_contiguous(src_layout):
        extra.append(f"made contiguous on {here} before the transfer")
    if extra and source in HOSTS:
        memory = "pageable"  # what is sent is that copy
    if sent != dst_dtype:
        extra.append(f"{sent} to {dst_dtype} on {there}, after the transfer")
    elif not is_contiguous(dst_layout):
        extra.append(f"laid out on {there} after the transfer")
    return Link(
        source,
        target,
        memory,
        blocking,
        sent,
        src_layout.numel * item,
        extra=extra,
        converted_before=sent != src_dtype,
        narrow=(src_dtype, src_item) if src_item < item else None,
        item=item,
        pin=pin,
    )
