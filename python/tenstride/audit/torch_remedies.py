# SPDX-License-Identifier: Apache-2.0
"""Copies of PyTorch's for which a view of the same elements exists, checked on the values while they are there."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch  # type: ignore[import-not-found,unused-ignore]

from .layouts import Layout
from .slices import arithmetic, slice_text

_MAX_INDICES = 65536  # indices that are read


class Remedy(NamedTuple):
    """A view in place of a copy: what to write, how a program would follow it (`Fix.edit`), and the view's layout."""

    text: str
    edit: str
    view: Layout


def remedy_of(call: str, args: Any, target: Any) -> Remedy | None:
    """The view that has the elements of the copy `target`, or None."""
    try:
        if call in ("index", "_unsafe_index", "index_select"):
            return _of_index(call, args, target)
        if call == "repeat":
            return _of_repeat(args, target)
        if call == "constant_pad_nd" and not any(args[1]):
            return _remedy(
                "every pad is 0: a copy for nothing, leave the call out (if any(pad): …)", "drop", args[0], target
            )
        if call == "cat":
            parts = [one for one in args[0] if one.numel()]
            text = "all parts but one are empty: a copy for nothing, take that one"
            return _remedy(text, "", parts[0], target) if len(parts) == 1 else None
    except (RuntimeError, TypeError, ValueError, IndexError):
        pass  # a tensor that cannot be read here (meta, a subclass): no advice
    return None


def _remedy(text: str, edit: str, view: Any, target: Any) -> Remedy | None:
    if view.shape != target.shape:
        return None
    return Remedy(text, edit, Layout(tuple(view.shape), tuple(view.stride()), int(view.storage_offset())))


def _of_index(call: str, args: Any, target: Any) -> Remedy | None:
    """A slice, where the indices are evenly spaced."""
    if call == "index_select":
        axis, index = args[1] % max(args[0].dim(), 1), args[2]
    else:
        given = [(axis, one) for axis, one in enumerate(args[1]) if one is not None]
        if len(given) != 1:
            return None
        axis, index = given[0]
    if index.device.type != "cpu" or index.dtype not in (torch.int64, torch.int32) or index.dim() != 1:
        return None
    if not 0 < index.numel() <= _MAX_INDICES:
        return None
    values = index.tolist()
    picked = arithmetic(values)
    if picked is not None:
        text = f"the indices are evenly spaced: {slice_text(axis, picked)} has the same elements as a view"
        stop = None if picked.stop == 0 else picked.stop
        view = args[0][(slice(None),) * axis + (slice(picked.start, stop, picked.step),)]
        return _remedy(text, "slice", view, target)
    if args[0].shape[axis] == 1 and not any(values):
        text = f"the axis has one element: expand makes {len(values)} of it as a view"
        return _remedy(text, "expand", args[0].expand(target.shape), target)
    return None


def _of_repeat(args: Any, target: Any) -> Remedy | None:
    """expand, where only axes of size 1 are repeated."""
    repeats, shape = list(args[1]), list(args[0].shape)
    shape = [1] * (len(repeats) - len(shape)) + shape
    if not all(count == 1 or size == 1 for count, size in zip(repeats, shape)):
        return None
    sizes = ", ".join(str(size) for size in target.shape)
    text = f"only axes of size 1 are repeated: expand({sizes}) is a view of the same"
    return _remedy(text, "expand", args[0].expand(target.shape), target)
