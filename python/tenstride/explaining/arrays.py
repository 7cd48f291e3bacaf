# SPDX-License-Identifier: Apache-2.0
"""`numpy.ndarray` for the code under study: NumPy's own arrays, watched. What shares memory is a view."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any, Callable

from .._tenstride import CopyLedger
from ..audit.torch_names import words
from .array_reasons import describe, moved, reason_of, refusal, scramble
from .calls import TracedTensor
from .recorder import Recorder
from .steps import Origin
from .traced import Memory, Traced, deep, found, recorder


class Array(Traced):
    """An array whose calls are recorded. `held` is NumPy's."""

    def __init__(self, held: Any, memory: Memory, origin: Origin | None = None) -> None:
        self.__dict__.update(held=held, memory=memory, origin=origin, is_tensor=False)

    def __getattr__(self, name: str) -> Any:
        value = getattr(self.__dict__["held"], name)
        if name == "base":
            return None if value is None else Array(value, self.memory)
        if callable(value):
            return lambda *args, **named: call(name, getattr(type(self.held), name), (self, *args), named)
        if _is_array(value):
            return call(name, lambda array: getattr(array, name), (self,), {})
        return value

    def __setattr__(self, name: str, value: Any) -> None:
        if name in ("held", "memory", "origin", "is_tensor"):
            self.__dict__[name] = value
        else:
            call(name, lambda array, given: _set(array, name, given), (self, value), {})

    def __setitem__(self, key: Any, value: Any) -> None:
        call("setitem", _set_item, (self, key, value), {})

    def __iter__(self) -> Iterator[Any]:
        if not self.held.shape:
            raise TypeError("iteration over a 0-d array")
        return (self[i] for i in range(len(self.held)))

    def __contains__(self, value: Any) -> bool:
        return deep(value, _held) in self.held

    def __format__(self, spec: str) -> str:
        return format(self.held, spec)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return self.held if dtype is None else self.held.astype(dtype)


def _asked(function: Callable[[Any], Any]) -> Callable[[Array], Any]:
    return lambda self: function(self.held)


for _function in (len, bool, int, float, repr, str, hash, operator.index):
    setattr(Array, f"__{_function.__name__}__", _asked(_function))


def _operator(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def method(self: Array, *args: Any) -> Any:
        return call(name, function, (self, *args), {})

    return method


def _reflected(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda array, other: function(other, array)


for _name in words("add sub mul truediv floordiv mod pow matmul and_ or_ xor lshift rshift"):
    _plain = _name.rstrip("_")
    _function = getattr(operator, _name)
    setattr(Array, f"__{_plain}__", _operator(_plain, _function))
    setattr(Array, f"__r{_plain}__", _operator(_plain, _reflected(_function)))
    setattr(Array, f"__i{_plain}__", _operator(f"i{_plain}", getattr(operator, f"i{_plain}")))
for _name in words("eq ne lt le gt ge neg pos invert abs getitem"):
    setattr(Array, f"__{_name}__", _operator(_name, getattr(operator, _name)))


def call(name: str, function: Callable[..., Any], args: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """What a function of NumPy gives for watched arrays. Each array of its result is a step."""
    run = recorder()
    args, named = deep(args, _as_array), deep(named, _as_array)
    inputs = [thing for thing in found((args, named)) if isinstance(thing, Array)]
    try:
        with CopyLedger() as ledger:  # einops' verbs are tenstride's own
            result = function(*deep(args, _held), **deep(named, _held))
    except (ValueError, IndexError, TypeError, AttributeError, MemoryError) as error:
        if not run.is_muted:
            run.refuse("numpy", error, *refusal(error, name, inputs, args))
        raise
    reasons = [entry["reason"] for entry in ledger.entries if entry["kind"] == "copy"]
    return _wrap(run, result, name, inputs, args, named, reasons[0] if reasons else None)


def _wrap(
    run: Recorder,
    value: Any,
    name: str,
    inputs: list[Array],
    args: tuple[Any, ...],
    named: dict[str, Any],
    listed: str | None,
) -> Any:
    if type(value) in (list, tuple):
        return type(value)(_wrap(run, part, name, inputs, args, named, listed) for part in value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(_wrap(run, part, name, inputs, args, named, listed) for part in value))
    if not _is_array(value):
        return value
    same = next((one for one in inputs if one.held is value), None)
    source = same if same is not None else next((one for one in inputs if _shares(one.held, value)), None)
    array = same if same is not None else Array(value, source.memory if source is not None else Memory())
    if run.is_muted:
        return array
    place = run.place()
    kind = "self" if same is not None and not same.is_tensor else "view" if source is not None else "new"
    array.is_tensor = False
    before = source if source is not None else inputs[0] if inputs else None
    reason = reason_of(name, before, value, args, named) if kind == "new" and before is not None else None
    if listed is not None and kind == "new":
        reason = listed, None
    if reason is not None:
        kind = "copy"
    step = run.step("numpy", kind, place)
    layout = describe(step, value)
    parent = array.origin if same is not None else source.origin if source is not None else None
    if same is None or parent is None or parent.layout != layout:
        array.origin = Origin(step, layout, parent)
    step.bytes_allocated = value.nbytes if kind in ("new", "copy") else 0
    if kind == "copy":
        step.reason, step.cause = reason
    step.bytes_moved, step.bytes_written = moved(kind, name, before, value, args)
    if not place.as_meant and name in ("reshape", "resize", "shape") and before is not None:
        step.scramble = scramble(before, value, named)
    return array


def of_tensor(tensor: TracedTensor) -> Array:
    """What `tensor.numpy()` gives: a view of its memory."""
    run = recorder()
    if tensor.held.is_meta:
        import numpy

        reach = sum((size - 1) * step for size, step in zip(tensor.held.shape, tensor.held.stride()) if size)
        name = str(tensor.held.dtype).rpartition(".")[2]
        whole = numpy.zeros(reach + 1, "float32" if name == "bfloat16" else name)
        strides = tuple(step * whole.itemsize for step in tensor.held.stride())
        held = numpy.lib.stride_tricks.as_strided(whole, tuple(tensor.held.shape), strides)
        run.remark("its elements are not known: the array has zeros")
    else:
        held = tensor.held.numpy()
    array = Array(held, tensor.memory, tensor.origin)
    if run.is_muted:
        return array
    step = run.step("numpy", "view")
    layout = describe(step, held)
    array.origin = Origin(step, layout, tensor.origin)
    return array


def _as_array(thing: Any) -> Any:
    """A tensor that is handed to NumPy, as an array that shares its memory."""
    if not isinstance(thing, TracedTensor):
        return thing
    with recorder().muted():
        array = of_tensor(thing)
    array.is_tensor = True
    return array


def _held(thing: Any) -> Any:
    return thing.held


def _is_array(value: Any) -> bool:
    import numpy

    return isinstance(value, numpy.ndarray)


def _shares(a: Any, b: Any) -> bool:
    import numpy

    return numpy.may_share_memory(a, b)


def _set(array: Any, name: str, value: Any) -> Any:
    setattr(array, name, value)
    return array


def _set_item(array: Any, key: Any, value: Any) -> Any:
    array[key] = value
    return array
