# SPDX-License-Identifier: Apache-2.0
"""NumPy's arrays of numbers, lists of numbers and buffers, as tensors."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from typing import Any

from . import _tenstride
from ._info import iinfo
from ._tenstride import Tensor

_NUMBERS = (bool, int, float, complex)
# The types that NumPy gives to Python's numbers, from the lowest on.
_ORDER = (_tenstride.bool, _tenstride.int64, _tenstride.float64, _tenstride.complex128)


def is_of_lists(given: Any) -> bool:
    """Whether it is a number, a list or another sequence, and no array and no text."""
    if isinstance(given, (*_NUMBERS, list, tuple)):
        return not hasattr(given, "dtype")  # as NumPy's numbers have
    return isinstance(given, Sequence) and not isinstance(given, (str, bytes, bytearray, memoryview, array))


def from_lists(given: Any, wanted: Any = None) -> Tensor:
    """A tensor of numbers and lists of them, by NumPy's rules: int64, float64 and complex128 unless `wanted` is given.

    ValueError for uneven lists and NaN among integers, OverflowError for integers that do not fit, TypeError for
    complex numbers among real ones and for arrays of different types.
    """
    found = set(_types(given, {}))
    try:
        natural = _tenstride.tensor(given, dtype=_common(found) if found else _tenstride.float64, device="cpu")
    except TypeError as error:  # a number where the others are lists: all items are known to be numbers
        raise ValueError(str(error)) from None
    if wanted is None or natural.numel() == 0:
        return natural if wanted is None else natural.to(wanted)
    kept = _tenstride.empty(0, dtype=wanted)
    if natural.is_complex() and not kept.is_complex() and kept.dtype != _tenstride.bool:
        raise TypeError(f"asarray: complex numbers must be real to become {kept.dtype}")
    if not kept.is_complex() and not kept.is_floating_point() and kept.dtype != _tenstride.bool:
        _require_fitting(natural.flatten().tolist(), kept.dtype)
    return natural.to(kept.dtype)


def _types(given: Any, seen: dict[int, Any]) -> Iterator[Any]:
    """The types of the numbers and arrays that it holds; a list is looked at once, however often it is there."""
    if isinstance(given, _NUMBERS) and not hasattr(given, "dtype"):
        kind = next(place for place, number in enumerate(_NUMBERS) if isinstance(given, number))
        yield _tenstride.uint64 if kind == 1 and given >= 2**63 else _ORDER[kind]
    elif isinstance(given, range):
        yield _tenstride.int64
    elif is_of_lists(given):
        if id(given) in seen:
            return
        seen[id(given)] = given
        for item in given:
            yield from _types(item, seen)
    else:
        found = _tenstride._import(given)
        if not isinstance(found, Tensor):
            raise TypeError(f"asarray: {type(given).__name__} must be a number, a list of such, or an array")
        yield found.dtype


def _common(found: set[Any]) -> Any:
    if len(found) > 1:
        found = found - {_tenstride.bool}
    if len(found) == 1:
        return next(iter(found))
    if _tenstride.complex128 in found:
        return _tenstride.complex128
    if found == {_tenstride.int64, _tenstride.uint64}:
        return _tenstride.float64
    others = found - {_tenstride.float64}
    is_exact = all(not _tenstride.empty(0, dtype=other).is_complex() for other in others)
    if len(others) < len(found) and is_exact:
        return _tenstride.float64
    names = ", ".join(sorted(str(other) for other in found))
    raise TypeError(f"asarray: the arrays in the list must be of one type ({names}); use astype first")


def _require_fitting(numbers: list[Any], dtype: Any) -> None:
    limits = iinfo(dtype)
    for number in numbers:
        if number != number:
            raise ValueError(f"asarray: NaN must be a number to become {dtype}")
        if abs(number) == float("inf") or not limits.min <= int(number) <= limits.max:
            raise OverflowError(f"asarray: {number} must be in {limits.min}..{limits.max} to become {dtype}")
