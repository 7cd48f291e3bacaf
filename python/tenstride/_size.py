# SPDX-License-Identifier: Apache-2.0
"""The shape of a tensor."""

from __future__ import annotations

import itertools
import math
import reprlib
from collections.abc import Iterable, Sequence
from typing import Any, SupportsIndex, overload

#: What an iterable may give: it may have no end.
MAX_ENTRIES = 1 << 16


def entries_of(given: Iterable[Any], operation: str) -> Sequence[Any]:
    """The entries of an iterable; ValueError where there are more than 65,536 and it is no list."""
    if isinstance(given, (tuple, list)):
        return tuple(given)
    entries = tuple(itertools.islice(given, MAX_ENTRIES + 1))
    if len(entries) > MAX_ENTRIES:
        raise ValueError(f"{operation}: {type(given).__name__} must give at most {MAX_ENTRIES} entries; give a list")
    return entries


class Size(tuple):
    """A tuple of ints, one for each axis, as PyTorch's.

    >>> torch.Size([2, 3])
    torch.Size([2, 3])
    >>> torch.zeros(2, 3, 4).shape[1:]
    torch.Size([3, 4])
    """

    __slots__ = ()

    def __new__(cls, sizes: Iterable[int] = ()) -> Size:
        items = entries_of(sizes, "Size")
        for item in items:
            if not hasattr(item, "__index__"):
                raise TypeError(f"Size: {reprlib.repr(item)} must be an int")
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
