# SPDX-License-Identifier: Apache-2.0
"""`reduce` by a function: the pattern as one that brings the reduced axes to the end, and one for what is left."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import _tenstride
from ._kinds import as_array, looked_at
from ._pattern import tokens_of
from ._rearrange import rearrange


def _axes_of(side: str) -> list[str]:
    return [token for token in tokens_of(side) if token not in ("(", ")", "1")]


def _with_names(left: str, axes_lengths: dict[str, int]) -> tuple[str, dict[str, int]]:
    """The left side with a name for each number, `(h 2)` as `(h number0)`, and all lengths."""
    lengths = dict(axes_lengths)
    words = []
    for token in tokens_of(left):
        if token.isdecimal() and int(token) > 1:
            name = f"number{len(lengths)}"
            while name in lengths or name in left:
                name += "x"
            lengths[name] = int(token)
            words.append(name)
        else:
            words.append(token)
    return " ".join(words), lengths


def reduce_by(
    tensor: Any, pattern: str, reduction: Callable[[Any, tuple[int, ...]], Any], axes_lengths: dict[str, int]
) -> Any:
    """What `reduce` gives where the reduction is a function of the array and the axes to reduce."""
    # Refuses what is no pattern of a reduction, or does not fit the shape, with nothing moved.
    several = isinstance(tensor, (list, tuple))
    tensor = [as_array(one) for one in tensor] if several else as_array(tensor)
    shapes = [looked_at(one, "reduce").shape for one in (tensor if several else [tensor])]
    metas = [_tenstride.empty(shape, device="meta") for shape in shapes]
    _tenstride._reduce(metas if several else metas[0], pattern, "sum", axes_lengths)

    left, right = pattern.split("->")
    left, lengths = _with_names(left, axes_lengths)
    kept = _axes_of(right)
    reduced = [axis for axis in _axes_of(left) if axis not in kept]
    if not reduced:
        return rearrange(tensor, f"{left} -> {right}", **lengths)
    ordered = rearrange(tensor, f"{left} -> {' '.join([*kept, *reduced])}", **lengths)
    rank = len(ordered.shape)
    # The dots stand for any number of axes.
    first = len(kept) if "..." in reduced else rank - len(reduced)
    result = reduction(ordered, tuple(range(first, rank)))
    if tokens_of(right) == kept:
        return result
    names = set(kept)
    return rearrange(result, f"{' '.join(kept)} -> {right}", **{n: s for n, s in lengths.items() if n in names})
