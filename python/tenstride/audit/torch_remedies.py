# SPDX-License-Identifier: Apache-2.0
"""Copies of PyTorch's for which a view of the same elements exists: advice that was checked on the values."""

from __future__ import annotations

from typing import Any

import torch  # type: ignore[import-not-found,unused-ignore]

from .slices import arithmetic, slice_text

_MOST = 65536  # indices that are read


def index_remedy(call: str, args: Any) -> str | None:
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


def repeat_remedy(args: Any, target: Any) -> str | None:
    """expand, where only axes of size 1 are repeated."""
    repeats, shape = list(args[1]), list(args[0].shape)
    shape = [1] * (len(repeats) - len(shape)) + shape
    if all(count == 1 or size == 1 for count, size in zip(repeats, shape)):
        sizes = ", ".join(str(size) for size in target.shape)
        return f"only axes of size 1 are repeated: expand({sizes}) is a view of the same"
    return None
