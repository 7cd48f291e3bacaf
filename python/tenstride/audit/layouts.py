# SPDX-License-Identifier: Apache-2.0
"""Layouts as the audit sees them: shape, strides and offset in elements, and why one cannot be viewed as another.

The rule is PyTorch's (ATen, ``computeStride``), the words and numbers are those of the library's
``reshape.hpp``. It stands here in Python so that auditing a PyTorch or NumPy program
needs nothing compiled; the tests hold it against PyTorch's own answers, and against the compiled module where
that is built.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

Sizes = tuple[int, ...]


def sizes_text(sizes: Sequence[int]) -> str:
    """Sizes or strides in the one printed form.

    >>> sizes_text((2, 3))
    '(2,3)'
    """
    return "(" + ",".join(str(size) for size in sizes) + ")"


class Layout(NamedTuple):
    """Where the elements of a tensor lie: shape, strides and offset, all in elements.

    >>> str(Layout((2, 3), (3, 1), 0))
    '(2,3):(3,1)+0'
    """

    shape: Sizes
    strides: Sizes
    offset: int = 0

    def __str__(self) -> str:
        return f"{sizes_text(self.shape)}:{sizes_text(self.strides)}+{self.offset}"

    @property
    def numel(self) -> int:
        """How many elements it has."""
        return count_elements(self.shape)


class Obstacle(NamedTuple):
    """Why a layout cannot be viewed in a shape: two axes would have to merge, and their strides do not nest."""

    source: Layout
    to: Sizes
    left_axis: int
    right_axis: int
    stride_found: int
    stride_needed: int
    groups: tuple[tuple[int, int], ...]

    def __str__(self) -> str:
        return (
            f"no view: axes {self.left_axis} and {self.right_axis} would merge, axis {self.left_axis} has "
            f"stride {self.stride_found} and must have {self.stride_needed}"
        )


def count_elements(shape: Sequence[int]) -> int:
    """The product of the sizes, 1 for none."""
    count = 1
    for size in shape:
        count *= size
    return count


def row_major_strides(shape: Sequence[int]) -> Sizes:
    """Strides of a contiguous tensor, each size counted as at least 1.

    >>> row_major_strides((2, 3, 4))
    (12, 4, 1)
    """
    return _strides_along(shape, range(len(shape) - 1, -1, -1))


def channels_last_strides(shape: Sequence[int]) -> Sizes | None:
    """Strides of ``channels_last`` (rank 4) or ``channels_last_3d`` (rank 5); None for another rank.

    >>> channels_last_strides((2, 3, 4, 5))
    (60, 1, 15, 3)
    """
    if len(shape) not in (4, 5):
        return None
    return _strides_along(shape, [1, *range(len(shape) - 1, 1, -1), 0])


def _strides_along(shape: Sequence[int], axes: Iterable[int]) -> Sizes:
    strides = [1] * len(shape)
    step = 1
    for axis in axes:
        strides[axis] = step
        step *= max(shape[axis], 1)
    return tuple(strides)


def is_contiguous(layout: Layout) -> bool:
    """PyTorch's rule: row-major strides, those of size-1 axes and of empty tensors aside."""
    return layout.numel == 0 or _agree(layout, row_major_strides(layout.shape))


def is_channels_last(layout: Layout) -> bool:
    """Whether the strides are those of ``channels_last`` (rank 4) or ``channels_last_3d`` (rank 5)."""
    if len(layout.shape) not in (4, 5):
        return False
    step = 1
    for axis in (1, *range(len(layout.shape) - 1, 1, -1), 0):
        if layout.shape[axis] != 1:
            if layout.strides[axis] != step:
                return False
            step *= layout.shape[axis]  # a size of 0 is no exception here
    return True


def _agree(layout: Layout, wanted: Sizes) -> bool:
    return all(size == 1 or have == want for size, have, want in zip(layout.shape, layout.strides, wanted))


def _run_ends(layout: Layout, axis: int, count: int, base: int) -> bool:
    """Whether axis - 1 does not continue the run of `count` elements, `base` apart, that begins at the axis."""
    return axis == 0 or (layout.shape[axis - 1] != 1 and layout.strides[axis - 1] != count * base)


def _walk(layout: Layout, shape: Sizes) -> tuple[Sizes | None, int | None]:
    """The strides of a view in the shape and None, or None and the old axis at whose end a new axis crosses."""
    if not layout.shape:
        return (1,) * len(shape), None
    if layout.numel == 0:
        return (layout.strides if shape == layout.shape else row_major_strides(shape)), None
    strides = [0] * len(shape)
    left = len(shape)
    base, run, filled = layout.strides[-1], 1, 1
    for axis in range(len(layout.shape) - 1, -1, -1):
        run *= layout.shape[axis]
        if not _run_ends(layout, axis, run, base):
            continue
        while left > 0 and (filled < run or shape[left - 1] == 1):
            left -= 1
            strides[left] = filled * base
            filled *= shape[left]
        if filled != run:
            return None, axis
        if axis > 0:
            base, run, filled = layout.strides[axis - 1], 1, 1
    return tuple(strides), None


def try_view(layout: Layout, shape: Sequence[int]) -> Layout | None:
    """The same elements in another shape (no -1) without a copy, or None where that takes one.

    >>> str(try_view(Layout((2, 3, 2), (6, 2, 1)), (2, 6)))
    '(2,6):(6,1)+0'
    >>> try_view(Layout((2, 2, 3), (6, 1, 2)), (12,)) is None
    True
    """
    shape = tuple(shape)
    if count_elements(shape) != layout.numel:
        return None
    strides, _ = _walk(layout, shape)
    return None if strides is None else Layout(shape, strides, layout.offset)


def mergeable_groups(layout: Layout) -> tuple[tuple[int, int], ...]:
    """The runs of axes (first and last) inside which a view may merge and split.

    >>> mergeable_groups(Layout((2, 2, 3), (6, 1, 2)))
    ((0, 0), (1, 1), (2, 2))
    """
    groups: list[tuple[int, int]] = []
    last, run = len(layout.shape) - 1, 1
    for axis in range(last, -1, -1):
        run *= layout.shape[axis]
        ends = axis == 0 if layout.numel == 0 else _run_ends(layout, axis, run, layout.strides[last])
        if ends:
            groups.insert(0, (axis, last))
            last, run = axis - 1, 1
    return tuple(groups)


def why_not_view(layout: Layout, shape: Sequence[int]) -> Obstacle | None:
    """What stands in the way of a view; None where it is possible or the counts differ.

    >>> print(why_not_view(Layout((2, 2, 3), (6, 1, 2)), (12,)))
    no view: axes 1 and 2 would merge, axis 1 has stride 1 and must have 6
    """
    shape = tuple(shape)
    if count_elements(shape) != layout.numel:
        return None
    _, axis = _walk(layout, shape)
    if axis is None:
        return None
    right = axis
    while layout.shape[right] == 1:
        right += 1
    return Obstacle(
        layout,
        shape,
        axis - 1,
        right,
        layout.strides[axis - 1],
        layout.shape[right] * layout.strides[right],
        mergeable_groups(layout),
    )
