# SPDX-License-Identifier: Apache-2.0
"""Tensors that stand for layouts of which there is no tensor, and sizes that stand for others."""

from __future__ import annotations

import math

from .. import _tenstride, numpy as _numpy
from .._tenstride import Tensor
from ..audit.layouts import Layout


def stand_in(layout: Layout, dtype: object = None) -> Tensor:
    """A tensor without memory that lies as the layout says."""
    back = sum((size - 1) * -step for size, step in zip(layout.shape, layout.strides) if step < 0 and size)
    ahead = sum((size - 1) * step for size, step in zip(layout.shape, layout.strides) if step > 0 and size)
    offset = max(layout.offset, back)
    whole = _tenstride.empty(offset + ahead + 1, dtype=dtype or _tenstride.float32, device="meta")
    if back:
        item = whole.element_size()
        strides = [step * item for step in layout.strides]
        return _numpy.as_strided(whole[offset:] if offset else whole, layout.shape, strides)
    return whole.as_strided(layout.shape, layout.strides, offset)


def without_unknown(sizes: tuple[int, ...], count: int) -> tuple[int, ...]:
    """The sizes with what a -1 among them stands for, of `count` elements.

    >>> without_unknown((2, -1), 6)
    (2, 3)
    """
    return tuple(count // abs(math.prod(sizes)) if size == -1 and count else size for size in sizes)
