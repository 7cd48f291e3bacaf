# SPDX-License-Identifier: Apache-2.0
"""Data types, how they meet, and what the namespace says about itself."""

from __future__ import annotations

import builtins
import functools
import struct
from dataclasses import dataclass
from typing import Any

from .. import _tenstride
from .._tenstride import Tensor

bool = _tenstride.bool
int8 = _tenstride.int8
int16 = _tenstride.int16
int32 = _tenstride.int32
int64 = _tenstride.int64
uint8 = _tenstride.uint8
uint16 = _tenstride.uint16
uint32 = _tenstride.uint32
uint64 = _tenstride.uint64
float32 = _tenstride.float32
float64 = _tenstride.float64
complex64 = _tenstride.complex64
complex128 = _tenstride.complex128

e = 2.718281828459045
inf = float("inf")
nan = float("nan")
newaxis = None
pi = 3.141592653589793

SIGNED = (int8, int16, int32, int64)
UNSIGNED = (uint8, uint16, uint32, uint64)
REAL = (float32, float64)
COMPLEX = (complex64, complex128)

KINDS = {
    "bool": (bool,),
    "signed integer": SIGNED,
    "unsigned integer": UNSIGNED,
    "integral": SIGNED + UNSIGNED,
    "real floating": REAL,
    "complex floating": COMPLEX,
    "numeric": SIGNED + UNSIGNED + REAL + COMPLEX,
}
NAMES = {
    "bool": bool,
    **{f"int{8 << n}": SIGNED[n] for n in range(4)},
    **{f"uint{8 << n}": UNSIGNED[n] for n in range(4)},
    "float32": float32,
    "float64": float64,
    "complex64": complex64,
    "complex128": complex128,
}

# What functions take, in the standard's words; KINDS and these.
CATEGORIES = {
    **KINDS,
    "real numeric": SIGNED + UNSIGNED + REAL,
    "floating-point": REAL + COMPLEX,
    "integer or boolean": (bool, *SIGNED, *UNSIGNED),
}
_python_bool = builtins.bool


def checked(operation: str, x: Any, category: str | None = None) -> Tensor:
    """The array itself; TypeError for what is none, or has elements of no type of the category."""
    if not isinstance(x, Tensor):
        raise TypeError(f"{operation}: an array must be given, not {type(x).__name__}")
    if category is not None and x.dtype not in CATEGORIES[category]:
        raise TypeError(f"{operation}: the dtype must be {category} ({x.dtype} is given)")
    return x


@functools.cache
def promoted(a: Any, b: Any) -> Any:
    """The type in which two meet by the standard's table; TypeError where it has none."""
    if a is b:
        return a
    for kinds in (SIGNED, UNSIGNED):
        if a in kinds and b in kinds:
            return kinds[max(kinds.index(a), kinds.index(b))]
    if (a in UNSIGNED and b in SIGNED) or (a in SIGNED and b in UNSIGNED):
        unsigned, signed = (a, b) if a in UNSIGNED else (b, a)
        place = max(UNSIGNED.index(unsigned) + 1, SIGNED.index(signed))
        if place < len(SIGNED):
            return SIGNED[place]
    floating = REAL + COMPLEX
    if a in floating and b in floating:
        is_wide = float64 in (a, b) or complex128 in (a, b)
        return (COMPLEX if a in COMPLEX or b in COMPLEX else REAL)[is_wide]
    raise TypeError(f"result_type: {a} and {b} have no common type; convert one by astype")


def with_number(dtype: Any, number: Any) -> Any:
    """The type in which an array's elements meet a Python number."""
    if isinstance(number, _python_bool):
        fits = dtype is bool
    elif isinstance(number, int):
        fits = dtype in KINDS["numeric"]
    elif isinstance(number, float):
        fits = dtype in REAL + COMPLEX
    elif isinstance(number, complex):
        if dtype in REAL:
            return COMPLEX[REAL.index(dtype)]
        fits = dtype in COMPLEX
    else:
        raise TypeError(f"result_type: an array, a dtype or a number must be given, not {number!r}")
    if not fits:
        raise TypeError(f"result_type: {dtype} and the Python number {number!r} have no common type")
    return dtype


def result_type(*arrays_and_dtypes: Any) -> Any:
    """The dtype in which arrays, dtypes and Python numbers meet; a number counts by its kind alone.

    TypeError where the standard has none: kinds of types do not mix (int32 with float32), nor uint64 with a
    signed type. A real array with a complex number is complex.

    >>> xp.result_type(xp.uint8, xp.int8), xp.result_type(xp.float32, 1)
    (torch.int16, torch.float32)
    """
    dtypes, numbers = [], []
    for given in arrays_and_dtypes:
        if isinstance(given, Tensor):
            dtypes.append(given.dtype)
        elif isinstance(given, _tenstride.dtype):
            dtypes.append(given)
        else:
            numbers.append(given)
    if not dtypes:
        raise ValueError("result_type: at least one array or dtype must be given")
    return functools.reduce(with_number, numbers, functools.reduce(promoted, dtypes))


def can_cast(from_: Any, to: Any, /) -> _python_bool:
    """Whether elements of the one type become the other where the two meet: whether nothing is lost.

    >>> xp.can_cast(xp.int8, xp.int16), xp.can_cast(xp.int16, xp.int8)
    (True, False)
    """
    try:
        return promoted(from_.dtype if isinstance(from_, Tensor) else from_, to) is to
    except TypeError:
        return False


def isdtype(dtype: Any, kind: Any) -> _python_bool:
    """Whether a dtype is of a kind: a dtype, "bool", "signed integer", "unsigned integer", "integral",
    "real floating", "complex floating", "numeric", or one of a tuple of these.

    >>> xp.isdtype(xp.int8, "integral"), xp.isdtype(xp.int8, (xp.bool, "real floating"))
    (True, False)
    """
    if isinstance(kind, tuple):
        return any(isdtype(dtype, entry) for entry in kind)
    if isinstance(kind, str):
        if kind not in KINDS:
            raise ValueError(f"isdtype: kind {kind!r} must be one of {', '.join(KINDS)}")
        return dtype in KINDS[kind]
    if isinstance(kind, _tenstride.dtype):
        return dtype is kind
    raise TypeError(f"isdtype: kind must be a str, a dtype or a tuple of these, not {kind!r}")


def astype(x: Tensor, dtype: Any, /, *, copy: _python_bool = True, device: Any = None) -> Tensor:
    """The elements converted; with `copy=False` the very array where the type is right already.

    Complex numbers become real only by `real` and `imag` (TypeError).

    >>> xp.astype(xp.asarray([1.5, 2.5]), xp.int32)
    tensor([1, 2], dtype=torch.int32)
    """
    checked("astype", x)
    if x.dtype in COMPLEX and dtype not in COMPLEX and dtype is not bool:
        raise TypeError(f"astype: {x.dtype} must be made real by real(x) or imag(x) first ({dtype} is asked for)")
    return x.to(dtype=dtype, copy=copy, device=device)


@dataclass(frozen=True)
class FloatInfo:
    """What `finfo` tells; the numbers are Python's floats."""

    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: Any


@dataclass(frozen=True)
class IntegerInfo:
    """What `iinfo` tells."""

    bits: int
    max: int
    min: int
    dtype: Any


def _dtype_of(type: Any) -> Any:
    return type.dtype if isinstance(type, Tensor) else type


def finfo(type: Any, /) -> FloatInfo:
    """The limits of a floating type (of a complex one: of its parts), given itself or by an array.

    >>> xp.finfo(xp.float32).eps
    1.1920928955078125e-07
    """
    dtype = _dtype_of(type)
    if dtype in (float32, complex64):
        largest = struct.unpack("<f", b"\xff\xff\x7f\x7f")[0]
        return FloatInfo(32, 2.0**-23, largest, -largest, 2.0**-126, float32)
    if dtype in (float64, complex128):
        largest = struct.unpack("<d", b"\xff\xff\xff\xff\xff\xff\xef\x7f")[0]
        return FloatInfo(64, 2.0**-52, largest, -largest, 2.0**-1022, float64)
    raise TypeError(f"finfo: the dtype must be floating-point ({dtype} is given)")


def iinfo(type: Any, /) -> IntegerInfo:
    """The limits of an integer type, given itself or by an array.

    >>> xp.iinfo(xp.uint8).max
    255
    """
    dtype = _dtype_of(type)
    if dtype in SIGNED:
        bits = 8 << SIGNED.index(dtype)
        return IntegerInfo(bits, 2 ** (bits - 1) - 1, -(2 ** (bits - 1)), dtype)
    if dtype in UNSIGNED:
        bits = 8 << UNSIGNED.index(dtype)
        return IntegerInfo(bits, 2**bits - 1, 0, dtype)
    raise TypeError(f"iinfo: the dtype must be an integer's ({dtype} is given)")


def default_dtypes() -> dict[str, Any]:
    """The types of what is made without one, as `set_default_dtype` has them."""
    real = _tenstride.get_default_dtype()
    whole = complex128 if real == float64 else complex64
    return {"real floating": real, "complex floating": whole, "integral": int64, "indexing": int64}


class NamespaceInfo:
    """What the namespace can do, by the standard's inspection functions."""

    def capabilities(self) -> dict[str, Any]:
        """What is optional and there.

        >>> xp.__array_namespace_info__().capabilities()["max dimensions"]
        64
        """
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}

    def default_device(self) -> Any:
        """Where arrays are made by default.

        >>> xp.__array_namespace_info__().default_device()
        device(type='cpu')
        """
        return _tenstride.device("cpu")

    def devices(self) -> list[Any]:
        """Where arrays can be: `cpu`, and `meta`, which has shapes and no elements.

        >>> len(xp.__array_namespace_info__().devices())
        2
        """
        return [_tenstride.device("cpu"), _tenstride.device("meta")]

    def default_dtypes(self, *, device: Any = None) -> dict[str, Any]:
        """The types of what is made without one.

        >>> xp.__array_namespace_info__().default_dtypes()["real floating"]
        torch.float32
        """
        return default_dtypes()

    def dtypes(self, *, device: Any = None, kind: Any = None) -> dict[str, Any]:
        """The standard's types by name; only those of a kind, as `isdtype` takes it, where one is given.

        >>> list(xp.__array_namespace_info__().dtypes(kind="real floating"))
        ['float32', 'float64']
        """
        return {name: dtype for name, dtype in NAMES.items() if kind is None or isdtype(dtype, kind)}


def __array_namespace_info__() -> NamespaceInfo:
    """What the namespace can do: devices, dtypes, capabilities.

    >>> xp.__array_namespace_info__().default_dtypes()["integral"]
    torch.int64
    """
    return NamespaceInfo()
