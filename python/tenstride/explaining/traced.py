# SPDX-License-Identifier: Apache-2.0
"""What traced tensors and traced arrays share: their elements' memory, and the step that made their layout."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Callable

from .recorder import Recorder
from .steps import Origin


class NeedsElements(RuntimeError):
    """The code asks for elements that explain does not compute."""


class NotUnderstood(RuntimeError):
    """The shape of a result is not known to explain; `--let` can declare it."""


class Memory:
    """The memory that a tensor and its views share. Without `has_elements` nobody knows what stands in it."""

    __slots__ = ("has_elements",)

    def __init__(self, has_elements: bool = True) -> None:
        self.has_elements = has_elements


class Traced:
    """A tensor or array of the code under study, around one that holds its layout."""

    origin: Origin | None = None


def deep(value: Any, change: Callable[[Any], Any]) -> Any:
    """The value with `change` applied to each traced thing in its lists, tuples, dictionaries and slices."""
    if isinstance(value, Traced):
        return change(value)
    if type(value) in (list, tuple):
        return type(value)(deep(part, change) for part in value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(deep(part, change) for part in value))
    if type(value) is dict:
        return {name: deep(part, change) for name, part in value.items()}
    if isinstance(value, slice):
        return slice(deep(value.start, change), deep(value.stop, change), deep(value.step, change))
    return value


def found(value: Any) -> list[Traced]:
    """The traced things in a value, in order."""
    things: list[Traced] = []

    def note(thing: Traced) -> Traced:
        things.append(thing)
        return thing

    deep(value, note)
    return things


_active: list[Recorder] = []


def recorder() -> Recorder:
    """The recorder of the run under way."""
    return _active[-1]


@contextmanager
def recording(into: Recorder) -> Iterator[None]:
    """A scope in which traced things are recorded."""
    _active.append(into)
    try:
        yield
    finally:
        _active.pop()
