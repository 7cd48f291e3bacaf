# SPDX-License-Identifier: Apache-2.0
"""What is said about a layout: in how many words it is not contiguous, and why it cannot be viewed otherwise."""

from __future__ import annotations

from .. import _tenstride, numpy as _numpy
from .._tenstride import Tensor, ViewExplanation
from ..audit.layouts import Layout, is_contiguous

_WORDS = ("axes out of order", "gaps", "repeats elements", "backwards", "overlaps itself")


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


def why_not_contiguous(layout: Layout) -> str | None:
    """The reasons in few words: 'gaps', 'axes out of order'; None for a contiguous layout.

    >>> why_not_contiguous(Layout((3, 2), (1, 3)))
    'axes out of order'
    """
    if is_contiguous(layout):
        return None
    text = _tenstride._why_not_contiguous(stand_in(layout)) or ""
    lines = [line.strip() for line in text.splitlines()]
    return ", ".join(word for word in _WORDS if any(line.startswith(word) for line in lines))


def why_not_view(layout: Layout, sizes: tuple[int, ...]) -> ViewExplanation | None:
    """Why no view in the sizes exists; None where one does."""
    return _tenstride._why_not_view(stand_in(layout), sizes)
