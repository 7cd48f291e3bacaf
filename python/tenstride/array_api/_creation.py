# SPDX-License-Identifier: Apache-2.0
"""Arrays made of numbers, of sizes, or of others."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal, Union

from .. import _tenstride
from .._tenstride import Tensor
from ._data_types import REAL, checked, default_dtypes

Shape = Union[int, Sequence[int]]


def _sizes(shape: Shape) -> tuple[int, ...]:
    return (shape,) if isinstance(shape, int) else _tenstride.Size(shape)


def _options(dtype: Any, device: Any) -> dict[str, Any]:
    return {"dtype": dtype, "device": _tenstride.device(device) if isinstance(device, str) else device}


def arange(
    start: float, /, stop: float | None = None, step: float = 1, *, dtype: Any = None, device: Any = None
) -> Tensor:
    """Numbers from `start` to before `stop`; with one number from 0 to before it. None where the step leads away.

    Integers give the default integer type, int64, others the default floating type.

    >>> xp.arange(5, 0, -2), xp.arange(3, 1).shape
    (tensor([5, 3, 1]), torch.Size([0]))
    """
    if stop is None:
        start, stop = 0, start
    if step == 0:
        raise ValueError("arange: step must not be 0")
    if math.ceil((stop - start) / step) <= 0:
        numbers = (start, stop, step)
        is_real = any(isinstance(n, float) for n in numbers)
        inferred = _tenstride.get_default_dtype() if is_real else _tenstride.int64
        return _tenstride.empty((0,), **_options(dtype or inferred, device))
    return _tenstride.arange(start, stop, step, **_options(dtype, device))


def asarray(obj: Any, /, *, dtype: Any = None, device: Any = None, copy: bool | None = None) -> Tensor:
    """An array of numbers, lists of numbers, a buffer, or another library's array, whose memory it shares.

    `copy=True` always copies; ValueError with `copy=False` where only a copy will do.

    >>> xp.asarray([[1, 2], [3, 4]]).shape
    torch.Size([2, 2])
    """
    return _tenstride.asarray(obj, copy=copy, **_options(dtype, device))


def empty(shape: Shape, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Not initialised.

    >>> xp.empty((2, 3)).shape
    torch.Size([2, 3])
    """
    return _tenstride.empty(_sizes(shape), **_options(dtype, device))


def empty_like(x: Tensor, /, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Not initialised, of the array's shape and, by default, its type.

    >>> xp.empty_like(xp.zeros((2, 3))).shape
    torch.Size([2, 3])
    """
    return _tenstride.empty_like(checked("empty_like", x), **_options(dtype, device))


def eye(n_rows: int, n_cols: int | None = None, /, *, k: int = 0, dtype: Any = None, device: Any = None) -> Tensor:
    """Ones on the k-th diagonal, zeros elsewhere.

    >>> xp.eye(2, 3, k=1)
    tensor([[0., 1., 0.],
            [0., 0., 1.]])
    """
    result = _tenstride.zeros((n_rows, n_rows if n_cols is None else n_cols), **_options(dtype, device))
    if -result.shape[0] < k < result.shape[1]:
        result.diagonal(k).fill_(1)
    return result


def from_dlpack(x: Any, /, *, device: Any = None, copy: bool | None = None) -> Tensor:
    """An array on the memory of another library's, by DLPack; `copy=True` copies it.

    BufferError, or ValueError, where it cannot be shared or moved to the device.

    >>> xp.from_dlpack(xp.arange(3))
    tensor([0, 1, 2])
    """
    return _tenstride.from_dlpack(x, device=device, copy=copy)


def full(shape: Shape, fill_value: complex, *, dtype: Any = None, device: Any = None) -> Tensor:
    """All elements one number, whose kind gives the type by default.

    >>> xp.full((2,), 7)
    tensor([7, 7])
    """
    return _tenstride.full(_sizes(shape), fill_value, **_options(dtype, device))


def full_like(x: Tensor, /, fill_value: complex, *, dtype: Any = None, device: Any = None) -> Tensor:
    """All elements one number, with the array's shape and, by default, its type.

    >>> xp.full_like(xp.zeros(2), 7)
    tensor([7., 7.])
    """
    return _tenstride.full_like(checked("full_like", x), fill_value, **_options(dtype, device))


def linspace(
    start: complex,
    stop: complex,
    /,
    num: int,
    *,
    dtype: Any = None,
    device: Any = None,
    endpoint: bool = True,
) -> Tensor:
    """`num` numbers in equal steps from `start` to `stop`, which is the last one unless `endpoint=False`.

    >>> xp.linspace(0, 1, 4, endpoint=False)
    tensor([0.0000, 0.2500, 0.5000, 0.7500])
    """
    if num < 0:
        raise ValueError(f"linspace: num must not be negative ({num} is given)")
    is_complex = isinstance(start, complex) or isinstance(stop, complex)
    if dtype is None:
        dtype = default_dtypes()["complex floating" if is_complex else "real floating"]
    elif is_complex and dtype in REAL:
        raise TypeError(f"linspace: complex bounds need a complex dtype ({dtype} is given)")
    whole = _tenstride.linspace(start, stop, num if endpoint else num + 1, **_options(dtype, device))
    return whole if endpoint else whole[:num]


def meshgrid(*arrays: Tensor, indexing: Literal["xy", "ij"] = "xy") -> list[Tensor]:
    """Each vector as an array of the grid that all span: views, repeated by a stride of 0.

    "xy": the first one runs along axis 1, the second along axis 0; "ij": each along its own.

    >>> [x.shape for x in xp.meshgrid(xp.arange(2), xp.arange(3))]
    [torch.Size([3, 2]), torch.Size([3, 2])]
    """
    if indexing not in ("xy", "ij"):
        raise ValueError(f"meshgrid: indexing {indexing!r} must be 'xy' or 'ij'")
    for array in arrays:
        if checked("meshgrid", array).ndim != 1:
            raise ValueError(f"meshgrid: the arrays must have one axis (shape {tuple(array.shape)})")
        if array.dtype is not arrays[0].dtype:
            raise ValueError(f"meshgrid: the arrays must have one dtype ({arrays[0].dtype} and {array.dtype})")
    if len(arrays) < 2:
        return [array.alias() for array in arrays]
    return list(_tenstride.meshgrid(*arrays, indexing=indexing))


def ones(shape: Shape, *, dtype: Any = None, device: Any = None) -> Tensor:
    """All elements 1.

    >>> xp.ones(2)
    tensor([1., 1.])
    """
    return _tenstride.ones(_sizes(shape), **_options(dtype, device))


def ones_like(x: Tensor, /, *, dtype: Any = None, device: Any = None) -> Tensor:
    """All elements 1, with the array's shape and, by default, its type.

    >>> xp.ones_like(xp.arange(2))
    tensor([1, 1])
    """
    return _tenstride.ones_like(checked("ones_like", x), **_options(dtype, device))


def tril(x: Tensor, /, *, k: int = 0) -> Tensor:
    """The matrix, or each of a stack, with zeros above the k-th diagonal.

    >>> xp.tril(xp.ones((2, 2)))
    tensor([[1., 0.],
            [1., 1.]])
    """
    return checked("tril", x).tril(k)


def triu(x: Tensor, /, *, k: int = 0) -> Tensor:
    """The matrix, or each of a stack, with zeros below the k-th diagonal.

    >>> xp.triu(xp.ones((2, 2)))
    tensor([[1., 1.],
            [0., 1.]])
    """
    return checked("triu", x).triu(k)


def zeros(shape: Shape, *, dtype: Any = None, device: Any = None) -> Tensor:
    """All elements 0.

    >>> xp.zeros((2,))
    tensor([0., 0.])
    """
    return _tenstride.zeros(_sizes(shape), **_options(dtype, device))


def zeros_like(x: Tensor, /, *, dtype: Any = None, device: Any = None) -> Tensor:
    """All elements 0, with the array's shape and, by default, its type.

    >>> xp.zeros_like(xp.ones(2))
    tensor([0., 0.])
    """
    return _tenstride.zeros_like(checked("zeros_like", x), **_options(dtype, device))
