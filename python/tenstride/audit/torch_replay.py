# SPDX-License-Identifier: Apache-2.0
"""Tries a change of one call: carries out what followed once more on ``meta``, with the layouts it would then have.

Only calls that are reached by a changed layout are carried out, and nothing is computed. A reshape is decided anew
(view or copy), and what kernels copy inside more than before is counted.
"""

from __future__ import annotations

import heapq
from typing import Any, NamedTuple

import torch  # type: ignore[import-not-found,unused-ignore]

from .layouts import Layout, why_not_view
from .torch_kernels import copied_inside
from .torch_schema import KEPT_CONTIGUOUS
from .torch_tape import Call, Operand, Tape

_MAX_CALLS = 512  # calls that are carried out again for one fix
_REFUSE = frozenset({"view", "view_as", "unflatten"})


class Move(NamedTuple):
    """A copy that is made after the change."""

    bytes: int
    call: Call
    is_inside: bool
    """In a kernel, out of the dispatcher's sight."""

    def __str__(self) -> str:
        return f"{'the kernel of ' if self.is_inside else ''}{self.call}"


class Outcome(NamedTuple):
    """What a change brought: bytes written before, and what is copied after it instead."""

    before: int
    moves: tuple[Move, ...]
    refused: str | None = None
    """Why the change cannot be made, or could not be tried."""

    @property
    def saved(self) -> int:
        """Bytes written less; 0 where the change cannot be made."""
        return 0 if self.refused else max(0, self.before - sum(move.bytes for move in self.moves))


class _Refused(Exception):
    """The change cannot be made, or not be tried."""


def on_meta(operand: Operand) -> torch.Tensor:
    """A tensor of the layout, without memory."""
    return torch.empty_strided(operand.layout.shape, operand.layout.strides, dtype=operand.dtype, device="meta")


def _layout(tensor: torch.Tensor) -> Layout:
    return Layout(tuple(tensor.shape), tuple(tensor.stride()))


class _Replay:
    def __init__(self, tape: Tape, at: int) -> None:
        self.tape = tape
        self.changed: dict[tuple[int, Layout], torch.Tensor] = {}
        self.waiting: list[int] = []
        self.before = 0
        self.moves: list[Move] = []
        self.at = at

    def run(self) -> Outcome:
        tried, last = 0, -1
        while self.waiting:
            self.at = heapq.heappop(self.waiting)
            if self.at == last:
                continue
            last = self.at
            call = self.tape.calls[self.at]
            if not any((one.storage, one.layout) in self.changed for one in call.operands()):
                continue
            tried += 1
            if tried > _MAX_CALLS:
                raise _Refused("too much follows it")
            self.carry_out(call)
        return Outcome(self.before, tuple(self.moves))

    def change(self, operand: Operand, tensor: torch.Tensor) -> None:
        """From here on the operand has the layout of `tensor`."""
        self.changed[operand.storage, operand.layout] = tensor
        for at in self.tape.uses(operand.storage, self.at):
            heapq.heappush(self.waiting, at)

    def new(self, value: Any) -> Any:
        """An argument with the layouts it has now."""
        if isinstance(value, Operand):
            known = self.changed.get((value.storage, value.layout))
            return on_meta(value) if known is None else known
        if isinstance(value, (list, tuple)):
            return [self.new(one) for one in value]
        return torch.device("meta") if isinstance(value, torch.device) else value

    def now(self, operand: Operand) -> Operand:
        """An operand with the layout it has now."""
        known = self.changed.get((operand.storage, operand.layout))
        return operand if known is None else operand._replace(layout=_layout(known))

    def carry_out(self, call: Call) -> None:
        recorded = call.copy.bytes_written if call.copy is not None else 0
        inside = _inside(call, call.operands())
        moved, moved_inside = recorded, 0
        is_kept = call.schema is KEPT_CONTIGUOUS
        if is_kept or (call.copy is not None and call.schema.name == "clone" and call.copy.kind != "explicit"):
            result, moved = self.brought_in_order(call, self.new(call.args[0]))
        elif call.schema.is_reshape:
            result, moved = self.reshaped(call, self.new(call.args[0]))
        else:
            result = self.computed(call)
            moved_inside = _inside(call, [self.now(one) for one in call.operands()])
        self.count(call, moved - recorded, False)
        # That a kernel copies less is not known well enough to be claimed.
        self.count(call, max(0, moved_inside - inside), True)
        tensors = [
            one for one in (result if isinstance(result, (list, tuple)) else [result]) if isinstance(one, torch.Tensor)
        ]
        for operand, tensor in zip(call.results, tensors):
            if tuple(tensor.shape) != operand.layout.shape:
                raise _Refused(f"{call} could not be tried without it: another shape on meta")
            key = operand.storage, operand.layout
            if tuple(tensor.stride()) != operand.layout.strides or key in self.changed:
                self.change(operand, tensor)

    def count(self, call: Call, more: int, is_inside: bool) -> None:
        """Bytes that a call copies more than it did, or less."""
        if more > 0:
            self.moves.append(Move(more, call, is_inside))
        self.before += max(0, -more)

    def brought_in_order(self, call: Call, x: torch.Tensor) -> tuple[torch.Tensor, int]:
        """contiguous(), or the first half of a reshape: nothing where the layout is one that needs none."""
        target = None if call.copy is None else call.copy.target
        if x.is_contiguous() if target is None else _views(x, target):
            if call.copy is not None:  # from here on the two share memory
                check_writes(self.tape, self.at, call.results[0], x)
            return x, 0
        return _in_rows(x, x.shape), x.numel() * call.results[0].itemsize

    def reshaped(self, call: Call, x: torch.Tensor) -> tuple[torch.Tensor, int]:
        sizes = call.args[1]
        if _views(x, sizes):
            return x.view(sizes), 0
        if call.operation in _REFUSE:
            obstacle = why_not_view(_layout(x), call.results[0].layout.shape)
            axes = f" (axes {obstacle.left_axis} and {obstacle.right_axis} would merge)" if obstacle else ""
            raise _Refused(f"{call} is refused without it{axes}")
        return _in_rows(x, call.results[0].layout.shape), x.numel() * call.results[0].itemsize

    def computed(self, call: Call) -> Any:
        try:
            args = [self.new(one) for one in call.args]
            kwargs = {name: self.new(one) for name, one in call.kwargs.items()}
            result = call.func(*args, **kwargs)
            return _as_convolved(args, result) if call.schema.name == "convolution" else result
        except Exception as error:  # meta has no kernel, or the answer depends on values
            raise _Refused(f"{call} could not be tried without it: {type(error).__name__}") from None


def _as_convolved(args: list[Any], result: torch.Tensor) -> torch.Tensor:
    """A convolution gives channels_last where the image or the weight is; not every PyTorch's meta knows."""
    order = {4: torch.channels_last, 5: torch.channels_last_3d}.get(result.dim())
    if order is None or not any(
        one.dim() == result.dim() and one.is_contiguous(memory_format=order) and not one.is_contiguous()
        for one in args[:2]
    ):
        return result
    return torch.empty_like(result, memory_format=order)


def _in_rows(x: torch.Tensor, sizes: Any) -> torch.Tensor:
    return torch.empty(tuple(sizes), dtype=x.dtype, device="meta")


def _inside(call: Call, operands: list[Operand]) -> int:
    odd = copied_inside(call.schema.name, [one.layout for one in operands])
    return sum(one.bytes for one in operands if one.layout in odd)


def _views(x: torch.Tensor, sizes: Any) -> bool:
    try:
        x.view(tuple(sizes))
    except RuntimeError:
        return False
    return True


def check_writes(tape: Tape, at: int, result: Operand, view: torch.Tensor) -> None:
    """Raises _Refused where the result of call `at` must not share memory with what it was copied from.

    That is where one is written to and the other used later, or known outside of the scope. What was copied from
    either counts as one of the two, so that several copies can be spared at once. `view` is what takes the place of
    the result: one that repeats elements cannot be written to at all.
    """
    family = tape.family(result.storage)
    uses = {storage: tape.uses(storage, at) for storage in family}
    repeats = any(size > 1 and stride == 0 for size, stride in zip(view.shape, view.stride()))
    for storage in family:
        for write in uses[storage]:
            if all(one.storage != storage for one in tape.calls[write].written()):
                continue
            others = family - {storage}
            if repeats or any(tape.maker(one) is None or uses[one][-1:] > [write] for one in others):
                raise _Refused(f"{tape.calls[write]} writes to what would be shared")


def replay(tape: Tape, at: int, view: torch.Tensor, result: Operand | None = None) -> Outcome:
    """What happens where call number `at` gives `view`, one of its source on meta, in place of what it gave.

    `result` is what it gave, where a later view of its first result is meant.
    """
    call = tape.calls[at]
    before = call.copy.bytes_written if call.copy is not None else 0
    try:
        check_writes(tape, at, call.results[0], view)
        trial = _Replay(tape, at)
        trial.before = before
        trial.change(call.results[0] if result is None else result, view)
        return trial.run()
    except _Refused as error:
        return Outcome(before, (), str(error))
