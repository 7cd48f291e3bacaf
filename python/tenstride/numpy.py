# SPDX-License-Identifier: Apache-2.0
# mypy: disable-error-code="no-any-return"
"""NumPy's functions on tensors: NumPy's names, defaults, strides and refusals.

`tenstride` alone is PyTorch's: `flip` copies, `reshape` knows one order. Here `flip`, `rot90` and negative
steps are views, `order=` and `copy=` are NumPy's, what NumPy makes read-only is read-only, and errors are
ValueError, IndexError and AxisError (both at once) as NumPy's. Each function takes a Tensor, or an array that
can be seen as one, and gives a Tensor.

>>> import tenstride.numpy as tnp
>>> x = torch.arange(6).view(2, 3)
>>> tnp.flip(x).stride(), tnp.reshape(x, (3, 2), order="F").tolist()
((-3, -1), [[0, 4], [3, 2], [1, 5]])
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any, Literal, Union

from . import _lists, _tenstride
from ._dtypes import dtype_of
from ._tenstride import Tensor, _numpy

__all__ = [
    "AxisError",
    "as_strided",
    "asarray",
    "ascontiguousarray",
    "asfortranarray",
    "astype",
    "atleast_3d",
    "broadcast_to",
    "concatenate",
    "copy",
    "copyto",
    "diagonal",
    "empty_like",
    "expand_dims",
    "flatten",
    "flip",
    "fliplr",
    "flipud",
    "imag",
    "index",
    "is_c_contiguous",
    "is_f_contiguous",
    "matrix_transpose",
    "moveaxis",
    "pad",
    "ravel",
    "real",
    "repeat",
    "reshape",
    "roll",
    "rollaxis",
    "rot90",
    "sliding_window_view",
    "squeeze",
    "stack",
    "strides",
    "swapaxes",
    "tile",
    "transpose",
    "view",
]

Order = Literal["C", "F", "A", "K"]
Ints = Union[int, Sequence[int]]

AxisError = _numpy.AxisError


def reshape(a: Any, /, shape: Ints, order: Order = "C", *, copy: bool | None = None) -> Tensor:
    """The elements in another shape, read and placed in the order C, F or A; one size may be -1: what is left.

    A view where one exists; `copy=True` always copies. ValueError where the sizes do not fit, and with
    `copy=False` where no view exists.

    >>> tnp.reshape(torch.arange(6), (2, -1), order="F").tolist()
    [[0, 2, 4], [1, 3, 5]]
    """
    return _numpy.reshape(a, shape, order, copy)


def ravel(a: Any, order: Order = "C") -> Tensor:
    """One axis: a view where the elements lie contiguous in the order, else a copy. K reads them as they lie.

    >>> x = torch.arange(6).view(2, 3).T
    >>> tnp.ravel(x).tolist(), tnp.ravel(x, order="K").tolist()
    ([0, 3, 1, 4, 2, 5], [0, 1, 2, 3, 4, 5])
    """
    return _numpy.ravel(a, order)


def flatten(a: Any, order: Order = "C") -> Tensor:
    """One axis, always a copy.

    >>> tnp.flatten(torch.arange(4).view(2, 2), order="F").tolist()
    [0, 2, 1, 3]
    """
    return _numpy.flatten(a, order)


def copy(a: Any, order: Order = "K") -> Tensor:
    """A dense copy whose elements lie in the order; K keeps the order of the axes.

    >>> x = torch.zeros(2, 3).T
    >>> tnp.copy(x).stride(), tnp.copy(x, order="C").stride()
    ((1, 3), (2, 1))
    """
    return _numpy.copy(a, order)


def copyto(dst: Any, src: Any) -> None:
    """Writes an array or a number into another, broadcast to its shape; both may lie in the same memory.

    What NumPy's `x[...] = y` does: the destination gets what the source was before. (`copy_`, and `x[...] = y` of
    tensors, are PyTorch's and refuse a source that shares a part of the memory.) TypeError where the source's kind of
    numbers is above the destination's, as floats above integers.

    >>> x = torch.arange(5)
    >>> tnp.copyto(x[1:], x[:-1])
    >>> x.tolist()
    [0, 0, 1, 2, 3]
    """
    _numpy.copyto(dst, src)


def asarray(a: Any, dtype: Any = None, order: Order | None = None, *, copy: bool | None = None) -> Tensor:
    """The very tensor where type and order are right and no copy is asked for, else a copy.

    Numbers and lists of them become int64, float64 or complex128 unless `dtype` says otherwise; buffers (bytearray,
    array.array, memoryview) are shared. ValueError with `copy=False` where a copy is needed, and for uneven lists;
    OverflowError for integers that the type does not hold.

    >>> x = torch.zeros(2, 3)
    >>> tnp.asarray(x) is x, tnp.asarray(x, order="F").stride()
    (True, (1, 2))
    >>> tnp.asarray([[1, 2.5]]).dtype
    torch.float64
    """
    if _lists.is_of_lists(a):
        if copy is False:
            raise ValueError("asarray: a copy is needed to make a tensor of numbers, and copy=False forbids it")
        made = _lists.from_lists(a, None if dtype is None else dtype_of(dtype, "asarray", of_numpy=True))
        return _numpy.asarray(made, order or "K", None)
    if isinstance(a, (bytearray, memoryview, array)):
        a = _tenstride.asarray(a, device="cpu")
    if dtype is None:
        return _numpy.asarray(a, order, copy)
    wanted = dtype_of(dtype, "asarray", of_numpy=True)
    given = _numpy.asarray(a, None, None)
    if given.dtype == _tenstride.empty(0, dtype=wanted).dtype:
        return _numpy.asarray(a, order, copy)
    if copy is not None and not copy:
        raise ValueError(f"asarray: a copy is needed to make {given.dtype} {wanted}, and copy=False forbids it")
    return _numpy.astype(given, wanted, order, True)


def ascontiguousarray(a: Any, dtype: Any = None) -> Tensor:
    """Itself where it is contiguous in C order, else a copy; rank 0 becomes rank 1, as in NumPy.

    >>> tnp.ascontiguousarray(torch.zeros(2, 3).T).stride()
    (2, 1)
    """
    return _numpy.ascontiguousarray(a if dtype is None else asarray(a, dtype, "C"))


def asfortranarray(a: Any, dtype: Any = None) -> Tensor:
    """Itself where it is contiguous in F order, else a copy; rank 0 becomes rank 1, as in NumPy.

    >>> tnp.asfortranarray(torch.zeros(2, 3)).stride()
    (1, 2)
    """
    return _numpy.asfortranarray(a if dtype is None else asarray(a, dtype, "F"))


def astype(a: Any, dtype: Any, order: Order = "K", *, copy: bool = True) -> Tensor:
    """The elements converted; with `copy=False` itself where type and order are right already.

    >>> tnp.astype(torch.arange(3), torch.float32).tolist()
    [0.0, 1.0, 2.0]
    """
    return _numpy.astype(a, dtype_of(dtype, "astype", of_numpy=True), order, copy)


def empty_like(prototype: Any, dtype: Any = None, order: Order = "K") -> Tensor:
    """Not initialised; lies as a copy in the order would.

    >>> tnp.empty_like(torch.zeros(2, 3).T).stride()
    (1, 3)
    """
    like = _numpy.empty_like(prototype, order)
    if dtype is None:
        return like
    wanted = dtype_of(dtype, "empty_like", of_numpy=True)
    return _tenstride.empty_strided(like.shape, like.stride(), dtype=wanted, device=like.device)


def transpose(a: Any, axes: Sequence[int] | None = None) -> Tensor:
    """A view with the axes in another order, reversed by default; ValueError where they name no order.

    >>> tnp.transpose(torch.zeros(2, 3, 4)).shape
    torch.Size([4, 3, 2])
    """
    return _numpy.transpose(a, axes)


def matrix_transpose(x: Any, /) -> Tensor:
    """A view with the last two axes swapped; ValueError below rank 2.

    >>> tnp.matrix_transpose(torch.zeros(2, 3, 4)).shape
    torch.Size([2, 4, 3])
    """
    return _numpy.matrix_transpose(x)


def swapaxes(a: Any, axis1: int, axis2: int) -> Tensor:
    """A view with two axes swapped.

    >>> tnp.swapaxes(torch.zeros(2, 3, 4), 0, 2).shape
    torch.Size([4, 3, 2])
    """
    return _numpy.swapaxes(a, axis1, axis2)


def moveaxis(a: Any, source: Ints, destination: Ints) -> Tensor:
    """A view with axes moved to new places; the others keep their order.

    >>> tnp.moveaxis(torch.zeros(2, 3, 4), 0, -1).shape
    torch.Size([3, 4, 2])
    """
    return _numpy.moveaxis(a, source, destination)


def rollaxis(a: Any, axis: int, start: int = 0) -> Tensor:
    """A view with one axis moved to where it lies before `start`.

    >>> tnp.rollaxis(torch.zeros(2, 3, 4), 2, 1).shape
    torch.Size([2, 4, 3])
    """
    return _numpy.rollaxis(a, axis, start)


def expand_dims(a: Any, axis: Ints) -> Tensor:
    """A view with axes of size 1 at the given places of the result.

    >>> tnp.expand_dims(torch.zeros(2, 3), (0, 2)).shape
    torch.Size([1, 2, 1, 3])
    """
    return _numpy.expand_dims(a, axis)


def squeeze(a: Any, axis: Ints | None = None) -> Tensor:
    """Without the axes of size 1, or without the named ones; ValueError where one's size is not 1.

    >>> tnp.squeeze(torch.zeros(1, 3, 1), axis=0).shape
    torch.Size([3, 1])
    """
    return _numpy.squeeze(a, axis)


def atleast_3d(ary: Any) -> Tensor:
    """A view of at least 3 axes: a vector lies along axis 1, a matrix along axes 0 and 1.

    >>> tnp.atleast_3d(torch.zeros(5)).shape
    torch.Size([1, 5, 1])
    """
    return _numpy.atleast_3d(ary)


def diagonal(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Tensor:
    """A read-only view of the elements (i, i + offset) of two axes, as a last axis.

    >>> tnp.diagonal(torch.arange(9).view(3, 3), 1).tolist()
    [1, 5]
    """
    return _numpy.diagonal(a, offset, axis1, axis2)


def broadcast_to(array: Any, shape: Ints) -> Tensor:
    """A read-only view with axes of size 1, and new ones, repeated; ValueError where the sizes do not fit.

    >>> tnp.broadcast_to(torch.arange(3), (2, 3)).stride()
    (0, 1)
    """
    return _numpy.broadcast_to(array, shape)


def flip(m: Any, axis: Ints | None = None) -> Tensor:
    """A view with the axes, by default all, reversed: their strides are negative.

    >>> tnp.flip(torch.arange(4)).tolist(), tnp.flip(torch.arange(4)).stride()
    ([3, 2, 1, 0], (-1,))
    """
    return _numpy.flip(m, axis)


def fliplr(m: Any) -> Tensor:
    """A view with axis 1 walked backwards; ValueError below rank 2.

    >>> tnp.fliplr(torch.arange(4).view(2, 2)).tolist()
    [[1, 0], [3, 2]]
    """
    return _numpy.fliplr(m)


def flipud(m: Any) -> Tensor:
    """A view with axis 0 walked backwards; ValueError for rank 0.

    >>> tnp.flipud(torch.arange(4).view(2, 2)).tolist()
    [[2, 3], [0, 1]]
    """
    return _numpy.flipud(m)


def rot90(m: Any, k: int = 1, axes: Sequence[int] = (0, 1)) -> Tensor:
    """A view with the plane of two axes rotated by k quarter turns, from the first towards the second.

    >>> tnp.rot90(torch.arange(4).view(2, 2)).tolist()
    [[1, 3], [0, 2]]
    """
    return _numpy.rot90(m, k, axes)


def sliding_window_view(x: Any, window_shape: Ints, axis: Ints | None = None) -> Tensor:
    """A read-only view of the windows of those sizes along the axes (all of them by default), as last axes.

    >>> tnp.sliding_window_view(torch.arange(4), 3).tolist()
    [[0, 1, 2], [1, 2, 3]]
    """
    return _numpy.sliding_window_view(x, window_shape, axis)


def index(a: Any, key: Any) -> Tensor:
    """`a[key]` of ints, slices, None and `...`, with NumPy's strides and views, negative steps too.

    >>> tnp.index(torch.arange(6), slice(None, None, -2)).tolist()
    [5, 3, 1]
    """
    return _numpy.index(a, key)


def view(a: Any, dtype: Any) -> Tensor:
    """The same bytes as elements of another type; the last axis takes up a change of size.

    ValueError where the last axis is not contiguous, or does not hold whole elements.

    >>> tnp.view(torch.zeros(2, 4, dtype=torch.int16), torch.int64).shape
    torch.Size([2, 1])
    """
    return _numpy.view(a, dtype_of(dtype, "view", of_numpy=True))


def as_strided(x: Any, shape: Sequence[int] | None = None, strides: Sequence[int] | None = None) -> Tensor:
    """A view from the first element on; strides count bytes and may be negative.

    Unlike NumPy's it refuses what leaves the storage (StorageError).

    >>> tnp.as_strided(torch.arange(5), (3, 3), (8, 8)).tolist()
    [[0, 1, 2], [1, 2, 3], [2, 3, 4]]
    """
    return _numpy.as_strided(x, shape, strides)


def real(val: Any) -> Tensor:
    """A view of the real parts; a real tensor is given back.

    >>> tnp.real(torch.tensor([1 + 2j])).tolist()
    [1.0]
    """
    return _numpy.real(val)


def imag(val: Any) -> Tensor:
    """A view of the imaginary parts; of a real tensor new zeros, read-only.

    >>> tnp.imag(torch.tensor([1 + 2j])).tolist()
    [2.0]
    """
    return _numpy.imag(val)


def concatenate(arrays: Any, /, axis: int | None = 0) -> Tensor:
    """Joins along an axis; None flattens all first. The result keeps the order of axes that all agree on.

    All must have one type (TypeError).

    >>> tnp.concatenate([torch.zeros(2, 3), torch.ones(1, 3)]).shape
    torch.Size([3, 3])
    """
    return _numpy.concatenate(arrays, axis)


def stack(arrays: Any, axis: int = 0) -> Tensor:
    """Joins along a new axis; all must have one shape (ValueError) and one type (TypeError).

    >>> tnp.stack([torch.zeros(3), torch.ones(3)], axis=1).shape
    torch.Size([3, 2])
    """
    return _numpy.stack(arrays, axis)


def tile(A: Any, reps: Ints) -> Tensor:
    """The whole repeated along each axis.

    >>> tnp.tile(torch.arange(2), (2, 2)).tolist()
    [[0, 1, 0, 1], [0, 1, 0, 1]]
    """
    return _numpy.tile(A, reps)


def repeat(a: Any, repeats: Any, axis: int | None = None) -> Tensor:
    """Each element repeated along an axis, by one number or by one for each element; None flattens first.

    >>> tnp.repeat(torch.arange(2), 2).tolist(), tnp.repeat(torch.arange(3), [1, 0, 2]).tolist()
    ([0, 0, 1, 1], [0, 2, 2])
    """
    if not isinstance(repeats, int) and _lists.is_of_lists(repeats):
        repeats = _lists.from_lists(repeats, _tenstride.int64)
    return _numpy.repeat(a, repeats, axis)


def pad(array: Any, pad_width: Any, mode: str = "constant", **kwargs: Any) -> Tensor:
    """A copy with elements before and behind those of each axis: `pad_width` is their number, a pair of such, a pair
    for each axis, or a dict of axes.

    'constant' (0, or `constant_values` in the same forms), 'edge', 'reflect', 'symmetric', 'wrap' and 'empty' as
    NumPy's. ValueError for negative widths and for an empty axis that is not widened by a number; NotImplementedError
    for the modes that compute elements ('linear_ramp', 'maximum', 'mean', 'median', 'minimum', `reflect_type='odd'`)
    and for a function.

    >>> tnp.pad(torch.arange(3), (2, 1), "reflect").tolist(), tnp.pad(torch.arange(3), 1).tolist()
    ([2, 1, 0, 1, 2, 1], [0, 0, 1, 2, 0])
    """
    x = asarray(array)
    rank = x.dim()
    if callable(mode) or mode in ("linear_ramp", "maximum", "mean", "median", "minimum"):
        raise NotImplementedError("pad: this mode computes elements; use numpy.pad on numpy.asarray(x)")
    known = {"constant": {"constant_values"}, "reflect": {"reflect_type"}, "symmetric": {"reflect_type"}}
    if unknown := kwargs.keys() - known.get(mode, set()):
        raise ValueError(f"pad: arguments {sorted(unknown)} must be of mode {mode!r}")
    if kwargs.get("reflect_type", "even") != "even":
        raise NotImplementedError("pad: reflect_type must be 'even'; 'odd' computes elements, use numpy.pad")
    if isinstance(pad_width, dict):
        listed = [(0, 0)] * rank
        for axis, width in pad_width.items():
            listed[axis] = (width, width) if isinstance(width, int) else width
        pad_width = listed
    widths = asarray(pad_width)
    if str(widths.dtype) not in ("torch.int8", "torch.int16", "torch.int32", "torch.int64"):
        raise TypeError(f"pad: pad_width must be of signed integers ({widths.dtype})")
    values = _pairs(asarray(kwargs.get("constant_values", 0)), rank).unbind() if mode == "constant" else []
    return _numpy.pad(x, _pairs(widths, rank).tolist(), mode, list(values))


def _pairs(given: Tensor, rank: int) -> Tensor:
    """One number for all, two for before and behind, or what broadcasts to a pair for each axis, in a row."""
    if given.dim() < 3 and given.numel() == 2 and given.shape != (2, 1):
        given = given.flatten()
    return broadcast_to(given, (rank, 2)).reshape(-1)


def roll(a: Any, shift: Ints, axis: Ints | None = None) -> Tensor:
    """A copy with elements moved along axes, around the end; without an axis along the flattened tensor.

    >>> tnp.roll(torch.arange(4), 1).tolist()
    [3, 0, 1, 2]
    """
    return _numpy.roll(a, shift, axis)


def strides(a: Any) -> tuple[int, ...]:
    """The strides in bytes, as NumPy's attribute.

    >>> tnp.strides(torch.zeros(2, 3))
    (12, 4)
    """
    return _numpy.strides(a)


def is_c_contiguous(a: Any) -> bool:
    """NumPy's `flags.c_contiguous`: axes of size 1 never matter, an empty tensor is contiguous both ways.

    >>> tnp.is_c_contiguous(torch.zeros(2, 3).T)
    False
    """
    return _numpy.is_c_contiguous(a)


def is_f_contiguous(a: Any) -> bool:
    """NumPy's `flags.f_contiguous`.

    >>> tnp.is_f_contiguous(torch.zeros(2, 3).T)
    True
    """
    return _numpy.is_f_contiguous(a)
