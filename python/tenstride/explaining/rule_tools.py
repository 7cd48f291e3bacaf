# SPDX-License-Identifier: Apache-2.0
"""What the rules of shapes are written with. Their tensors have layouts and no elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import _tenstride
from .._tenstride import Tensor


def new(shape: Sequence[int], like: Tensor, dtype: Any = None) -> Tensor:
    """A contiguous tensor, with the dtype of another unless one is given."""
    return _tenstride.empty(tuple(shape), dtype=dtype or like.dtype, device="meta")


def alike(x: Tensor, dtype: Any = None) -> Tensor:
    """What an element-wise operation gives: the strides stay where the tensor is dense."""
    return _tenstride.empty_like(x, dtype=dtype or x.dtype, device="meta")


def floating(x: Tensor) -> Any:
    """The dtype of what gives fractions: float32 of integers."""
    return x.dtype if x.is_floating_point() or x.is_complex() else _tenstride.float32


def many(value: Any, count: int) -> tuple[int, ...]:
    """A number for each of some axes: `3` or `(3, 5)`."""
    return (value,) * count if isinstance(value, int) else tuple(value)


def text(sizes: Sequence[int]) -> str:
    """Sizes as PyTorch's errors print them: `[2, 3]`."""
    return "[" + ", ".join(map(str, sizes)) + "]"
