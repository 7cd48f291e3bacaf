# SPDX-License-Identifier: Apache-2.0
"""Which operation, on which line, gave a tensor its layout."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Callable

from .layouts import Layout, can_view, is_contiguous
from .places import CallSite, Place

_MAX_DEPTH = 256  # views of views that are remembered


class Origin:
    """One step: an operation made `layout` of `source`; `parent` is the step that made `source`.

    `place` is the line itself, also inside a library; `is_own` says whether it is the user's.
    """

    depth: int
    __slots__ = ("depth", "is_own", "layout", "operation", "parent", "place", "source")

    def __init__(
        self,
        operation: str,
        site: CallSite | None,
        layout: Layout,
        source: Layout | None,
        parent: Origin | None,
    ):
        if parent is not None and parent.depth >= _MAX_DEPTH:
            parent = None
        self.operation, self.layout, self.source = operation, layout, source
        self.is_own = site is None or site.inside is None
        self.place: Place | None = None if site is None else site.innermost
        self.parent = parent
        self.depth = 0 if parent is None else parent.depth + 1

    def __str__(self) -> str:
        where = f" ({self.place.short})" if self.place else ""
        return f"{self.operation}{where}"


def _back(step: Any, wanted: Callable[[Any], bool]) -> Any:
    while step is not None and not wanted(step):
        step = step.parent
    return step


def made_not_contiguous(step: Any) -> Any:
    """The step that made a contiguous tensor one that is not; None where it came so. A step has a `layout`, the
    layout `source` of what it was made of, and the `parent` that made that.
    """
    return _back(step, lambda at: not is_contiguous(at.layout) and (at.source is None or is_contiguous(at.source)))


def made_not_viewable(step: Any, sizes: Sequence[int]) -> Any:
    """The step before which a view in the sizes was possible; else the one that ended contiguity."""
    found = _back(step, lambda at: at.source is not None and can_view(at.source, sizes))
    return found or made_not_contiguous(step)
