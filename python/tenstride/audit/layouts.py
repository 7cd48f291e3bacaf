# SPDX-License-Identifier: Apache-2.0
"""Layouts as the audit sees them: shape, strides and offset in elements. The extension answers questions about them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from .. import _tenstride

Obstacle = _tenstride._Obstacle
Scramble = _tenstride._Scramble
find_scramble = _tenstride._find_scramble
is_channels_last = _tenstride._is_channels_last
is_contiguous = _tenstride._is_contiguous
stand_in = _tenstride._stand_in
why_not_contiguous = _tenstride._contiguity_summary
why_not_view = _tenstride._obstacle

Sizes = tuple[int, ...]


def sizes_text(sizes: Sequence[int]) -> str:
    """Sizes or strides in the one printed form.

    >>> sizes_text((2, 3))
    '(2,3)'
    """
    return "(" + ",".join(map(str, sizes)) + ")"


class Layout(NamedTuple):
    """Where the elements of a tensor lie: shape, strides and offset, all in elements.

    >>> str(Layout((2, 3), (3, 1), 0))
    '(2,3):(3,1)+0'
    >>> print(why_not_view(Layout((2, 2, 3), (6, 1, 2)), (12,)))
    no view: axes 1 and 2 would merge, axis 1 has stride 1 and must have 6
    >>> why_not_contiguous(Layout((3, 2), (1, 3)))
    'axes out of order'
    >>> find_scramble((30, 200, 512), (30, 8, 200, 64)).code
    '.view(30, 200, 8, 64).transpose(1, 2)'
    """

    shape: Sizes
    strides: Sizes
    offset: int = 0

    def __str__(self) -> str:
        return f"{sizes_text(self.shape)}:{sizes_text(self.strides)}+{self.offset}"

    @property
    def numel(self) -> int:
        """How many elements it has."""
        return math.prod(self.shape)


def can_view(layout: Layout, shape: Sequence[int]) -> bool:
    """Whether the same elements can be seen in another shape (no -1) without a copy.

    >>> can_view(Layout((2, 3, 2), (6, 2, 1)), (2, 6)), can_view(Layout((2, 2, 3), (6, 1, 2)), (12,))
    (True, False)
    """
    return layout.numel == math.prod(shape) and why_not_view(layout, shape) is None
