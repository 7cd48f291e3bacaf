# SPDX-License-Identifier: Apache-2.0
"""The transfers among the operations that the audit of PyTorch sees."""

from __future__ import annotations

import threading
import time
from typing import Any, Protocol

import torch  # type: ignore[import-not-found,unused-ignore]

from . import torch_names as names
from .findings import Findings, current_label
from .links import HOSTS, Line, Link, Pin, plan
from .places import CallSite
from .record import Copy
from .torch_devices import Places
from .torch_track import Storages, dtype_name

_MIXES_PLACES = frozenset({"copy_", "_foreach_copy_", "index", "index_put_", "_index_put_impl_", "set_", "lift_fresh"})
"""Operations that take tensors on several devices."""


def _is_pinned(tensor: Any) -> bool:
    """Whether the memory is page-locked; where there is no CUDA, none is."""
    return tensor.device.type == "cpu" and torch.cuda.is_available() and bool(tensor.is_pinned())


class Owner(Protocol):
    """What a mode offers: where tensors pretend to be, what is known of storages, and the place of a call."""

    places: Places | None
    storages: Storages
    report: Findings

    def site(self, frame: Any) -> CallSite: ...
    def operation(self, site: CallSite, call: str) -> names.Called: ...
    def say(self, sentence: str) -> None: ...


class Transfers:
    """Where tensors are, or pretend to be, and what goes from one device to another."""

    def __init__(self, mode: Owner) -> None:
        self._mode = mode
        self._lines: dict[tuple[str, int, int], Line] = {}

    def device(self, tensor: Any) -> str:
        """The device of a tensor, as the program sees it."""
        places = self._mode.places
        return str(tensor.device) if places is None else places.of(tensor)

    def place(self, facts: Any, args: Any, kwargs: Any, result: Any, frame: Any) -> None:
        """Where devices are foretold: the place of the result, and the numbers that are read."""
        places, mode = self._mode.places, self._mode
        if places is None or facts.is_view:
            return
        if facts.name == "_local_scalar_dense" and places.of(args[0]) not in HOSTS:
            self._read(args[0], frame)
        elif facts.name == "_to_copy" and places.sending is not None:
            places.mark(result, places.sending[0])
        elif facts.name not in _MIXES_PLACES:
            wrong = places.follow(args, kwargs, result)
            if wrong is not None:
                place = mode.site(frame).place
                mode.say(f"aten::{facts.name} ({place.short if place else '?'}) {wrong}")

    def link(self, source: Any, target: Any, site: CallSite, call: str, args: Any, kwargs: Any) -> Link | None:
        """How the elements of one tensor become those of another on another device."""
        places, storages = self._mode.places, self._mode.storages
        src, dst = storages.layout(source), storages.layout(target)
        if src is None or dst is None:
            return None
        blocking = not (kwargs.get("non_blocking") or (call == "copy_" and len(args) > 2 and args[2]))
        narrow = None
        if places is not None:
            if places.sending is not None:
                blocking = places.sending[1]
            pin, narrow = places.pin(source), places.narrow(source)
            pins_target = places.pin(target) is not None or (call == "_to_copy" and not blocking)
        else:
            pin = Pin(by_call=False) if _is_pinned(source) else None
            pins_target = _is_pinned(target)
        link = plan(
            self.device(source),
            self.device(target),
            (src, dtype_name(source), source.element_size()),
            (dst, dtype_name(target), target.element_size()),
            pin,
            pins_target,
            blocking,
        )
        if narrow is not None and narrow[1] < link.item:
            link.narrow = narrow
        if pin is not None:
            pin.sent += 1
        self._count(link, site)
        return link

    def _count(self, link: Link, site: CallSite) -> None:
        link.is_module = "_apply" in site.through
        if site.place is not None:
            link.line = self._lines.setdefault(site.place.key(), link.line)
        link.line.count += 1

    def _read(self, tensor: Any, frame: Any) -> None:
        """item() and the like: one number comes from the device, and the program waits for it."""
        mode = self._mode
        site = mode.site(frame)
        if site.inside is not None and site.inside.file.endswith(names.PRINTING):
            return
        layout, dtype, item = mode.storages.layout(tensor), dtype_name(tensor), tensor.element_size()
        link = Link(self.device(tensor), "cpu", "pageable", True, dtype, item, item=item, reads_number=True)
        self._count(link, site)
        called = mode.operation(site, "item")
        mode.report.add(
            Copy(
                kind="transfer",
                link=link,
                operation=called.operation,
                call="_local_scalar_dense",
                src=layout,
                src_dtype=dtype,
                src_device=link.source,
                dst=layout,
                dst_dtype=dtype,
                dst_device="cpu",
                bytes_read=item,
                bytes_written=item,
                place=site.place,
                inside=site.inside,
                phase="backward" if called.is_backward else "forward",
                allowed=current_label(),
                start=time.perf_counter() - mode.report.began,
                seconds=link.seconds,
                thread=threading.current_thread().name,
            )
        )
