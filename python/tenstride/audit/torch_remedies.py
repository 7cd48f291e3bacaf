# SPDX-License-Identifier: Apache-2.0
"""Copies for which a view of the same elements exists: advice that was checked on the values."""

from __future__ import annotations

from typing import Optional, Sequence

import torch

_MOST = 65536  # indices that are read


def arithmetic(values: Sequence[int]) -> Optional[range]:
    """The range that the numbers are, where they are one with a step of at least 1.

    >>> arithmetic([2, 4, 6]), arithmetic([0, 0]), arithmetic([3, 2])
    (range(2, 7, 2), None, None)
    """
    if not values or values[0] < 0:
        return None
    step = values[1] - values[0] if len(values) > 1 else 1
    if step < 1 or any(b - a != step for a, b in zip(values, values[1:])):
        return None
    return range(values[0], values[-1] + 1, step)


def slice_text(axis: int, picked: range) -> str:
    """``x[:, 2:7:2]``.

    >>> slice_text(1, range(2, 7, 2)), slice_text(0, range(0, 3))
    ('x[:, 2:7:2]', 'x[0:3]')
    """
    step = f":{picked.step}" if picked.step != 1 else ""
    return "x[" + ":, " * axis + f"{picked.start}:{picked.stop}{step}]"


def index_remedy(call: str, args) -> Optional[str]:
    """A slice that gives the same, where the indices are evenly spaced."""
    if call == "index_select":
        axis, index = args[1] % max(args[0].dim(), 1), args[2]
    else:
        given = [(axis, one) for axis, one in enumerate(args[1]) if one is not None]
        if len(given) != 1:
            return None
        axis, index = given[0]
    if index.device.type != "cpu" or index.dtype not in (torch.int64, torch.int32) or index.dim() != 1:
        return None
    if not 0 < index.numel() <= _MOST:
        return None
    values = index.tolist()
    picked = arithmetic(values)
    if picked is not None:
        return f"the indices are evenly spaced: {slice_text(axis, picked)} has the same elements as a view"
    if args[0].shape[axis] == 1 and not any(values):
        return f"the axis has one element: expand makes {len(values)} of it as a view"
    return None


def repeat_remedy(args, target) -> Optional[str]:
    """expand, where only axes of size 1 are repeated."""
    repeats, shape = list(args[1]), list(args[0].shape)
    shape = [1] * (len(repeats) - len(shape)) + shape
    if all(count == 1 or size == 1 for count, size in zip(repeats, shape)):
        sizes = ", ".join(str(size) for size in target.shape)
        return f"only axes of size 1 are repeated: expand({sizes}) is a view of the same"
    return None
