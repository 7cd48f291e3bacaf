# SPDX-License-Identifier: Apache-2.0
"""What is remembered about tensors: which step made each layout of a storage. Keeps no tensor's memory alive."""

from __future__ import annotations

from typing import Any

import torch  # type: ignore[import-not-found,unused-ignore]
from torch.multiprocessing.reductions import StorageWeakRef  # type: ignore[import-not-found,unused-ignore]

from .layouts import Layout
from .links import Pin
from .origins import Origin

_MAX_VIEWS = 1024  # layouts remembered of one storage


def dtype_name(tensor: Any) -> str:
    """``float32``."""
    return str(tensor.dtype).rpartition(".")[2]


def tensors_in(value: Any) -> list[Any]:
    """The tensors of PyTorch's in an argument: itself, or those of a list."""
    values = value if isinstance(value, (list, tuple)) else [value]
    return [one for one in values if isinstance(one, torch.Tensor)]


class _Entry:
    __slots__ = ("narrow", "number", "origins", "pin", "place", "reference")

    def __init__(self, reference: Any, number: int) -> None:
        self.reference = reference
        self.number = number  # its own for as long as the scope lasts, which the address is not
        self.origins: dict[Layout, Origin] = {}
        # Where devices are foretold (torch_devices.py):
        self.place: str | None = None
        self.pin: Pin | None = None
        self.narrow: tuple[str, int] | None = None


class Storages:
    """Origins by storage and layout.

    The key is the address of PyTorch's StorageImpl. A weak reference (PyTorch's own) is kept beside it: the
    memory of the elements goes when the program lets go, but the address is not given out again while it is a
    key here.
    """

    def __init__(self) -> None:
        self._untyped = hasattr(torch.Tensor, "untyped_storage")
        self._entries: dict[int, _Entry] = {}
        self._limit = 1024
        self._made = 0

    def layout(self, tensor: Any) -> Layout | None:
        """The layout, None for one without strides (sparse and the like)."""
        try:
            if tensor.layout is not torch.strided:
                return None
            return Layout(tuple(tensor.shape), tensor.stride(), tensor.storage_offset())
        except (RuntimeError, NotImplementedError, TypeError):
            return None

    def storage(self, tensor: Any) -> Any:
        """PyTorch's untyped storage object, None where the tensor has none."""
        try:
            return tensor.untyped_storage() if self._untyped else tensor.storage()._storage
        except (RuntimeError, NotImplementedError, AttributeError):
            return None

    def key(self, tensor: Any) -> int | None:
        """What two tensors that share memory have in common."""
        storage = self.storage(tensor)
        return None if storage is None else storage._cdata

    def find(self, tensor: Any) -> _Entry | None:
        """What is known of the tensor's storage, or None."""
        key = self.key(tensor)
        return None if key is None else self._entries.get(key)

    def origin(self, tensor: Any, layout: Layout | None) -> Origin | None:
        """The step that made this layout of the storage, or None."""
        entry = self.find(tensor)
        return None if entry is None or layout is None else entry.origins.get(layout)

    def entry(self, tensor: Any) -> _Entry | None:
        """The same as `find`, made where it is missing."""
        storage = self.storage(tensor)
        if storage is None:
            return None
        entry = self._entries.get(storage._cdata)
        if entry is None:
            if len(self._entries) >= self._limit:
                self._forget()
            entry = self._entries[storage._cdata] = _Entry(StorageWeakRef(storage), self._made)
            self._made += 1
        return entry

    def remember(self, tensor: Any, origin: Origin) -> None:
        """This step made this layout of the tensor's storage."""
        entry = self.entry(tensor)
        if entry is None:
            return
        if len(entry.origins) >= _MAX_VIEWS:
            del entry.origins[next(iter(entry.origins))]
        entry.origins[origin.layout] = origin

    def _forget(self) -> None:
        for key in [key for key, entry in self._entries.items() if entry.reference.expired()]:
            del self._entries[key]
        self._limit = max(1024, 2 * len(self._entries))
