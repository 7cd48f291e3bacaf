# SPDX-License-Identifier: Apache-2.0
"""The record of a run: numbers its steps, finds the line under way, and stops at the limit."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from .source import FILE, Place, Source
from .steps import Event, Failure, Printed, Remark, Step

MAX_STEPS = 10_000


class StepLimit(BaseException):
    """The limit of steps was reached; no `except Exception` of the code under study catches it."""


class Recorder:
    """Events in the order of the run. While `muted`, calls are made on behalf of a call that is recorded itself."""

    def __init__(self, source: Source, declared: Mapping[str, object], most_steps: int = MAX_STEPS) -> None:
        self.source, self.declared, self.most_steps = source, declared, most_steps
        self.events: list[Event] = []
        self.steps = 0
        self._muted = 0
        self._part = ""
        self._remarked: set[tuple[int, str]] = set()
        self.refusals: dict[int, BaseException] = {}

    @property
    def is_muted(self) -> bool:
        """Whether calls are parts of a call that is recorded as one."""
        return self._muted > 0

    @contextmanager
    def muted(self) -> Iterator[None]:
        """A scope whose calls are not recorded."""
        self._muted += 1
        try:
            yield
        finally:
            self._muted -= 1

    @contextmanager
    def named(self, part: str) -> Iterator[None]:
        """A scope whose steps say which part of a call they are: the layers of a Sequential stand in one line."""
        before, self._part = self._part, part
        try:
            yield
        finally:
            self._part = before

    def place(self) -> Place:
        """Where the code under study stands."""
        frame = sys._getframe(1)
        while frame is not None:
            if frame.f_code.co_filename == FILE:
                return self.source.place(frame)
            frame = frame.f_back  # type: ignore[assignment]
        return Place(0, "", None, False)

    def step(self, library: str, kind: str, place: Place | None = None) -> Step:
        """The next step, at the place under way."""
        if self.steps >= self.most_steps:
            raise StepLimit
        self.steps += 1
        place = place or self.place()
        step = Step(self.steps, place.line, place.code, library, kind)
        if self._part:
            step.notes.append(self._part)
        self.events.append(step)
        return step

    def refuse(self, library: str, error: BaseException, text: str, cause: int | None = None) -> None:
        """A call raised this error, which is explained by the text."""
        if id(error) in self.refusals:
            return
        step = self.step(library, "refused")
        step.error, step.cause = text, cause
        self.refusals[id(error)] = error  # kept, so that no other error gets its address

    def printed(self, line: int, text: str, *, is_value: bool = False) -> None:
        """Text that the code printed, or the value of an expression."""
        self.events.append(Printed(line, text, is_value))

    def failed(self, line: int, text: str, *, is_skip: bool = False) -> None:
        """An error that ended a statement, or a statement that could not be run."""
        self.events.append(Failure(line, text, is_skip))

    def remark(self, text: str, line: int | None = None) -> None:
        """What a reader should know; said once for each line."""
        line = self.place().line if line is None else line
        if (line, text) not in self._remarked:
            self._remarked.add((line, text))
            self.events.append(Remark(line, text))
