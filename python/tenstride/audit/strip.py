# SPDX-License-Identifier: Apache-2.0
"""A copy as two strips of memory: the same elements before and after, in the colour of their place in the result."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

from .layouts import Layout

_MAX_ELEMENTS = 24  # elements in a strip
_CELL, _GAP, _HEIGHT, _LEFT = 30, 14, 26, 64
_SCALE = ((0xFF, 0xE0, 0x8A), (0xA8, 0xDD, 0xA0), (0x6C, 0xC5, 0xBB), (0x62, 0xA8, 0xDC), (0x9A, 0x8F, 0xDC))


class Element(NamedTuple):
    """One element of the copy: its number in the result's order, where it lay and where it lies."""

    number: int
    source: int
    result: int


def _color(share: float) -> str:
    along = min(max(share, 0.0), 1.0) * (len(_SCALE) - 1)
    left = min(int(along), len(_SCALE) - 2)
    part = along - left
    mixed = [round(a + part * (b - a)) for a, b in zip(_SCALE[left], _SCALE[left + 1])]
    return "#" + "".join(f"{value:02x}" for value in mixed)


def _sample_sizes(shape: Sequence[int]) -> list[int]:
    """A corner of the shape of at most `_MAX_ELEMENTS` elements, the last axes preferred, at least two of each."""
    sizes = [1] * len(shape)
    grown = True
    while grown:
        grown = False
        for axis in range(len(shape) - 1, -1, -1):
            more = sizes[axis] + 1
            if more <= min(shape[axis], 4) and math.prod(sizes) // sizes[axis] * more <= _MAX_ELEMENTS:
                sizes[axis] = more
                grown = True
    return sizes


def _row_major(shape: Sequence[int]) -> list[int]:
    """The strides of a contiguous tensor that has elements."""
    return [math.prod(shape[axis + 1 :]) for axis in range(len(shape))]


def _at(layout: Layout, index: Sequence[int]) -> int:
    return layout.offset + sum(i * stride for i, stride in zip(index, layout.strides))


def sample(src: Layout, dst: Layout) -> list[Element] | None:
    """A corner of the elements of a copy that keeps their row-major order; None where sizes do not agree.

    >>> [(e.source, e.result) for e in sample(Layout((2, 2), (1, 2)), Layout((4,), (1,)))]
    [(0, 0), (2, 1), (1, 2), (3, 3)]
    """
    count = src.numel
    if count != dst.numel or count == 0:
        return None
    steps, places = _row_major(src.shape), _row_major(dst.shape)
    elements = []
    for index in product(*map(range, _sample_sizes(src.shape))):
        number = sum(i * step for i, step in zip(index, steps))
        there = [number // step % size for step, size in zip(places, dst.shape)]
        elements.append(Element(number, _at(src, index), _at(dst, there)))
    return sorted(elements)


def _row(name: str, cells: list[tuple[int, str, str]], top: int) -> tuple[list[str], int]:
    """Cells (position, colour, text) in the order of memory, gaps between those that are not neighbours."""
    parts = [f'<text class="name" x="0" y="{top + 17}">{name}</text>']
    x, before = _LEFT, None
    for position, color, text in cells:
        if before is not None and position != before + 1:
            parts.append(f'<text class="gap" x="{x + _GAP / 2}" y="{top + 16}">…</text>')
            x += _GAP
        parts.append(
            f'<rect x="{x}" y="{top}" width="{_CELL}" height="{_HEIGHT}" rx="3" style="fill:{color}"/>'
            f'<text class="in" x="{x + _CELL / 2}" y="{top + 17}">{text}</text>'
            f'<text class="at" x="{x + _CELL / 2}" y="{top + _HEIGHT + 11}">{_short(position)}</text>'
        )
        x, before = x + _CELL + 1, position
    return parts, x


def _short(number: int) -> str:
    if abs(number) < 100_000:
        return str(number)
    return f"{number / 1000:.0f}k" if abs(number) < 10_000_000 else f"{number / 1e6:.0f}M"


def svg(src: Layout | None, dst: Layout | None) -> str:
    """Two strips, or none where an element's way cannot be told from the layouts."""
    elements = sample(src, dst) if src is not None and dst is not None else None
    if elements is None:
        return ""
    numbers = {element.number: i for i, element in enumerate(elements)}
    colors = {n: _color(i / max(len(elements) - 1, 1)) for n, i in numbers.items()}
    before: dict[int, list[int]] = {}
    for element in elements:  # an expanded element lies at one place for several
        before.setdefault(element.source, []).append(element.number)
    source = [
        (at, colors[of[0]], str(numbers[of[0]]) if len(of) == 1 else f"×{len(of)}") for at, of in sorted(before.items())
    ]
    result = sorted((e.result, colors[e.number], str(numbers[e.number])) for e in elements)
    upper, right = _row("before", source, 2)
    lower, end = _row("after", result, 2 + _HEIGHT + 24)
    width, height = max(right, end) + 2, 2 * (_HEIGHT + 24) - 6
    label = "Memory before and after: the cells are numbered in the order of the result"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="strip" role="img" aria-label="{label}" '
        f'viewBox="0 0 {width} {height}" width="{width}" height="{height}">{"".join(upper + lower)}</svg>'
    )
