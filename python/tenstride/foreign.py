# SPDX-License-Identifier: Apache-2.0
"""Operations that move elements, for the arrays of other libraries.

Each takes tensors, NumPy arrays, PyTorch tensors and whatever speaks DLPack or has the buffer protocol, and
gives the same kind back: on the same memory where a view will do, by one copy where it will not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from . import _tenstride
from ._dtypes import dtype_of
from ._kinds import call, is_numpy, looked_at, take_all
from ._rearrange import copy_rule, rearrange
from ._reduce_by import reduce_by
from ._size import entries_of
from ._tenstride import Tensor

__all__ = [
    "astype",
    "cat",
    "concat",
    "concatenate",
    "contiguous",
    "pack",
    "parse_shape",
    "permute_copy",
    "rearrange",
    "reduce",
    "repeat",
    "stack",
    "unpack",
]


def reduce(
    tensor: Any, pattern: str, reduction: str | Callable[[Any, tuple[int, ...]], Any], **axes_lengths: int
) -> Any:
    """Rearranges, and reduces the axes that the right side leaves out, by "sum", "mean", "min", "max",
    "prod", "any" or "all", or by a function of the array and a tuple of the axes to reduce, as numpy.mean.

    >>> import numpy
    >>> tenstride.reduce(numpy.arange(6.0).reshape(2, 3), "h w -> h", "max")
    array([2., 5.])
    """
    if callable(reduction):
        return reduce_by(tensor, pattern, reduction, axes_lengths)
    return call("reduce", lambda given, _: _tenstride._reduce(given, pattern, reduction, axes_lengths), tensor)


def repeat(tensor: Any, pattern: str, *, copy: bool | int | None = None, **axes_lengths: int) -> Any:
    """Rearranges, and repeats the elements along the axes that only the right side has; a view (stride 0)
    where one exists, as `rearrange`; so is `copy`.

    >>> import numpy
    >>> tenstride.repeat(numpy.arange(2), "w -> h w", h=2)
    array([[0, 1],
           [0, 1]])
    """
    rule = copy_rule("repeat", pattern, axes_lengths, copy)
    return call(
        "repeat",
        lambda given, kind: _tenstride._repeat(given, kind.pattern(pattern), axes_lengths, rule),
        tensor,
        moves=True,
    )


def pack(tensors: Sequence[Any], pattern: str) -> tuple[Any, Any]:
    """Joins arrays along the axes that `*` stands for; gives the whole and their shapes there, for `unpack`.

    >>> import numpy
    >>> whole, shapes = tenstride.pack([numpy.zeros((2, 3)), numpy.zeros((2, 4, 5))], "b *")
    >>> whole.shape
    (2, 23)
    """
    kind, given = take_all("pack", tensors, moves=True)
    whole, shapes = _tenstride._pack(given, kind.pattern(pattern))
    return kind.give(whole), shapes


def unpack(tensor: Any, packed_shapes: Any, pattern: str) -> Any:
    """The parts that `pack` joined, as views of the whole.

    >>> import numpy
    >>> [part.shape for part in tenstride.unpack(numpy.zeros((2, 23)), [(3,), (4, 5)], "b *")]
    [(2, 3), (2, 4, 5)]
    """
    return call(
        "unpack",
        lambda given, kind: _tenstride._unpack(given, packed_shapes, kind.pattern(pattern)),
        tensor,
        moves=True,
    )


def parse_shape(x: Any, pattern: str) -> dict[str, int]:
    """The sizes of the axes by the names that the pattern gives them; `_` skips one.

    >>> import numpy
    >>> tenstride.parse_shape(numpy.zeros((2, 3, 4)), "h _ w")
    {'h': 2, 'w': 4}
    """
    return _tenstride._parse_shape(looked_at(x, "parse_shape"), pattern)


def contiguous(tensor: Any, *, memory_format: Any = None) -> Any:
    """The very same array where its elements lie in row-major order (or `memory_format`), else a copy.

    >>> import numpy
    >>> a = numpy.zeros((2, 3))
    >>> tenstride.contiguous(a) is a, tenstride.contiguous(a.T).strides
    (True, (16, 8))
    """
    order = _tenstride.contiguous_format if memory_format is None else _format(memory_format)
    plain = order in (_tenstride.contiguous_format, _tenstride.preserve_format)
    return call("contiguous", lambda given, _: given.contiguous(memory_format=order), tensor, moves=plain)


def permute_copy(input: Any, dims: Sequence[int], *, out: Tensor | None = None) -> Any:
    """The axes in another order, always as a copy in row-major order; a tensor given as `out` takes it.

    >>> import numpy
    >>> tenstride.permute_copy(numpy.zeros((2, 3, 4)), (2, 0, 1)).shape
    (4, 2, 3)
    """
    if out is not None:
        return _tenstride.permute_copy(looked_at(input, "permute_copy"), tuple(dims), out=out)
    return call("permute_copy", lambda given, kind: _permuted(given, dims, kind), input, moves=True)


def astype(x: Any, dtype: Any, *, copy: bool = True) -> Any:
    """The elements converted to another type, in the same order of axes; `copy=False` gives the array itself
    where it has the type already. `dtype` is tenstride's, NumPy's or PyTorch's, or its name.

    >>> import numpy
    >>> tenstride.astype(numpy.array([1.5, 2.5]), tenstride.int32)
    array([1, 2], dtype=int32)
    """
    wanted = dtype_of(dtype, "astype", of_numpy=is_numpy(x))
    return call("astype", lambda given, _: given.to(dtype=wanted, copy=copy), x)


def stack(tensors: Sequence[Any], dim: int = 0, *, axis: int | None = None, out: Tensor | None = None) -> Any:
    """Joins arrays of one shape along a new axis; NumPy's name of the argument, `axis`, is taken, too. A tensor
    given as `out` takes the result: one of another shape is resized, one of a lower kind of type refused.

    >>> import numpy
    >>> tenstride.stack([numpy.zeros(3), numpy.ones(3)], dim=1).shape
    (3, 2)
    """
    place = dim if axis is None else axis
    if out is not None:
        return _tenstride.stack(take_all("stack", tensors)[1], place, out=out)
    kind, given = take_all("stack", tensors, moves=True)
    return kind.give(_tenstride.stack(given, kind.dim(place)))


def cat(tensors: Sequence[Any], dim: int = 0, *, axis: int | None = None, out: Tensor | None = None) -> Any:
    """Joins arrays along an axis that they have; NumPy's name of the argument, `axis`, is taken, too. A tensor
    given as `out` takes the result: one of another shape is resized, one of a lower kind of type refused.

    >>> import numpy
    >>> tenstride.cat([numpy.zeros((2, 3)), numpy.ones((1, 3))]).shape
    (3, 3)
    """
    place = dim if axis is None else axis
    if out is not None:
        return _tenstride.cat(take_all("cat", tensors)[1], place, out=out)
    kind, given = take_all("cat", tensors, moves=True)
    return kind.give(_tenstride.cat(given, kind.dim(place)))


concat = cat
concatenate = cat


def _permuted(given: Tensor, dims: Sequence[int], kind: Any) -> Tensor:
    """A copy whose words, if there are some for each element, stay behind."""
    order = [kind.dim(dim) for dim in entries_of(dims, "permute_copy")]
    return _tenstride.permute_copy(given, (*order, *range(kind.dim(-1) + 1, 0)))


def _format(memory_format: Any) -> Any:
    """tenstride's memory format of PyTorch's."""
    if isinstance(memory_format, _tenstride.memory_format):
        return memory_format
    return getattr(_tenstride, str(memory_format).rpartition(".")[2])
