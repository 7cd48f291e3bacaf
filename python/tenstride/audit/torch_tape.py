# SPDX-License-Identifier: Apache-2.0
"""The operations of a scope as they were called, layouts in place of tensors: what a fix is tried on."""

from __future__ import annotations

import bisect
import contextlib
from collections.abc import Iterator
from typing import Any, NamedTuple

import torch  # type: ignore[import-not-found,unused-ignore]

from .layouts import Layout
from .places import CallSite
from .record import Copy
from .torch_schema import Schema
from .torch_track import Storages

_MAX_OPERATIONS = 65536  # operations that are kept


class Operand(NamedTuple):
    """A tensor as it was: the number of its storage, its layout, its dtype and the bytes of an element."""

    storage: int
    layout: Layout
    dtype: torch.dtype
    itemsize: int

    @property
    def bytes(self) -> int:
        """What its elements take."""
        return self.layout.numel * self.itemsize


class Call(NamedTuple):
    """One operation below autograd: tensors are Operands, all other arguments as they were given."""

    func: Any
    schema: Schema
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    results: tuple[Operand, ...]
    site: CallSite
    operation: str
    is_backward: bool
    copy: Copy | None

    def __str__(self) -> str:
        """What was called, and where: ``linear (model.py:12)``."""
        place = self.site.innermost
        return f"{self.operation} ({place.short})" if place else self.operation

    def is_part_of(self, other: Call) -> bool:
        """Whether the same call of the program ran both."""
        mine, its = self.site.innermost, other.site.innermost
        return mine is not None and its is not None and mine.key() == its.key()

    def operands(self) -> list[Operand]:
        """The tensors among the arguments."""
        return [one for value in (*self.args, *self.kwargs.values()) for one in operands_in(value)]

    def written(self) -> list[Operand]:
        """The tensors among the arguments that the operation writes to."""
        values = [self.args[at] if at < len(self.args) else self.kwargs.get(name) for at, name in self.schema.written]
        return [one for value in values for one in operands_in(value)]


def operands_in(value: Any) -> list[Operand]:
    """The Operands in an argument: itself, or those of a list."""
    if isinstance(value, Operand):
        return [value]
    if isinstance(value, (list, tuple)):
        return [one for one in value if isinstance(one, Operand)]
    return []


class Tape:
    """The calls of a scope in their order. Keeps no tensor."""

    def __init__(self, storages: Storages) -> None:
        self.calls: list[Call] = []
        self._storages = storages
        self._uses: dict[int, list[int]] = {}
        self._makers: dict[int, int] = {}
        self._copied: dict[int, set[int]] = {}
        self._indexed = 0
        self.is_muted = False

    @property
    def is_full(self) -> bool:
        """Whether later calls are left out."""
        return len(self.calls) >= _MAX_OPERATIONS

    def add(
        self,
        func: Any,
        schema: Schema,
        args: Any,
        kwargs: Any,
        result: Any,
        site: CallSite,
        operation: tuple[str, bool],
        copy: Copy | None,
    ) -> int:
        """Keeps a call and gives its number; `operation` is its name and whether the backward pass ran it."""
        results = [self._kept(one) for one in (result if isinstance(result, (list, tuple)) else [result])]
        self.calls.append(
            Call(
                func,
                schema,
                tuple(self._kept(one) for one in args),
                {name: self._kept(one) for name, one in kwargs.items()},
                tuple(one for one in results if isinstance(one, Operand)),
                site,
                *operation,
                copy,
            )
        )
        return len(self.calls) - 1

    @contextlib.contextmanager
    def muted(self) -> Iterator[None]:
        """A scope whose operations are neither kept nor listed: those that try a fix."""
        before, self.is_muted = self.is_muted, True
        try:
            yield
        finally:
            self.is_muted = before

    def uses(self, storage: int, after: int) -> list[int]:
        """The numbers of the calls behind one that are given a tensor of the storage."""
        self._look()
        found = self._uses.get(storage, [])
        return found[bisect.bisect_right(found, after) :]

    def maker(self, storage: int) -> Call | None:
        """The call that made the storage; None where it came into the scope."""
        self._look()
        number = self._makers.get(storage)
        return None if number is None else self.calls[number]

    def family(self, storage: int) -> set[int]:
        """The storage, all it was copied from or to, all these were, and so on."""
        self._look()
        found, waiting = {storage}, [storage]
        while waiting:
            more = self._copied.get(waiting.pop(), set()) - found
            found |= more
            waiting += more
        return found

    def _look(self) -> None:
        """Brings the indexes up to the calls there are."""
        for at in range(self._indexed, len(self.calls)):
            call = self.calls[at]
            given = {one.storage for one in call.operands()}
            new = {one.storage for one in call.results} - given
            for number in given:
                self._uses.setdefault(number, []).append(at)
            for number in new:
                self._makers.setdefault(number, at)
            if call.copy is not None:
                for one in given:
                    for other in new:
                        self._copied.setdefault(one, set()).add(other)
                        self._copied.setdefault(other, set()).add(one)
        self._indexed = len(self.calls)

    def _kept(self, value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            layout, entry = self._storages.layout(value), self._storages.entry(value)
            # Without strides or storage it cannot be tried: the type stands for it, and no operation takes that.
            if layout is None or entry is None:
                return type(value)
            return Operand(entry.number, layout, value.dtype, value.element_size())
        if isinstance(value, (list, tuple)):
            return [self._kept(one) for one in value]
        return value
