# SPDX-License-Identifier: Apache-2.0
"""NumPy arrays of elements that tenstride has no type for, moved as they are.

Where an operation only moves elements, it may move their bytes: dates, text, structures, swapped bytes, long
doubles and the types of other packages. An element is as many words as its size and the array's places allow, along
one more axis, the last.
"""

from __future__ import annotations

import contextlib
from typing import Any

from . import _tenstride
from ._pattern import tokens_of
from ._tenstride import Tensor

#: What words of so many bytes are in NumPy's protocol: of 16 the two halves of a complex number.
_WORDS = {1: "=u1", 2: "=u2", 4: "=u4", 8: "=u8", 16: "=c16"}


class _Lent:
    """An array's memory as words, by NumPy's own protocol; the array lives as long."""

    def __init__(self, array: Any, interface: dict[str, Any]) -> None:
        self.array = array
        self.__array_interface__ = interface


class Items:
    """How some arrays of one dtype become tensors of words and back."""

    name = "NumPy"

    def __init__(self, arrays: list[Any], operation: str) -> None:
        self.dtype = arrays[0].dtype
        for array in arrays:
            if array.dtype != self.dtype:
                raise TypeError(f"{operation}: arrays must be of one dtype ({self.dtype}, {array.dtype})")
            if hasattr(array, "mask"):
                _tenstride._asarray(array, operation)  # refuses masks
        if self.dtype.hasobject:
            raise TypeError(
                f"{operation}: elements must have a fixed size, which Python objects have not ({self.dtype}); "
                "use .astype('float64') or another dtype first"
            )
        if self.dtype.itemsize == 0:
            raise TypeError(f"{operation}: elements must have bytes ({self.dtype})")
        self.word = min(_word(array) for array in arrays)
        #: How many axes a tensor of words has more than the array.
        self.axes = 0 if self.word == self.dtype.itemsize else 1

    def take(self, given: Any) -> Tensor:
        array = as_numpy(given)
        more = (self.dtype.itemsize // self.word,) * self.axes
        return _tenstride.asarray(
            _Lent(
                array,
                {
                    "version": 3,
                    "typestr": _WORDS[self.word],
                    "shape": array.shape + more,
                    "strides": array.strides + (self.word,) * self.axes,
                    "data": array.__array_interface__["data"],
                },
            ),
            device="cpu",
        )

    def give(self, tensor: Tensor) -> Any:
        array = tensor.numpy().view(self.dtype)
        return array[..., 0] if self.axes else array

    def pattern(self, given: str) -> str:
        """The pattern with an axis for the words of an element, behind all others on each side."""
        if not self.axes:
            return given
        taken = set(tokens_of(given))
        axis = next(name for name in ("word", *(f"word{n}" for n in range(len(taken)))) if name not in taken)
        return " -> ".join(f"{side} {axis}" for side in given.split("->"))

    def dim(self, given: int) -> int:
        """An axis of the array, in the tensor of words."""
        return given - self.axes if given < 0 else given


class _Described:
    """An object with the memory that it describes, which is asked for once: it may be made for that."""

    def __init__(self, owner: Any, interface: dict[str, Any]):
        self._owner = owner
        self.__array_interface__ = interface


def as_numpy(given: Any) -> Any:
    import numpy

    interface = None if isinstance(given, numpy.ndarray) else getattr(given, "__array_interface__", None)
    if not isinstance(interface, dict):
        return numpy.asanyarray(given)
    described = _Described(given, interface)
    with contextlib.suppress(TypeError):  # elements of other types may be moved
        _tenstride._import(described)  # refuses memory that is not there, in which NumPy believes
    return numpy.asanyarray(described)


def are_items(array: Any) -> bool:
    """Whether tenstride has no type for the elements of a NumPy array, or they lie where it has none."""
    dtype = array.dtype
    is_known = isinstance(getattr(_tenstride, dtype.name, None), _tenstride.dtype)
    if dtype.kind not in "biufc" or not dtype.isnative or not is_known:
        return True
    return not array.flags.aligned or any(stride % dtype.itemsize for stride in array.strides)


def _word(array: Any) -> int:
    """The widest word that the size of an element, the strides and the address are multiples of."""
    places = [array.dtype.itemsize, array.__array_interface__["data"][0], *array.strides]
    return next(word for word in (16, 8, 4, 2, 1) if not any(place % word for place in places))
