# SPDX-License-Identifier: Apache-2.0
"""Which operation, on which line, gave a tensor its layout."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Callable

from .layouts import Layout, is_contiguous, try_view
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


def _back(origin: Origin | None, wanted: Callable[[Origin], bool]) -> Origin | None:
    while origin is not None and not wanted(origin):
        origin = origin.parent
    return origin


def made_not_contiguous(origin: Origin | None) -> Origin | None:
    """The step that made a contiguous tensor one that is not; None where it came so."""
    return _back(
        origin,
        lambda step: not is_contiguous(step.layout) and (step.source is None or is_contiguous(step.source)),
    )


def made_not_viewable(origin: Origin | None, sizes: Sequence[int]) -> Origin | None:
    """The step before which a view in the sizes was possible; else the one that ended contiguity."""
    numel = 1
    for size in sizes:
        numel *= size
    found = _back(
        origin,
        lambda step: (
            step.source is not None and step.source.numel == numel and try_view(step.source, sizes) is not None
        ),
    )
    return found or made_not_contiguous(origin)
