# SPDX-License-Identifier: Apache-2.0
"""Which operation, on which line, gave a tensor its layout."""

from __future__ import annotations

from typing import Callable, Optional, Sequence

from .layouts import Layout, is_contiguous, try_view
from .places import Place

_MOST = 256  # views of views that are remembered


class Origin:
    """One step: an operation made `layout` of `source`; `parent` is the step that made `source`."""

    __slots__ = ("operation", "place", "layout", "source", "parent", "depth")

    def __init__(
        self,
        operation: str,
        place: Optional[Place],
        layout: Layout,
        source: Optional[Layout],
        parent: Optional[Origin],
    ):
        if parent is not None and parent.depth >= _MOST:
            parent = None
        self.operation, self.place, self.layout, self.source = operation, place, layout, source
        self.parent = parent
        self.depth = 0 if parent is None else parent.depth + 1

    def __str__(self) -> str:
        where = f" ({self.place.short})" if self.place else ""
        return f"{self.operation}{where}"


def _back(origin: Optional[Origin], wanted: Callable[[Origin], bool]) -> Optional[Origin]:
    while origin is not None and not wanted(origin):
        origin = origin.parent
    return origin


def made_not_contiguous(origin: Optional[Origin]) -> Optional[Origin]:
    """The step that made a contiguous tensor one that is not; None where it came so."""
    return _back(
        origin,
        lambda step: step.source is not None and is_contiguous(step.source) and not is_contiguous(step.layout),
    )


def made_not_viewable(origin: Optional[Origin], sizes: Sequence[int]) -> Optional[Origin]:
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
