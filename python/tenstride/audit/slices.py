# SPDX-License-Identifier: Apache-2.0
"""Indices that a slice would pick too."""

from __future__ import annotations

from collections.abc import Sequence


def arithmetic(values: Sequence[int]) -> range | None:
    """The range that the numbers are, where they are one with a step of at least 1.

    >>> arithmetic([2, 4, 6]), arithmetic([0, 0]), arithmetic([3, 2]), arithmetic([-2, -1])
    (range(2, 7, 2), None, None, range(-2, 0))
    """
    if not values or values[0] < 0 <= values[-1]:
        return None
    step = values[1] - values[0] if len(values) > 1 else 1
    if step < 1 or any(b - a != step for a, b in zip(values, values[1:])):
        return None
    return range(values[0], values[-1] + 1, step)


def slice_text(axis: int, picked: range) -> str:
    """``x[:, 2:7:2]``.

    >>> slice_text(1, range(2, 7, 2)), slice_text(0, range(0, 3)), slice_text(0, range(-2, 0))
    ('x[:, 2:7:2]', 'x[0:3]', 'x[-2:]')
    """
    stop = "" if picked.stop == 0 else picked.stop
    step = f":{picked.step}" if picked.step != 1 else ""
    return "x[" + ":, " * axis + f"{picked.start}:{stop}{step}]"
