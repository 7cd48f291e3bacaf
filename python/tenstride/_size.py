# SPDX-License-Identifier: Apache-2.0
"""The shape of a tensor."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import SupportsIndex, overload


class Size(tuple):
    """A tuple of ints, one for each axis, as PyTorch's.

    >>> torch.Size([2, 3])
    torch.Size([2, 3])
    >>> torch.zeros(2, 3, 4).shape[1:]
    torch.Size([3, 4])
    """

    __slots__ = ()

    def __new__(cls, sizes: Iterable[int] = ()) -> Size:
        items = tuple(sizes)
        for item in items:
            if not hasattr(item, "__index__"):
                raise TypeError(f"Size: {item!r} must be an int")
        return super().__new__(cls, (item.__index__() for item in items))

    def numel(self) -> int:
        """How many elements a tensor of these sizes has: 1 for no axis.

        >>> torch.Size([2, 3]).numel()
        6
        """
        return math.prod(self)

    @overload
    def __getitem__(self, index: SupportsIndex) -> int: ...
    @overload
    def __getitem__(self, index: slice) -> Size: ...
    def __getitem__(self, index):
        found = super().__getitem__(index)
        return Size(found) if isinstance(index, slice) else found

    def __add__(self, other: tuple) -> Size:
        if not isinstance(other, tuple):
            return NotImplemented
        return Size(super().__add__(other))

    def __radd__(self, other: tuple) -> Size:
        if not isinstance(other, tuple):
            return NotImplemented
        return Size(other + tuple(self))

    def __mul__(self, count: SupportsIndex) -> Size:
        return Size(super().__mul__(count))

    __rmul__ = __mul__

    def __repr__(self) -> str:
        return f"torch.Size([{', '.join(map(str, self))}])"

    def __reduce__(self):
        return Size, (tuple(self),)
