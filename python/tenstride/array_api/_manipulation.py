# SPDX-License-Identifier: Apache-2.0
"""Shapes and order: views wherever one exists. Copies are those of `concat`, `flip`, `repeat`, `roll`, `stack`,
`tile`, and of `reshape` where no view exists."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Union

from .. import _tenstride
from .._size import entries_of
from .._tenstride import Tensor
from ._data_types import checked, promoted

Axes = Union[int, tuple[int, ...]]


def wrapped(operation: str, axis: int, rank: int) -> int:
    """The axis counted from 0; IndexError where it is not there."""
    if -rank <= axis < rank:
        return axis % rank
    rule = f"lie in [{-rank},{rank - 1}]" if rank else "not be given"
    raise _tenstride.AxisError(f"{operation}: axis {axis} must {rule} (rank {rank})")


def all_wrapped(operation: str, axes: Axes | None, rank: int) -> tuple[int, ...]:
    """All axes counted from 0, each once (ValueError); None means all there are."""
    if axes is None:
        return tuple(range(rank))
    given = (axes,) if isinstance(axes, int) else entries_of(axes, operation)
    result = tuple(wrapped(operation, axis, rank) for axis in given)
    if len(set(result)) != len(result):
        raise ValueError(f"{operation}: axes {result} must name no axis twice (rank {rank})")
    return result


def broadcast_arrays(*arrays: Tensor) -> list[Tensor]:
    """The arrays as views of one shape.

    >>> [x.shape for x in xp.broadcast_arrays(xp.zeros((2, 1)), xp.zeros(3))]
    [torch.Size([2, 3]), torch.Size([2, 3])]
    """
    shape = _broadcast_shape("broadcast_arrays", [checked("broadcast_arrays", x).shape for x in arrays])
    return [x.expand(shape) for x in arrays]


def broadcast_to(x: Tensor, /, shape: tuple[int, ...]) -> Tensor:
    """A view with axes of size 1, and new ones in front, repeated; ValueError where the sizes do not fit.

    >>> xp.broadcast_to(xp.arange(3), (2, 3)).stride()
    (0, 1)
    """
    checked("broadcast_to", x)
    if _broadcast_shape("broadcast_to", [x.shape, shape]) != tuple(shape):
        raise ValueError(f"broadcast_to: shape {tuple(x.shape)} must fit into {tuple(shape)}")
    return x.expand(_tenstride.Size(shape))


def _broadcast_shape(operation: str, shapes: Sequence[Sequence[int]]) -> tuple[int, ...]:
    try:
        # One shape alone would count as sizes, not as a shape.
        return tuple(_tenstride.broadcast_shapes((), *(tuple(shape) for shape in shapes)))
    except RuntimeError as error:
        raise ValueError(f"{operation}: {error}") from None


def _of_one_type(arrays: Sequence[Tensor]) -> list[Tensor]:
    dtype = arrays[0].dtype
    for x in arrays[1:]:
        dtype = promoted(dtype, x.dtype)
    return [x if x.dtype is dtype else x.to(dtype) for x in arrays]


def concat(arrays: Sequence[Tensor], /, *, axis: int | None = 0) -> Tensor:
    """Joined along an axis; None flattens all first. The type is the one in which all meet.

    >>> xp.concat([xp.zeros((2, 3)), xp.ones((1, 3))]).shape
    torch.Size([3, 3])
    """
    given = [checked("concat", x) for x in entries_of(arrays, "concat")]
    if not given:
        raise ValueError("concat: at least one array must be given")
    if axis is None:
        return _tenstride.cat([x.reshape(-1) for x in _of_one_type(given)])
    axis = wrapped("concat", axis, given[0].ndim)
    first = given[0].shape
    for x in given[1:]:
        # PyTorch lets arrays of shape (0,) pass.
        if x.ndim != len(first) or any(a != b for d, (a, b) in enumerate(zip(first, x.shape)) if d != axis):
            raise ValueError(f"concat: shapes {tuple(first)} and {tuple(x.shape)} must agree but for axis {axis}")
    return _tenstride.cat(_of_one_type(given), dim=axis)


def expand_dims(x: Tensor, /, axis: int = 0) -> Tensor:
    """A view with an axis of size 1 more, at that place of the result; IndexError where there is none.

    >>> xp.expand_dims(xp.zeros((2, 3)), axis=1).shape
    torch.Size([2, 1, 3])
    """
    return checked("expand_dims", x).unsqueeze(wrapped("expand_dims", axis, x.ndim + 1))


def flip(x: Tensor, /, *, axis: Axes | None = None) -> Tensor:
    """A copy with the axes, by default all, reversed. (`tenstride.numpy.flip` is a view.)

    >>> xp.flip(xp.arange(3))
    tensor([2, 1, 0])
    """
    return checked("flip", x).flip(all_wrapped("flip", axis, x.ndim))


def matrix_transpose(x: Tensor, /) -> Tensor:
    """A view with the last two axes swapped; ValueError below rank 2.

    >>> xp.matrix_transpose(xp.zeros((2, 3, 4))).shape
    torch.Size([2, 4, 3])
    """
    if checked("matrix_transpose", x).ndim < 2:
        raise ValueError(f"matrix_transpose: the array must have at least 2 axes (shape {tuple(x.shape)})")
    return x.mT


def moveaxis(x: Tensor, source: Axes, destination: Axes, /) -> Tensor:
    """A view with axes moved to new places; the others keep their order.

    >>> xp.moveaxis(xp.zeros((2, 3, 4)), 0, -1).shape
    torch.Size([3, 4, 2])
    """
    from_ = all_wrapped("moveaxis", source, checked("moveaxis", x).ndim)
    to = all_wrapped("moveaxis", destination, x.ndim)
    if len(from_) != len(to):
        raise ValueError(f"moveaxis: {len(from_)} axes must go to as many places ({len(to)} are given)")
    return x.movedim(from_, to)


def permute_dims(x: Tensor, /, axes: tuple[int, ...]) -> Tensor:
    """A view with the axes in another order: axis i is the old axis axes[i]; ValueError where it is no order.

    >>> xp.permute_dims(xp.zeros((2, 3, 4)), (2, 0, 1)).shape
    torch.Size([4, 2, 3])
    """
    order = all_wrapped("permute_dims", axes, checked("permute_dims", x).ndim)
    if len(order) != x.ndim:
        raise ValueError(f"permute_dims: axes {order} must name each of {x.ndim} axes once")
    return x.permute(order)


def repeat(x: Tensor, repeats: int | Tensor, /, *, axis: int | None = None) -> Tensor:
    """Each element repeated along an axis, all as often, or each by its own number; None flattens first.

    >>> xp.repeat(xp.arange(3), 2)
    tensor([0, 0, 1, 1, 2, 2])
    """
    checked("repeat", x)
    if axis is not None:
        axis = wrapped("repeat", axis, x.ndim)
    if isinstance(repeats, Tensor):
        if repeats.ndim > 1:
            raise ValueError(f"repeat: repeats must have one axis at most (shape {tuple(repeats.shape)})")
        size = x.numel() if axis is None else x.shape[axis]
        if repeats.numel() != 1 and repeats.numel() != size:
            raise ValueError(f"repeat: {repeats.numel()} repeats must be one, or {size} (shape {tuple(x.shape)})")
        if repeats.numel() == 1:
            repeats = int(repeats.reshape(()))
        elif repeats.dtype not in (_tenstride.int32, _tenstride.int64):
            repeats = repeats.to(_tenstride.int64)
    if isinstance(repeats, int) and repeats < 0:
        raise ValueError(f"repeat: repeats must not be negative ({repeats} is given)")
    if axis is None:
        return x.reshape(-1).repeat_interleave(repeats, 0)
    return x.repeat_interleave(repeats, axis)


def reshape(x: Tensor, /, shape: tuple[int, ...], *, copy: bool | None = None) -> Tensor:
    """The elements in another shape, in row-major order; one size may be -1: what is left.

    A view where one exists, unless `copy=True`; ValueError with `copy=False` where none does, and where the sizes
    do not fit.

    >>> xp.reshape(xp.arange(6), (2, -1)).shape
    torch.Size([2, 3])
    """
    checked("reshape", x)
    try:
        return x.reshape(tuple(shape) if isinstance(shape, Sequence) else (shape,), copy=copy)
    except RuntimeError as error:
        raise ValueError(str(error)) from None


def roll(x: Tensor, /, shift: Axes, *, axis: Axes | None = None) -> Tensor:
    """A copy with elements moved along axes, around the end; without an axis along the flattened array.

    >>> xp.roll(xp.arange(4), 1)
    tensor([3, 0, 1, 2])
    """
    checked("roll", x)
    if axis is None:
        if not isinstance(shift, int):
            raise ValueError(f"roll: several shifts {tuple(shift)} need as many axes")
        return x.reshape(-1).roll(shift, 0).reshape(x.shape)
    axes = (axis,) if isinstance(axis, int) else entries_of(axis, "roll")
    axes = tuple(wrapped("roll", entry, x.ndim) for entry in axes)
    shifts = (shift,) * len(axes) if isinstance(shift, int) else entries_of(shift, "roll")
    if len(shifts) != len(axes):
        raise ValueError(f"roll: {len(shifts)} shifts must be one, or as many as the axes ({len(axes)})")
    return x.roll(shifts, axes) if axes else x.clone()


def squeeze(x: Tensor, /, axis: Axes) -> Tensor:
    """A view without the named axes; ValueError where one's size is not 1, IndexError where it is not there.

    >>> xp.squeeze(xp.zeros((1, 3, 1)), axis=0).shape
    torch.Size([3, 1])
    """
    axes = all_wrapped("squeeze", axis, checked("squeeze", x).ndim)
    if any(x.shape[entry] != 1 for entry in axes):
        raise ValueError(f"squeeze: axes {axis} must have size 1 (shape {tuple(x.shape)})")
    return x.squeeze(axes)


def stack(arrays: Sequence[Tensor], /, *, axis: int = 0) -> Tensor:
    """Joined along a new axis; ValueError where the shapes differ.

    >>> xp.stack([xp.zeros(3), xp.ones(3)], axis=1).shape
    torch.Size([3, 2])
    """
    given = [checked("stack", x) for x in entries_of(arrays, "stack")]
    if not given:
        raise ValueError("stack: at least one array must be given")
    for x in given[1:]:
        if x.shape != given[0].shape:
            raise ValueError(f"stack: shapes {tuple(given[0].shape)} and {tuple(x.shape)} must be equal")
    return _tenstride.stack(_of_one_type(given), dim=wrapped("stack", axis, given[0].ndim + 1))


def tile(x: Tensor, repetitions: tuple[int, ...], /) -> Tensor:
    """The whole repeated along each axis, the last ones first.

    >>> xp.tile(xp.arange(2), (2, 2))
    tensor([[0, 1, 0, 1],
            [0, 1, 0, 1]])
    """
    return checked("tile", x).tile(entries_of(repetitions, "tile"))


def unstack(x: Tensor, /, *, axis: int = 0) -> tuple[Tensor, ...]:
    """Views of the parts along an axis, without it.

    >>> [part.tolist() for part in xp.unstack(xp.reshape(xp.arange(4), (2, 2)))]
    [[0, 1], [2, 3]]
    """
    return tuple(x.unbind(wrapped("unstack", axis, checked("unstack", x).ndim)))
