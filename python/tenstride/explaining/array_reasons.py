# SPDX-License-Identifier: Apache-2.0
"""What steps of NumPy say: layouts in elements and bytes, why a call copied, why one was refused."""

from __future__ import annotations

import sys
from typing import Any

from .. import _tenstride
from .._kinds import looked_at
from ..audit.layouts import Layout, sizes_text, stand_in, why_not_contiguous, why_not_view
from ..audit.origins import made_not_contiguous, made_not_viewable
from ..audit.reasons import ALWAYS
from .steps import Origin, Step, without_unknown

_ALWAYS = {
    **ALWAYS,
    "append": "append writes a larger one",
    "array": "np.array copies unless told otherwise; np.asarray does not",
    "astype": "astype copies unless copy=False and the dtype is the same",
    "compress": ALWAYS["take"],
    "copy": "copy copies by its name",
    "delete": "delete writes what is left into a new one",
    "flatten": "flatten always copies; ravel does only where it must",
    "getitem": "indexing with lists, arrays or masks copies; slices are views",
    "insert": "insert writes a larger one",
}
_RESHAPES = ("reshape", "ravel", "resize")
_ORDERED = ("ascontiguousarray", "asfortranarray", "asarray", "require")


def layout_of(array: Any) -> Layout:
    """Where the elements lie, counted in elements, or in bytes where the strides are no multiples of an element."""
    root = array
    numpy = sys.modules["numpy"]
    while isinstance(getattr(root, "base", None), numpy.ndarray):
        root = root.base
    unit = array.itemsize or 1
    if any(stride % unit for stride in array.strides):
        unit = 1
    here, there = (one.__array_interface__["data"][0] for one in (array, root))
    offset = (here - there) // unit if here >= there else 0
    return Layout(tuple(array.shape), tuple(stride // unit for stride in array.strides), offset)


def describe(step: Step, array: Any) -> Layout:
    """Fills in what a step says of an array."""
    layout = layout_of(array)
    flags = array.flags
    orders = [letter for letter, is_so in (("C", flags.c_contiguous), ("F", flags.f_contiguous)) if is_so]
    step.layout, step.dtype = layout, str(array.dtype)
    step.contiguous = f"{', '.join(orders)} contiguous" if orders else "not contiguous"
    step.why_not_contiguous = why_not_contiguous(layout)
    step.strides_in_bytes = tuple(array.strides)
    if not flags.writeable:
        step.notes.append("read-only")
    return layout


def reason_of(
    name: str, source: Any, result: Any, args: tuple[Any, ...], named: dict[str, Any]
) -> tuple[str, int | None] | None:
    """Why a call of NumPy copied, and the number of the step to blame; None for what computes."""
    origin: Origin | None = source.origin
    layout = layout_of(source.held)
    if name in _RESHAPES:
        order = named.get("order") or next((arg for arg in args if isinstance(arg, str)), "C")
        obstacle = _obstacle(layout, tuple(result.shape), order, source.held)
        if obstacle is None:
            return f"{name} in order {order} does not read the elements as they lie", None
        blamed = made_not_viewable(origin, result.shape) if order == "C" else None
        return obstacle, blamed.step.number if blamed is not None else None
    if name in _ORDERED and result.shape == source.held.shape:
        if result.dtype != source.held.dtype:
            return f"{source.held.dtype} to {result.dtype}", None
        wanted = "row-major" if result.flags.c_contiguous else "column-major"
        blamed = made_not_contiguous(origin) if wanted == "row-major" else None
        have, want = sizes_text(layout.strides), sizes_text(layout_of(result).strides)
        return f"strides {have} are not the {wanted} {want}", blamed.step.number if blamed is not None else None
    return (_ALWAYS[name], None) if name in _ALWAYS else None


def _obstacle(layout: Layout, sizes: tuple[int, ...], order: str, array: Any) -> str | None:
    """What stands in the way of a view, in the order in which the elements are read."""
    if order == "A":
        order = "F" if array.flags.f_contiguous and not array.flags.c_contiguous else "C"
    if order != "F":
        found = why_not_view(layout, sizes)
        return None if found is None else str(found)
    found = why_not_view(Layout(layout.shape[::-1], layout.strides[::-1], layout.offset), sizes[::-1])
    if found is None:
        return None
    last = len(layout.shape) - 1
    return (
        f"no view in order F: axes {last - found.right_axis} and {last - found.left_axis} would merge, axis "
        f"{last - found.left_axis} has stride {found.stride_found} and must have {found.stride_needed}"
    )


def moved(kind: str, name: str, source: Any, result: Any, args: tuple[Any, ...]) -> tuple[int, int]:
    """The bytes that a call read and wrote, and those that it wrote."""
    if kind == "copy":
        return result.size * source.held.itemsize + result.nbytes, result.nbytes
    if kind != "self" or not ((name.startswith("i") and name != "isel") or name in ("setitem", "sort", "fill")):
        return 0, 0
    if name != "setitem":
        return 2 * result.nbytes, result.nbytes
    numpy = sys.modules["numpy"]
    key, value = (getattr(arg, "held", arg) for arg in args[1:3])
    written = numpy.asarray(result[key]).nbytes
    return written * (2 if isinstance(value, numpy.ndarray) else 1), written


def scramble(source: Any, result: Any, named: dict[str, Any]) -> str | None:
    """What is said of a reshape that only reorders the sizes, in NumPy's names."""
    if named.get("order", "C") != "C" or source.held.dtype.hasobject or source.held is result:
        return None
    try:
        tensor = looked_at(source.held, "explain")
    except (TypeError, ValueError, RuntimeError):
        tensor = stand_in(layout_of(source.held))
    text = _tenstride._explain_scramble(tensor, tuple(result.shape))
    if text is None:
        return None
    # NumPy's transpose takes all axes; the exchange of two is swapaxes.
    return text.replace(".transpose(", ".swapaxes(").replace(".permute(", ".transpose(").replace(".view(", ".reshape(")


def refusal(error: BaseException, name: str, inputs: list[Any], args: tuple[Any, ...]) -> tuple[str, int | None]:
    """The text of a refused call. A shape that cannot be assigned is explained as a view is."""
    text = f"{type(error).__name__}: {error}"
    if name != "shape" or not inputs or len(args) < 2:
        return text, None
    layout = layout_of(inputs[0].held)
    sizes = without_unknown((args[1],) if isinstance(args[1], int) else tuple(args[1]), layout.numel)
    explained = _tenstride._why_not_view(stand_in(layout), sizes) if why_not_view(layout, sizes) else None
    if explained is None:
        return text, None
    lines = [line for line in str(explained).split("\n") if "fixes:" not in line and not line.startswith(" " * 9)]
    fix = f"  fixes: .reshape{sizes}  copies {layout.numel} elements, silently"
    origin: Origin | None = inputs[0].origin
    blamed = made_not_viewable(origin, sizes)
    if blamed is None:
        return "\n".join([text, *lines, fix]), None
    return "\n".join([text, *lines, fix, f"  since: {blamed}"]), blamed.step.number
