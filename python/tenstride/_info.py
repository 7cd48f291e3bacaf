# SPDX-License-Identifier: Apache-2.0
"""The limits of element types, as PyTorch's `finfo` and `iinfo` tell them."""

from __future__ import annotations

import reprlib
from typing import Any, NoReturn

from . import _tenstride

# Bits, digits behind the point, exponents of the largest and the smallest normal number, decimal digits.
_FLOATS = {
    "float8_e4m3fn": (8, 3, 8, -6, 0),
    "float8_e5m2": (8, 2, 15, -14, 0),
    "float16": (16, 10, 15, -14, 3),
    "bfloat16": (16, 7, 127, -126, 2),
    "float32": (32, 23, 127, -126, 6),
    "float64": (64, 52, 1023, -1022, 15),
}
_INTS = {
    "uint8": (8, False),
    "uint16": (16, False),
    "uint32": (32, False),
    "uint64": (64, False),
    "int8": (8, True),
    "int16": (16, True),
    "int32": (32, True),
    "int64": (64, True),
}
_PARTS = {"complex32": "float16", "complex64": "float32", "complex128": "float64"}
_PYTHON = {bool: "bool", int: "int64", float: "float64", complex: "complex128"}


def _name_of(operation: str, type: Any) -> str:
    if isinstance(type, _tenstride.dtype):
        return str(type).rpartition(".")[2]
    # As a hash would have it, a list is no key.
    name = next((name for python, name in _PYTHON.items() if type is python), None)
    if name is None:
        raise TypeError(f"{operation}: type must be a dtype, e.g. torch.float32 ({reprlib.repr(type)})")
    return name


class _Info:
    """Two are equal where they tell of the same type; nothing of them can be changed."""

    __slots__ = {
        "bits": "Bits of a number.",
        "dtype": "The type's name.",
        "max": "The largest number.",
        "min": "The smallest number.",
    }
    bits: int
    dtype: str

    def _set(self, **values: Any) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        raise AttributeError(f"{type(self).__name__}: {name} cannot be set")

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.dtype == getattr(other, "dtype", None)

    __hash__ = None  # type: ignore[assignment]


class finfo(_Info):
    """The limits of a floating type, or of the parts of a complex one; of the default type where none is given.

    `bits`, `eps` (from 1 to the next number), `max`, `min`, `tiny` and `smallest_normal`, `resolution` and the name
    `dtype`. TypeError for other types.

    >>> torch.finfo(torch.float16).max
    65504.0
    >>> torch.finfo(torch.complex64).dtype
    'float32'
    """

    __slots__ = {
        "eps": "The distance from 1 to the next number.",
        "resolution": "The power of ten of the digits that are always right.",
        "smallest_normal": "The smallest positive number with all digits.",
        "tiny": "Another name of `smallest_normal`.",
    }
    max: float
    min: float
    eps: float
    resolution: float
    smallest_normal: float
    tiny: float

    def __init__(self, type: Any = None) -> None:
        name = _name_of("finfo", _tenstride.get_default_dtype() if type is None else type)
        name = _PARTS.get(name, name)
        if name not in _FLOATS:
            raise TypeError(f"finfo: type must be a floating or complex dtype ({name}); iinfo tells of integers")
        bits, digits, highest, lowest, decimals = _FLOATS[name]
        # The last code of float8_e4m3fn is NaN.
        gap = 2.0 ** (1 - digits) if name == "float8_e4m3fn" else 2.0**-digits
        largest = (2.0 - gap) * 2.0**highest
        smallest = 2.0**lowest
        self._set(
            bits=bits, dtype=name, max=largest, min=-largest, eps=2.0**-digits, resolution=float(f"1e-{decimals}")
        )
        self._set(smallest_normal=smallest, tiny=smallest)

    def __repr__(self) -> str:
        names = ("resolution", "min", "max", "eps", "smallest_normal", "tiny")
        values = ", ".join(f"{name}={getattr(self, name):g}" for name in names)
        return f"finfo({values}, dtype={self.dtype})"


class iinfo(_Info):
    """The limits of an integer type: `bits`, `max`, `min` and the name `dtype`. TypeError for other types.

    >>> torch.iinfo(torch.int16).max
    32767
    >>> torch.iinfo(torch.uint8)
    iinfo(min=0, max=255, dtype=uint8)
    """

    __slots__ = ()
    max: int
    min: int

    def __init__(self, type: Any) -> None:
        name = _name_of("iinfo", type)
        if name not in _INTS:
            raise TypeError(f"iinfo: type must be an integer dtype ({name}); finfo tells of floating ones")
        bits, has_sign = _INTS[name]
        largest = 2 ** (bits - 1) - 1 if has_sign else 2**bits - 1
        self._set(bits=bits, dtype=name, max=largest, min=-largest - 1 if has_sign else 0)

    def __repr__(self) -> str:
        return f"iinfo(min={self.min:g}, max={self.max:g}, dtype={self.dtype})"
