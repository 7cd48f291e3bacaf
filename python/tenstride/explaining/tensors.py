# SPDX-License-Identifier: Apache-2.0
"""`torch.Tensor` for the code under study: tenstride's methods, and shape rules for what tenstride does not compute."""

from __future__ import annotations

import builtins
import difflib
import math
from collections.abc import Iterator
from typing import Any, Callable

from .. import _tenstride
from ..audit.torch_names import words
from . import shape_rules
from .calls import MAX_ELEMENTS, TracedTensor, call, numbers, without_elements, written
from .traced import Memory, deep, found, recorder

_DEVICES = ("cpu", "cuda", "mps", "xpu", "hpu", "xla", "npu")
_QUIET = ("generator", "layout", "non_blocking", "pin_memory")  # arguments without a bearing on layouts
_LIKE_TO = frozenset(("float", "double", "half", "bfloat16", "int", "long", "short", "char", "byte", "bool"))


class Tensor(TracedTensor):
    """A tensor whose calls are recorded. A rule is shown one that is the `shadow_of` a tensor, without elements."""

    shadow_of: Tensor | None = None

    def __new__(cls, *args: Any, **named: Any) -> Any:
        """`torch.Tensor(2, 3)`; the package makes its own through `make`."""
        if args and isinstance(args[0], _tenstride.Tensor):
            return super().__new__(cls)
        return run(_tenstride.Tensor, args, named)

    def __init__(self, held: Any = None, memory: Memory | None = None, *_: Any, **__: Any) -> None:
        if isinstance(held, _tenstride.Tensor):
            super().__init__(held, memory or Memory(not held.is_meta))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        if hasattr(_tenstride.Tensor, name):
            attribute = getattr(_tenstride.Tensor, name)
            if callable(attribute):
                return lambda *args, **named: run(attribute, (self, *(() if name in _LIKE_TO else args)), named)
            value = getattr(self.held, name)
            return run(lambda tensor: getattr(tensor, name), (self,), {}) if _is_tensor(value) else value
        rule = shape_rules.METHODS.get(name)
        if rule is not None:
            return lambda *args, **named: by_rule(rule, (self, *args), named)
        if name.endswith("_") and name[:-1] in shape_rules.METHODS:
            return lambda *args, **named: in_place(shape_rules.METHODS[name[:-1]], self, args, named)
        return unknown("'Tensor' object", name, [*dir(_tenstride.Tensor), *shape_rules.METHODS])

    # What autograd and devices are asked for has no bearing on layouts.
    grad = None
    grad_fn = None
    is_leaf = True

    @property
    def device(self) -> Any:
        return _tenstride.device("cpu")

    @property
    def data(self) -> Tensor:
        return run(lambda tensor: tensor.data, (self,), {})

    @data.setter
    def data(self, value: Tensor) -> None:
        self._held, self._memory, self.origin = value.held, value.memory, value.origin

    @property
    def requires_grad(self) -> builtins.bool:
        return self.asks_for_grad

    @requires_grad.setter
    def requires_grad(self, value: builtins.bool) -> None:
        self.asks_for_grad = builtins.bool(value)

    def requires_grad_(self, requires_grad: builtins.bool = True) -> Tensor:
        self.asks_for_grad = requires_grad
        return self

    def retain_grad(self) -> None:
        """Nothing: there are no gradients."""

    def register_hook(self, hook: Callable[..., Any]) -> None:
        recorder().remark("hooks are not called: explain computes no gradients")

    def backward(self, *args: Any, **named: Any) -> None:
        recorder().remark("backward() is left out: explain computes no gradients; the layouts of the forward pass stay")

    def cuda(self, *args: Any, **named: Any) -> Tensor:
        return _stays(self, "cuda")

    def cpu(self, *args: Any, **named: Any) -> Tensor:
        return self

    def to(self, *args: Any, **named: Any) -> Tensor:
        kept = tuple(arg for arg in args if not _is_device(arg) and not isinstance(arg, builtins.bool))
        asked = next((arg for arg in (*args, named.pop("device", None)) if _is_device(arg)), None)
        named = {name: value for name, value in named.items() if name not in _QUIET}
        if asked is not None and _name_of(asked) != "cpu":
            _stays(self, _name_of(asked))
        if kept and isinstance(kept[0], Tensor):
            kept = (kept[0].dtype, *kept[1:])
        return run(_tenstride.Tensor.to, (self, *kept), named) if kept or named else self

    def type(self, dtype: Any = None, **_: Any) -> Any:
        if dtype is None:
            return self.held.type()
        return run(_tenstride.Tensor.to, (self, getattr(dtype, "dtype", dtype)), {})

    def type_as(self, other: Tensor) -> Tensor:
        return run(_tenstride.Tensor.to, (self, other.dtype), {})

    def new_tensor(self, data: Any, dtype: Any = None, **named: Any) -> Tensor:
        return run(_tenstride.tensor, (data,), {"dtype": dtype or self.dtype, **named})

    def numpy(self, **_: Any) -> Any:
        from .arrays import of_tensor

        return of_tensor(self)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return self.numpy().held

    def apply_(self, function: Callable[..., Any]) -> Tensor:
        self.memory.has_elements = False
        return self

    def item(self) -> Any:
        if self.held.is_meta and self.held.is_floating_point() and recorder().place().name not in recorder().declared:
            recorder().remark(f"{recorder().place().code} is not computed: taken for nan")
            return float("nan")
        return quietly(_tenstride.Tensor.item, self)

    def __getitem__(self, key: Any) -> Tensor:
        return run(_tenstride.Tensor.__getitem__, (self, _as_index(key)), {})

    def __setitem__(self, key: Any, value: Any) -> None:
        written(_tenstride.Tensor.__setitem__, self, (_as_index(key), value), make)

    def __iter__(self) -> Iterator[Tensor]:
        if not self.shape:
            raise TypeError("iteration over a 0-d tensor")
        return (self[i] for i in range(len(self)))

    def __len__(self) -> builtins.int:
        return len(self.held)

    def __bool__(self) -> builtins.bool:
        return builtins.bool(quietly(_tenstride.Tensor.__bool__, self))

    def __int__(self) -> builtins.int:
        return builtins.int(quietly(_tenstride.Tensor.__int__, self))

    def __float__(self) -> builtins.float:
        return builtins.float(self.item())

    def __index__(self) -> builtins.int:
        return builtins.int(quietly(_tenstride.Tensor.__index__, self))

    def __contains__(self, value: Any) -> builtins.bool:
        return builtins.bool(quietly(lambda tensor: value in tensor, self))

    def __repr__(self) -> str:
        if self.held.is_meta:
            return repr(self.held).replace("device='meta', ", "")
        return repr(self.held)

    def __format__(self, spec: str) -> str:
        return repr(self) if self.held.is_meta or not spec else format(self.held, spec)

    def __matmul__(self, other: Any) -> Any:
        return by_rule(shape_rules.METHODS["matmul"], (self, other), {})

    def __rmatmul__(self, other: Any) -> Any:
        return by_rule(shape_rules.METHODS["matmul"], (other, self), {})

    def __hash__(self) -> builtins.int:
        return id(self)

    def __deepcopy__(self, memo: Any) -> Tensor:
        return self.clone()


def _operator(name: str) -> Callable[..., Any]:
    function = getattr(_tenstride.Tensor, name)

    def method(self: Tensor, *args: Any) -> Any:
        return run(function, (self, *args), {})

    method.__name__ = name
    return method


for _name in words(
    "add sub mul truediv floordiv mod pow and or xor radd rsub rmul rtruediv rfloordiv rmod rpow rand ror rxor iadd "
    "isub imul itruediv ifloordiv imod ipow iand ior ixor eq ne lt le gt ge neg pos invert abs"
):
    setattr(Tensor, f"__{_name}__", _operator(f"__{_name}__"))


def make(held: _tenstride.Tensor, memory: Memory) -> Tensor:
    """A traced tensor around one of tenstride's."""
    return Tensor(held, memory)


def run(function: Callable[..., Any], args: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """A function of tenstride on traced tensors, without what has no bearing on layouts (devices, autograd)."""
    wants_grad = named.pop("requires_grad", False)
    device = named.pop("device", None)
    for name in _QUIET:
        named.pop(name, None)
    if device is not None and _name_of(device) not in ("cpu", "meta"):
        _stays(None, _name_of(device))
    elif device is not None and _name_of(device) == "meta":
        named["device"] = device
    if math.prod(numbers((args, list(named.values())))) > MAX_ELEMENTS and _is_large(function, args, named):
        named["device"] = "meta"
    result = call(function, args, named, make)
    if wants_grad and isinstance(result, Tensor):
        result.asks_for_grad = True
    return result


def _is_large(function: Callable[..., Any], args: tuple[Any, ...], named: dict[str, Any]) -> builtins.bool:
    """Whether a factory makes a tensor that is too large for elements."""
    if found((args, named)):
        return False
    try:
        return function(*args, **{**named, "device": "meta"}).numel() > MAX_ELEMENTS
    except (RuntimeError, TypeError, ValueError):
        return False  # the call itself tells


def by_rule(rule: Callable[..., Any], args: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """What an operation gives by its rule of shapes: tensors without elements, or the very tensor that it was given."""
    named = {name: value for name, value in named.items() if name not in (*_QUIET, "device", "requires_grad")}
    result = call(rule, tuple(deep(arg, _meta) for arg in args), deep(named, _meta), make)
    if isinstance(result, Tensor) and result.shadow_of is not None:
        return result.shadow_of
    return result


def _meta(tensor: Any) -> Any:
    """The traced tensor with a layout alone, for a rule to look at."""
    if not isinstance(tensor, Tensor) or tensor.held.is_meta:
        return tensor
    shadow = Tensor(without_elements(tensor.held), Memory(False))
    shadow.origin, shadow.shadow_of = tensor.origin, tensor
    return shadow


def in_place(rule: Callable[..., Any], tensor: Tensor, args: tuple[Any, ...], named: dict[str, Any]) -> Tensor:
    """An operation with an underscore: the tensor's elements change, nobody knows to what."""
    with recorder().muted():
        by_rule(rule, (tensor, *args), named)
    tensor.memory.has_elements = False
    return run(lambda held: held, (tensor,), {})


def quietly(function: Callable[..., Any], tensor: Tensor) -> Any:
    """A question about elements: no step where it is answered."""
    return call(function, (tensor,), {}, make)


def _as_index(key: Any) -> Any:
    from .arrays import Array

    for part in key if isinstance(key, tuple) else (key,):
        if isinstance(part, slice) and isinstance(part.step, builtins.int) and part.step <= 0:
            error = ValueError("step must be greater than zero")
            recorder().refuse(
                "torch", error, f"ValueError: {error}\n  PyTorch has no negative strides; .flip(0) copies"
            )
            raise error

    return deep(key, lambda part: run(_tenstride.asarray, (part.held,), {}) if isinstance(part, Array) else part)


def _stays(tensor: Any, device: str) -> Any:
    recorder().remark(
        f"no device {device} is used: the elements stay where they are, and the layouts are the same there"
    )
    return tensor


def _is_device(value: Any) -> builtins.bool:
    if isinstance(value, str):
        return value.partition(":")[0] in _DEVICES
    return isinstance(value, _tenstride.device) or (type(value) is builtins.int and 0 <= value < 64)


def _name_of(device: Any) -> str:
    return "cuda" if isinstance(device, builtins.int) else str(device).partition(":")[0]


def _is_tensor(value: Any) -> builtins.bool:
    return isinstance(value, _tenstride.Tensor)


def unknown(owner: str, name: str, known: list[str]) -> Any:
    """What stands for an attribute that explain does not have: a function that gives what `--let` declares."""
    run_under_way = recorder()
    if run_under_way.place().name in run_under_way.declared:
        return lambda *args, **named: run_under_way.declared[run_under_way.place().name]
    close = difflib.get_close_matches(name, [one for one in known if not one.startswith("_")], 1, 0.8)
    meant = f" (did you mean {close[0]}?)" if close else ""
    raise AttributeError(
        f"{owner} has no attribute '{name}'{meant}; if PyTorch has it, explain has no rule of shapes for it: "
        "--real runs the code with PyTorch, or assign what it gives to a name, and --let NAME=2x3x4 says its sizes"
    )
