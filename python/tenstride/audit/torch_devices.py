# SPDX-License-Identifier: Apache-2.0
"""Devices foretold: a program that says ``.cuda()`` runs on the CPU (or meta), and its transfers are listed.

Each storage has a place, the device that the program believes it is on. The function mode answers for it
(``.device``, ``.is_cuda``), keeps what is sent in the CPU's memory, and takes ``device=`` of factories.
"""

from __future__ import annotations

import contextlib
import types
from collections.abc import Iterator
from typing import Any, Callable

import torch  # type: ignore[import-not-found,unused-ignore]
from torch.overrides import TorchFunctionMode  # type: ignore[import-not-found,unused-ignore]

from .links import HOSTS, Pin, is_transfer
from .torch_track import Storages, dtype_name, tensors_in

_KINDS = ("cpu", "meta", "cuda", "mps", "xpu")
_MADE_ON_CPU = frozenset({"tensor", "as_tensor", "asarray"})
"""Functions that make their tensor on the cpu and send it."""


def placed(device: Any) -> str:
    """The device that a tensor made on this one has.

    >>> placed("cuda"), placed(torch.device("cpu", 0)), placed(1)
    ('cuda:0', 'cpu', 'cuda:1')
    """
    if isinstance(device, int):
        return f"cuda:{device}"
    device = torch.device(device)
    return device.type if device.type in HOSTS else f"{device.type}:{device.index or 0}"


class Places:
    """Which device each storage pretends to be on, and what its elements were before they were widened."""

    def __init__(self, storages: Storages) -> None:
        self.storages = storages
        self.sending: tuple[str, bool] | None = None
        """The device that the operation under way sends its result to, and whether the program waits."""
        self.is_inside = False
        """Whether a Python function of PyTorch's is under way, whose own calls are not answered for."""

    def of(self, tensor: Any) -> str:
        """The place of the tensor's storage: where nothing else is known, where it is."""
        entry = self.storages.find(tensor)
        if entry is not None and entry.place is not None:
            return entry.place
        return placed(tensor.device)

    def mark(self, tensor: Any, place: str) -> None:
        """The tensor's storage is there from now on."""
        if place == placed(tensor.device) and self.storages.find(tensor) is None:
            return
        entry = self.storages.entry(tensor)
        if entry is not None:
            entry.place = place

    def pin(self, tensor: Any) -> Pin | None:
        """The tensor's pinned storage, or None."""
        entry = self.storages.find(tensor)
        return None if entry is None else entry.pin

    def set_pinned(self, tensor: Any, by_call: bool) -> None:
        """The tensor's storage is pinned from now on."""
        entry = self.storages.entry(tensor)
        if entry is not None:
            entry.pin = Pin(by_call)

    def narrow(self, tensor: Any) -> tuple[str, int] | None:
        """The narrowest type that the elements had on this side, and its bytes."""
        entry = self.storages.find(tensor)
        if entry is not None and entry.narrow is not None:
            return entry.narrow
        return dtype_name(tensor), tensor.element_size()

    def follow(self, args: Any, kwargs: Any, result: Any) -> str | None:
        """Places the results of an operation with its operands; gives what is wrong, if operands lie apart."""
        operands = [one for value in (*args, *kwargs.values()) for one in tensors_in(value)]
        results = tensors_in(result)
        if not results:
            return None
        places = [self.of(one) for one in operands]
        place = next((one for one in places if one not in HOSTS), None)
        known = {self.storages.key(one) for one in operands}
        for made in results:
            if self.storages.key(made) in known:
                continue
            if place is not None:
                self.mark(made, place)
            self._follow_type(made, operands)
        apart = [
            where for one, where in zip(operands, places) if where != place and not (one.dim() == 0 and where in HOSTS)
        ]
        if place is None or not apart or self.is_inside:
            return None
        return f"takes tensors on {place} and on {apart[0]}, which PyTorch refuses where the devices are real"

    def _follow_type(self, made: Any, operands: list[Any]) -> None:
        """A result that is one to one of narrower elements could be made of those behind the link, too."""
        whole = [self.narrow(one) for one in operands if one.numel() == made.numel() and one.dim() > 0]
        if not whole or None in whole:
            return
        widest = max((one for one in whole if one is not None), key=lambda one: one[1])
        if widest[1] < made.element_size():
            entry = self.storages.entry(made)
            if entry is not None:
                entry.narrow = widest


class DeviceMode(TorchFunctionMode):  # type: ignore[misc,unused-ignore]
    """Takes the place of devices that this machine has not."""

    def __init__(self, places: Places) -> None:
        super().__init__()
        self.places = places
        tensor = torch.Tensor
        self._handlers: dict[Any, Callable[..., Any]] = {
            tensor.to: self._to,
            tensor.cuda: lambda x, *args, **kwargs: self._to_kind("cuda", x, *args, **kwargs),
            tensor.cpu: lambda x, memory_format=torch.preserve_format: self._send(
                x, "cpu", memory_format=memory_format
            ),
            tensor.pin_memory: self._pin_memory,
            tensor.is_pinned: lambda x, device=None: self.places.pin(x) is not None,
            tensor.get_device: lambda x: self._device(x).index if self._device(x).index is not None else -1,
            tensor.device.__get__: self._device,
        }
        if hasattr(tensor, "xpu"):
            self._handlers[tensor.xpu] = lambda x, *args, **kwargs: self._to_kind("xpu", x, *args, **kwargs)
        for kind in _KINDS:
            attribute = getattr(tensor, f"is_{kind}", None)
            if attribute is not None:
                self._handlers[attribute.__get__] = self._question(kind)

    def __torch_function__(self, func: Any, types_: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        handler = self._handlers.get(func)
        if handler is not None:
            # `x.device.__get__(owner)` is given the type, too.
            return handler(args[0]) if getattr(func, "__name__", "") == "__get__" else handler(*args, **kwargs)
        if kwargs.get("device") is not None or kwargs.get("pin_memory"):
            return self._make(func, args, kwargs)
        outer = self.places.is_inside
        self.places.is_inside = outer or isinstance(func, types.FunctionType)
        try:
            return func(*args, **kwargs)
        finally:
            self.places.is_inside = outer

    def _device(self, x: Any) -> Any:
        return torch.device(self.places.of(x))

    def _question(self, kind: str) -> Callable[[Any], bool]:
        return lambda x: self._device(x).type == kind

    def _to(self, x: Any, *args: Any, copy: bool = False, **kwargs: Any) -> Any:
        args = tuple(torch.device(placed(one)) if type(one) is int and i == 0 else one for i, one in enumerate(args))
        other = args[0] if args and isinstance(args[0], torch.Tensor) else kwargs.get("other")
        if other is not None:
            device, dtype = self.places.of(other), other.dtype
            rest = dict(zip(("non_blocking", "copy"), args[1:]))
            non_blocking = kwargs.get("non_blocking", rest.get("non_blocking", False))
            copy, memory_format = copy or rest.get("copy", False), kwargs.get("memory_format")
        else:
            args, copy = (args[:3], args[3]) if len(args) > 3 else (args, copy)
            device, dtype, non_blocking, memory_format = torch._C._nn._parse_to(*args, **kwargs)
        target = self.places.of(x) if device is None else placed(device)
        return self._send(x, target, dtype, not non_blocking, memory_format, copy)

    def _to_kind(self, kind: str, x: Any, device: Any = None, non_blocking: bool = False, **kwargs: Any) -> Any:
        target = placed(kind if device is None else f"{kind}:{device}" if isinstance(device, int) else device)
        if not target.startswith(kind):
            raise RuntimeError(f"Invalid device, must be {kind} device")
        return self._send(x, target, None, not non_blocking, **kwargs)

    def _send(
        self,
        x: Any,
        target: str,
        dtype: Any = None,
        blocking: bool = True,
        memory_format: Any = None,
        copy: bool = False,
    ) -> Any:
        """``x.to(target, ...)``, in the memory where x is."""
        options: dict[str, Any] = {"dtype": x.dtype if dtype is None else dtype}
        if memory_format is not None:
            options["memory_format"] = memory_format
        source = self.places.of(x)
        if not is_transfer(source, target):
            if target != source:
                options["device"] = target  # between the cpu and meta, which are both there
            return x.to(copy=copy, **options)
        with self._sending(target, blocking):
            result = x.to(copy=True, **options)
        self.places.mark(result, target)
        if target in HOSTS and not blocking:
            self.places.set_pinned(result, by_call=False)
        return result

    @contextlib.contextmanager
    def _sending(self, target: str, blocking: bool) -> Iterator[None]:
        outer, self.places.sending = self.places.sending, (target, blocking)
        try:
            yield
        finally:
            self.places.sending = outer

    def _pin_memory(self, x: Any, device: Any = None) -> Any:
        if self.places.pin(x) is not None:
            return x
        if self.places.of(x) not in HOSTS:
            raise RuntimeError(f"cannot pin a tensor on {self.places.of(x)}: only dense CPU tensors can be pinned")
        result = x.clone()
        self.places.set_pinned(result, by_call=True)
        return result

    def _make(self, func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
        """A factory, or another function that is told a device."""
        target = None if kwargs.get("device") is None else placed(kwargs["device"])
        options = dict(kwargs)
        if options.pop("pin_memory", False):
            made = func(*args, **options)
            self.places.set_pinned(made, by_call=False)
            return made
        if target is None or target in HOSTS:
            result = func(*args, **options)
            place = target
        elif getattr(func, "__name__", "") in _MADE_ON_CPU:
            if args and isinstance(args[0], torch.Tensor):
                is_copy = func.__name__ == "tensor"
                return self._send(args[0], target, options.get("dtype"), copy=is_copy)
            made = func(*args, **{**options, "device": "cpu"})
            with self._sending(target, True):
                result = made.detach().to(copy=True, dtype=made.dtype)
            result.requires_grad_(made.requires_grad)
            place = target
        else:
            options["device"] = "cpu"
            result = func(*args, **options)
            place = target
        for one in tensors_in(result):
            if place is not None and (place not in HOSTS or self.places.storages.find(one) is not None):
                self.places.mark(one, place)
        return result


@contextlib.contextmanager
def pretended_cuda() -> Iterator[None]:
    """Inside, torch.cuda says that there is a device; where there is one, nothing changes."""
    if torch.cuda.is_available():
        yield
        return
    answers: dict[str, Any] = {
        "is_available": lambda: True,
        "device_count": lambda: 1,
        "current_device": lambda: 0,
        "set_device": lambda device: None,
        "synchronize": lambda device=None: None,
        "empty_cache": lambda: None,
        "is_current_stream_capturing": lambda: False,
        "get_device_name": lambda device=None: "foretold",
        "memory_allocated": lambda device=None: 0,
        "max_memory_allocated": lambda device=None: 0,
    }
    before = {name: getattr(torch.cuda, name) for name in answers}
    for name, answer in answers.items():
        setattr(torch.cuda, name, answer)
    try:
        yield
    finally:
        for name, answer in before.items():
            setattr(torch.cuda, name, answer)
