# SPDX-License-Identifier: Apache-2.0
"""`rearrange`, and when its result may be a view."""

from __future__ import annotations

import reprlib
from typing import Any

from . import _tenstride
from ._kinds import call
from ._pattern import tokens_of


def rearrange(tensor: Any, pattern: str, *, copy: bool | int | None = None, **axes_lengths: int) -> Any:
    """The elements in another order of axes, by einops' notation; axes may be split, merged and moved.

    Gives an array of the kind it was given: a view of it where one exists, else a copy; `copy=True` always
    copies, `copy=False` raises ValueError where a view will not do. A list of arrays counts as one array with
    the list as its first axis. RuntimeError where the pattern does not fit the shape.

    An axis may be named `copy`: an int is its size. ValueError for `copy=True` and `copy=False` beside one.

    >>> import numpy
    >>> a = numpy.arange(6).reshape(2, 3)
    >>> b = tenstride.rearrange(a, "h w -> w h")
    >>> b.shape, numpy.shares_memory(a, b)
    ((3, 2), True)
    """
    rule = copy_rule("rearrange", pattern, axes_lengths, copy)
    return call(
        "rearrange",
        lambda given, kind: _tenstride._rearrange(given, kind.pattern(pattern), axes_lengths, rule),
        tensor,
        moves=True,
    )


def copy_rule(operation: str, pattern: str, axes_lengths: dict[str, int], copy: Any) -> bool | None:
    """The option; what is no bool goes to `axes_lengths`, as the size of an axis named `copy`."""
    if copy is None:
        return None
    has_axis = "copy" in tokens_of(pattern)
    if not isinstance(copy, bool):
        if not has_axis:
            raise TypeError(
                f"{operation}: copy must be True, False or None, or the size of an axis named copy "
                f"({reprlib.repr(copy)})"
            )
        axes_lengths["copy"] = copy
        return None
    if has_axis:
        raise ValueError(
            f"{operation}: copy={copy} must not stand beside an axis named copy: an int is the axis' size, and for a "
            f'copy the axis needs another name ("{pattern}")'
        )
    return copy
