# SPDX-License-Identifier: Apache-2.0
"""Reshapes that were probably meant to be a transpose: the rule of the library's ``scramble.hpp``, in Python.

It stands here so that auditing a PyTorch or NumPy program needs nothing compiled; a test holds the two against
each other over random sizes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, product
from operator import mul
from typing import NamedTuple

from .layouts import Sizes, sizes_text


class Reordering(NamedTuple):
    """A reshape in which an axis stands elsewhere and nothing moves.

    What was probably meant is ``x.reshape(split).permute(order).reshape(to)``; ``split`` is ``source`` where
    whole axes move. ``certainty`` is ``"certain"``, ``"likely"`` or ``"possible"``.
    """

    source: Sizes
    to: Sizes
    split: Sizes
    order: tuple[int, ...]
    certainty: str

    @property
    def code(self) -> str:
        """What was probably meant.

        >>> find_reordering((2, 16, 7, 7), (2, 49, 16)).code
        '.reshape(2, 16, 49).transpose(1, 2)'
        """
        text = ""
        if self.split != self.source:
            is_view = set(_boundaries(self.source)) <= set(_boundaries(self.split))
            text += (".view(" if is_view else ".reshape(") + ", ".join(map(str, self.split)) + ")"
        moved = [i for i, axis in enumerate(self.order) if axis != i]
        axes = moved if len(moved) == 2 else list(self.order)
        text += (".transpose(" if len(moved) == 2 else ".permute(") + ", ".join(map(str, axes)) + ")"
        sizes = tuple(self.split[axis] for axis in self.order)
        if sizes != self.to:
            is_view = _without_ones(sizes) == _without_ones(self.to)
            text += (".view(" if is_view else ".reshape(") + ", ".join(map(str, self.to)) + ")"
        return text

    def __str__(self) -> str:
        is_reorder = sorted(_without_ones(self.source)) == sorted(_without_ones(self.to))
        is_possible = self.certainty == "possible"
        return (
            f"the sizes {sizes_text(self.source)} {'are reordered to' if is_reorder else 'become'} "
            f"{sizes_text(self.to)} but no axis is moved, so the elements {'may be' if is_possible else 'are'} "
            f"scrambled; {'possibly' if is_possible else 'probably'} meant: {self.code}"
        )


class _Swap(NamedTuple):
    """Two neighbouring blocks exchanged, `left` and `right`, behind `before`: how many each holds."""

    before: int
    left: int
    right: int


def _boundaries(sizes: Sequence[int]) -> list[int]:
    """How many there are of what stands before each axis, and of all: 1, 2, 6 for (2,3)."""
    return list(accumulate(sizes, mul, initial=1))


def _without_ones(sizes: Iterable[int]) -> Sizes:
    return tuple(size for size in sizes if size != 1)


def _nest(*boundaries: Iterable[int]) -> bool:
    """Whether each divides the next: then axes with these boundaries only split and merge each other."""
    chain = sorted(set().union(*boundaries))
    return all(right % left == 0 for left, right in zip(chain, chain[1:]))


def _split(swap: _Swap, old: list[int], new: list[int]) -> Sizes | None:
    """The old sizes, so split or merged that whole axes make the exchange; None where they do not come to that."""
    before, left, right = swap
    end = before * left * right
    if not _nest(new, (before, before * right, end)):
        return None
    cuts = {1, before, before * left, end}
    for boundary in new:
        if boundary <= before or boundary >= end:
            cuts.add(boundary)
        else:
            cuts.add(boundary * left if boundary < before * right else boundary // right)
    # Axes are only split or only merged before they move.
    if not (cuts <= set(old) or (cuts >= set(old) and _nest(cuts))):
        return None
    chain = sorted(cuts)
    return tuple(b // a for a, b in zip(chain, chain[1:]))


def _swap_of(was: int, now: int, run: int, old: list[int], new: list[int]) -> _Swap | None:
    """The exchange by which whole axes of `run` elements that begin at boundary `was` come to `now`."""
    before, beyond = min(was, now), max(was, now)
    other = beyond // before
    if beyond % before != 0 or other in (1, run):
        return None
    swap = _Swap(before, run, other) if was < now else _Swap(before, other, run)
    # A boundary that both sizes have is kept: nothing needs to have crossed it.
    return None if before * swap.left in new or before * swap.right in old else swap


def _swaps(source: Sizes, to: Sizes) -> Iterator[tuple[int, int, _Swap, Sizes]]:
    """The exchanges that make the new sizes, where whole axes move: what they assume, minus the axes, the split."""
    old, new = _boundaries(source), _boundaries(to)
    if set(old) <= set(new) or set(old) >= set(new):
        return  # axes are only split, or only merged
    for first, start in product(range(len(source)), range(len(to))):
        for length in range(1, min(len(source) - first, len(to) - start) + 1):
            if source[first + length - 1] != to[start + length - 1]:
                break
            swap = _swap_of(old[first], new[start], old[first + length] // old[first], old, new)
            split = None if swap is None else _split(swap, old, new)
            if swap is not None and split is not None:
                ends = (swap.before, swap.before * swap.left * swap.right)
                assumed = sum((end not in old) + (end not in new) for end in ends)
                yield assumed, -length, swap, split


def _blocks(swap: _Swap, split: Sizes) -> tuple[int, ...]:
    """The order of the split axes in which the two blocks are exchanged."""
    old = _boundaries(split)
    a, b, c = (old.index(edge) for edge in (swap.before, swap.before * swap.left, swap.before * swap.left * swap.right))
    return (*range(a), *range(b, c), *range(a, b), *range(c, len(split)))


def _reorder(source: Sizes, to: Sizes) -> tuple[int, ...]:
    """The axes of the source that have the sizes asked for; axes of equal size keep their order."""
    order: list[int] = []
    for size in to:
        order.append(next(axis for axis, have in enumerate(source) if have == size and axis not in order))
    return tuple(order)


def _among_ones(sizes: Sizes, other: Sizes) -> list[int]:
    """The axes of some sizes, and -1 for each axis of size 1 that the other sizes have there."""
    ones = [(start, 0, -1) for size, start in zip(other, _boundaries(other)) if size == 1]
    axes = [(start, 1, axis) for axis, start in zip(range(len(sizes)), _boundaries(sizes))]
    return [axis for _, _, axis in sorted(ones + axes)]


def _with_ones(source: Sizes, to: Sizes, split: Sizes, order: Sequence[int]) -> tuple[Sizes, tuple[int, ...]]:
    """The split and the order with the source's axes of size 1: each where `to` has one, the rest at the end."""
    axes = _among_ones(split, source)
    ones = [place for place, axis in enumerate(axes) if axis < 0]
    full = []
    for i in _among_ones(tuple(split[axis] for axis in order), to):
        if i >= 0:
            full.append(axes.index(order[i]))
        elif ones:
            full.append(ones.pop(0))
    return tuple(1 if axis < 0 else split[axis] for axis in axes), (*full, *ones)


def find_reordering(source: Sequence[int], to: Sequence[int]) -> Reordering | None:
    """The scramble of a reshape, or None.

    It is one where, axes of size 1 aside, the new sizes are the old ones in another order, or are made of them by
    exchanging two neighbouring blocks, one of them whole axes that stand whole in the new sizes. Equal sizes, a
    split, a merge and empty tensors are none.

    >>> find_reordering((2, 3), (3, 2)).code
    '.transpose(0, 1)'
    >>> find_reordering((30, 200, 512), (30, 8, 200, 64)).code
    '.view(30, 200, 8, 64).transpose(1, 2)'
    >>> find_reordering((4, 4), (4, 4)) is None
    True
    """
    source, to = tuple(source), tuple(to)
    old, new = _without_ones(source), _without_ones(to)
    if old == new or 0 in old or _boundaries(old)[-1] != _boundaries(new)[-1]:
        return None
    is_reorder = sorted(old) == sorted(new)
    split, order = old, ()
    if is_reorder:
        order = _reorder(old, new)
    else:
        likeliest = min(_swaps(old, new), default=None)
        if likeliest is None:
            return None
        _, _, swap, split = likeliest
        order = _blocks(swap, split)
    indications = is_reorder + (not _nest(_boundaries(old), _boundaries(new)))
    split, order = _with_ones(source, to, split, order)
    return Reordering(source, to, split, order, ("possible", "likely", "certain")[indications])
