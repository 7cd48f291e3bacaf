# SPDX-License-Identifier: Apache-2.0
"""What the rules of shapes are written with. Their tensors have layouts and no elements."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import Any

from .. import _tenstride
from .._tenstride import Tensor


def new(shape: Sequence[int], like: Tensor | None = None, dtype: Any = None) -> Tensor:
    """A contiguous tensor, with the dtype of another unless one is given."""
    chosen = dtype or (like.dtype if like is not None else _tenstride.float32)
    return _tenstride.empty(tuple(shape), dtype=chosen, device="meta")


def alike(x: Tensor, dtype: Any = None) -> Tensor:
    """What an element-wise operation gives: the strides stay where the tensor is dense."""
    return _tenstride.empty_like(x, dtype=dtype or x.dtype, device="meta")


def floating(x: Tensor) -> Any:
    """The dtype of what gives fractions: float32 of integers."""
    return x.dtype if x.is_floating_point() or x.is_complex() else _tenstride.float32


def axis(dim: int, rank: int) -> int:
    """An axis counted from 0. IndexError in PyTorch's words."""
    limit = max(rank, 1)
    if not -limit <= dim < limit:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-limit}, {limit - 1}], but got {dim})")
    return dim % limit


def broadcast(*shapes: Sequence[int]) -> tuple[int, ...]:
    """The common shape. RuntimeError in PyTorch's words."""
    rank = max(map(len, shapes), default=0)
    result = [1] * rank
    for shape in shapes:
        for place in range(1, len(shape) + 1):
            size, have = shape[-place], result[-place]
            if size != have and 1 not in (size, have):
                raise RuntimeError(
                    f"The size of tensor a ({have}) must match the size of tensor b ({size}) at non-singleton "
                    f"dimension {rank - place}"
                )
            result[-place] = size if have == 1 else have
    return tuple(result)


def reduced(x: Tensor, dim: Any, keepdim: bool, dtype: Any = None) -> Tensor:
    """What is left of a reduction along one axis, several, or all."""
    if dim is None:
        axes = builtins.set(range(x.dim()))
    else:
        axes = {axis(one, x.dim()) for one in ((dim,) if isinstance(dim, int) else dim)}
    sizes = [1 if i in axes else size for i, size in enumerate(x.shape) if keepdim or i not in axes]
    return new(sizes, x, dtype)


def many(value: Any, count: int) -> tuple[int, ...]:
    """A number for each of some axes: `3` or `(3, 5)`."""
    return (value,) * count if isinstance(value, int) else tuple(value)


def text(sizes: Sequence[int]) -> str:
    """Sizes as PyTorch's errors print them: `[2, 3]`."""
    return "[" + ", ".join(map(str, sizes)) + "]"
