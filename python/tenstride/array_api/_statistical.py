# SPDX-License-Identifier: Apache-2.0
# mypy: disable-error-code="no-any-return"
"""What many elements come to, where they stand, and elements by their places."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import _tenstride
from .._tenstride import Tensor
from ._data_types import SIGNED, UNSIGNED, bool as bool_, checked, int64, uint64
from ._manipulation import Axes, all_wrapped, wrapped


def _summed_type(x: Tensor, dtype: Any) -> Any:
    """Integers narrower than the default type are summed in it, unsigned ones in its unsigned twin."""
    if dtype is not None:
        return dtype
    if x.dtype in UNSIGNED:
        return uint64
    return int64 if x.dtype in SIGNED or x.dtype is bool_ else x.dtype


def _one_by_one(x: Tensor, axes: tuple[int, ...], keepdims: bool, reduce: Callable[[Tensor, int], Tensor]) -> Tensor:
    """Along one axis after the other, from the last on; `reduce` keeps the axis."""
    for axis in axes:
        x = reduce(x, axis)
    return x if keepdims or not axes else x.squeeze(axes)


def _truths(name: str, x: Tensor, axis: Axes | None, keepdims: bool) -> Tensor:
    """`Tensor.all` or `Tensor.any` of what is not 0, over several axes."""
    axes = all_wrapped(name, axis, checked(name, x).ndim)
    truth = x if x.dtype is bool_ else x != 0
    if axis is None and not keepdims:
        return truth.all() if name == "all" else truth.any()
    return _one_by_one(truth, axes, keepdims, lambda y, d: y.all(d, True) if name == "all" else y.any(d, True))


def all(x: Tensor, /, *, axis: Axes | None = None, keepdims: bool = False) -> Tensor:
    """Whether all elements along the axes are true (not 0); of none: true.

    >>> xp.all(xp.asarray([[True, False], [True, True]]), axis=1)
    tensor([False,  True])
    """
    return _truths("all", x, axis, keepdims)


def any(x: Tensor, /, *, axis: Axes | None = None, keepdims: bool = False) -> Tensor:
    """Whether any element along the axes is true (not 0); of none: false.

    >>> xp.any(xp.asarray([[True, False], [False, False]]), axis=1)
    tensor([ True, False])
    """
    return _truths("any", x, axis, keepdims)


def argmax(x: Tensor, /, *, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """Where the first of the largest elements stands along an axis; without one in row-major order.

    >>> xp.argmax(xp.asarray([1, 3, 3]))
    tensor(1)
    """
    return _place("argmax", x, axis, keepdims)


def argmin(x: Tensor, /, *, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """Where the first of the smallest elements stands along an axis; without one in row-major order.

    >>> xp.argmin(xp.asarray([3, 1, 1]))
    tensor(1)
    """
    return _place("argmin", x, axis, keepdims)


def _place(operation: str, x: Tensor, axis: int | None, keepdims: bool) -> Tensor:
    checked(operation, x, "real numeric")
    if axis is not None:
        return getattr(x, operation)(wrapped(operation, axis, x.ndim), keepdims)
    if x.numel() == 0:
        raise ValueError(f"{operation}: the array must have elements (shape {tuple(x.shape)})")
    place = getattr(x, operation)()
    return place.reshape((1,) * x.ndim) if keepdims else place


def count_nonzero(x: Tensor, /, *, axis: Axes | None = None, keepdims: bool = False) -> Tensor:
    """How many elements along the axes are not 0.

    >>> xp.count_nonzero(xp.asarray([0, 1, 2]))
    tensor(2)
    """
    axes = all_wrapped("count_nonzero", axis, checked("count_nonzero", x).ndim)
    truth = x if x.dtype is bool_ else x != 0
    return truth.sum(axes, keepdims) if axes else truth.to(int64)


def nonzero(x: Tensor, /) -> tuple[Tensor, ...]:
    """Where the elements stand that are not 0, in row-major order: the places along each axis.

    ValueError for rank 0.

    >>> xp.nonzero(xp.asarray([[0, 1], [2, 0]]))
    (tensor([0, 1]), tensor([1, 0]))
    """
    if checked("nonzero", x).ndim == 0:
        raise ValueError("nonzero: the array must have an axis (shape ())")
    truth = x if x.dtype is bool_ else x != 0
    places = _tenstride.arange(x.numel(), device=x.device)[truth.reshape(-1)]
    result = []
    for size in reversed(x.shape):
        result.append(places % size if size else places)
        places = places // size if size else places
    return tuple(reversed(result))


def max(x: Tensor, /, *, axis: Axes | None = None, keepdims: bool = False) -> Tensor:
    """The largest element along the axes; NaN where one is. Of none: ValueError.

    >>> xp.max(xp.asarray([[1, 5], [3, 2]]), axis=0)
    tensor([3, 5])
    """
    return _extreme("max", x, axis, keepdims)


def min(x: Tensor, /, *, axis: Axes | None = None, keepdims: bool = False) -> Tensor:
    """The smallest element along the axes; NaN where one is. Of none: ValueError.

    >>> xp.min(xp.asarray([[1, 5], [3, 2]]), axis=0)
    tensor([1, 2])
    """
    return _extreme("min", x, axis, keepdims)


def _extreme(operation: str, x: Tensor, axis: Axes | None, keepdims: bool) -> Tensor:
    axes = all_wrapped(operation, axis, checked(operation, x, "real numeric").ndim)
    if not axes:
        return x.clone()
    for entry in axes:
        if x.shape[entry] == 0:
            raise ValueError(f"{operation}: axis {entry} must have an element (shape {tuple(x.shape)})")
    return getattr(x, f"a{operation}")(axes, keepdims)


def mean(x: Tensor, /, *, axis: Axes | None = None, keepdims: bool = False) -> Tensor:
    """The mean along the axes; of none NaN.

    >>> xp.mean(xp.asarray([[1.0, 2.0], [3.0, 4.0]]), axis=1)
    tensor([1.5000, 3.5000])
    """
    axes = all_wrapped("mean", axis, checked("mean", x, "floating-point").ndim)
    return x.mean(axes, keepdims) if axes else x.clone()


def prod(x: Tensor, /, *, axis: Axes | None = None, dtype: Any = None, keepdims: bool = False) -> Tensor:
    """The product along the axes; of none 1. Integers give int64, unsigned ones uint64.

    >>> xp.prod(xp.asarray([[1, 2], [3, 4]]), axis=1)
    tensor([ 2, 12])
    """
    axes = all_wrapped("prod", axis, checked("prod", x).ndim)
    dtype = _summed_type(x, dtype)
    if not axes:
        return x.to(dtype, copy=True)
    return _one_by_one(x, axes, keepdims, lambda y, d: y.prod(d, True, dtype=dtype))


def sum(x: Tensor, /, *, axis: Axes | None = None, dtype: Any = None, keepdims: bool = False) -> Tensor:
    """The sum along the axes; of none 0. Integers give int64, unsigned ones uint64.

    >>> xp.sum(xp.asarray([200, 100], dtype=xp.uint8))
    tensor(300, dtype=torch.uint64)
    """
    axes = all_wrapped("sum", axis, checked("sum", x).ndim)
    dtype = _summed_type(x, dtype)
    return x.sum(axes, keepdims, dtype=dtype) if axes else x.to(dtype, copy=True)


def take(x: Tensor, indices: Tensor, /, *, axis: int | None = None) -> Tensor:
    """The elements, or parts, at places along an axis, which may be left out where there is one alone.

    >>> xp.take(xp.asarray([[1, 2, 3], [4, 5, 6]]), xp.asarray([2, 0]), axis=1)
    tensor([[3, 1],
            [6, 4]])
    """
    checked("take", x)
    if checked("take", indices, "integral").ndim != 1:
        raise ValueError(f"take: the indices must have one axis (shape {tuple(indices.shape)})")
    if axis is None:
        if x.ndim != 1:
            raise ValueError(f"take: an axis must be given for an array of {x.ndim} axes")
        axis = 0
    places = indices.to(int64)
    return x[(slice(None),) * wrapped("take", axis, x.ndim) + (places,)]


def take_along_axis(x: Tensor, indices: Tensor, /, *, axis: int = -1) -> Tensor:
    """The elements at places along an axis, which each of the other places has for itself.

    >>> x = xp.asarray([[3, 1, 2], [4, 6, 5]])
    >>> xp.take_along_axis(x, xp.argmax(x, axis=1, keepdims=True), axis=1)
    tensor([[3],
            [6]])
    """
    axis = wrapped("take_along_axis", axis, checked("take_along_axis", x).ndim)
    if checked("take_along_axis", indices, "integral").ndim != x.ndim:
        raise ValueError(f"take_along_axis: the indices must have {x.ndim} axes (shape {tuple(indices.shape)})")
    sizes = [indices.shape[d] if d == axis else max_of_sizes(x.shape[d], indices.shape[d]) for d in range(x.ndim)]
    source = x.expand([*sizes[:axis], x.shape[axis], *sizes[axis + 1 :]])
    places = []
    for d in range(x.ndim):
        along = _tenstride.arange(sizes[d], device=x.device).reshape([-1 if at == d else 1 for at in range(x.ndim)])
        places.append(indices.to(int64).expand(sizes) if d == axis else along)
    return source[tuple(places)]


def max_of_sizes(a: int, b: int) -> int:
    """The size in which two broadcast; ValueError where they do not."""
    if a != b and 1 not in (a, b):
        raise ValueError(f"take_along_axis: sizes {a} and {b} must broadcast")
    return b if a == 1 else a
