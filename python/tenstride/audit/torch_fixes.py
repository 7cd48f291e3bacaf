# SPDX-License-Identifier: Apache-2.0
"""What to write instead of a copy of PyTorch's. Each is tried on the recorded layouts before it is said."""

from __future__ import annotations

from typing import NamedTuple

from . import layouts as ly
from .fixes import Fix
from .reasons import RESHAPES, is_inner
from .record import Copy
from .text import bytes_text
from .torch_attention import attention_fix
from .torch_remedies import Remedy
from .torch_replay import Move, Outcome, on_meta, replay
from .torch_tape import Call, Operand, Tape

_LEFT_OUT = frozenset({"contiguous", "clone", "to", "ravel"})
"""What a line calls where the operand itself can take the place of the result: what computes is never left out."""


class Trial(NamedTuple):
    """A copy's place on the tape, and the view that has its elements, where one was found."""

    tape: Tape
    at: int
    remedy: Remedy | None

    @property
    def call(self) -> Call:
        """The call that copied."""
        return self.tape.calls[self.at]

    @property
    def source(self) -> Operand:
        """What was copied, the first that is not empty of several."""
        operands = self.call.operands()
        return next((one for one in operands if one.layout.numel), operands[0])

    def fix(self, copy: Copy) -> Fix | None:
        """What the trials found; None where there is nothing to try."""
        if copy.phase == "backward" or copy.link is not None:
            return None
        with self.tape.muted():
            try:
                return self._fix(copy)
            except Exception as error:  # an operation of another's, or a tensor with rules of its own
                return Fix(f"could not be tried ({type(error).__name__}: {error})")

    def _fix(self, copy: Copy) -> Fix | None:
        if self.remedy is not None and _can_be_edited(copy) and not is_inner(copy):
            return self._instead(copy, self.remedy)
        found = attention_fix(self.tape, self.at)
        if found is not None:
            return found
        if copy.target is not None and copy.src is not None:
            if copy.operation not in RESHAPES or is_inner(copy):
                return self._in_product(copy, copy.src, copy.target)
            return self._unshaped(copy, copy.src, copy.target) if _is_own(copy) else None
        if is_inner(copy):
            return self._within(copy)
        if copy.call == "constant_pad_nd":
            return self._padded(copy)
        is_left_out = copy.said in _LEFT_OUT and _is_own(copy) and _keeps_dtype(copy)
        return self._without(copy) if is_left_out else None

    def _instead(self, copy: Copy, remedy: Remedy) -> Fix:
        view = self.source._replace(layout=remedy.view)
        outcome = replay(self.tape, self.at, on_meta(view))
        if outcome.saved:
            return Fix(remedy.text + _rest(outcome), outcome.saved, remedy.edit)
        return Fix(f"stays: {_remains(outcome, 'as a view')}")

    def _without(self, copy: Copy) -> Fix:
        """contiguous(), clone() or to(memory_format=...): the operand itself in its place."""
        outcome = replay(self.tape, self.at, on_meta(self.source))
        if not outcome.saved:
            return Fix(f"stays: {_remains(outcome, 'without it')}")
        if copy.dst is not None and ly.is_channels_last(copy.dst) and self._reaches("convolution"):
            return Fix("bring the data in as channels_last once (permute an NHWC batch), and each convolution keeps it")
        is_used = self.tape.uses(self.call.results[0].storage, self.at)
        takes = f"what follows takes {copy.src} as it is" if is_used else "nothing in the scope uses it"
        return Fix(f"drop .{copy.operation}(): {takes}{_rest(outcome)}", outcome.saved, "drop")

    def _unshaped(self, copy: Copy, src: ly.Layout, target: ly.Sizes) -> Fix:
        """A reshape that copied: left out where only reshapes follow; else it says what needs the sizes."""
        result = self._result_of_call()
        takers = [self.tape.calls[at] for at in self.tape.uses(result.storage, self.at)]
        takers = [call for call in takers if result in call.operands()]
        if takers and all(call.schema.is_reshape and call.operation in RESHAPES for call in takers):
            outcome = replay(self.tape, self.at, on_meta(self.source), result)
            if outcome.saved:
                text = f"leave it out: what reshapes it next can do so without{_rest(outcome)}"
                return Fix(text, outcome.saved, "drop")
        first = self._next()
        if first is not None and first.schema.name in ("addmm", "mm", "bmm") and _flattens_in_memory_order(src, target):
            return Fix(
                "flatten after pooling to 1 x 1; or flatten(1) of x.permute(0, 2, 3, 1), which is a view, with the "
                "columns of the next weight permuted once"
            )
        obstacle = ly.why_not_view(src, target)
        if first is None or obstacle is None:
            return Fix("stays, unless what takes it can take the axes as they are: nothing in the scope says")
        axes = f"axes {obstacle.left_axis} and {obstacle.right_axis}"
        return Fix(f"stays: {first} takes {ly.sizes_text(target)}, for which {axes} have to merge")

    def _in_product(self, copy: Copy, src: ly.Layout, target: ly.Sizes) -> Fix:
        """An operand that a product brought in order: linear may come before the permutation of its rows."""
        cause = copy.since
        result = self._result_of_call()
        is_rowwise = copy.operation == "linear" and result.layout.shape[:-1] == src.shape[:-1]
        if is_rowwise and cause is not None and _is_own(copy):
            permuted = _permuted_rows(src, result.layout.shape)
            if permuted is not None:
                view = result._replace(layout=permuted)
                outcome = replay(self.tape, self.at, on_meta(view), result)
                if outcome.saved:
                    return Fix(
                        f"call it before {cause} and move the axes of its result: the same values{_rest(outcome)}",
                        outcome.saved,
                    )
        obstacle = ly.why_not_view(src, target)
        axes = f", for which axes {obstacle.left_axis} and {obstacle.right_axis} have to merge" if obstacle else ""
        return Fix(f"stays: {copy.said or copy.operation} takes it as {ly.sizes_text(target)}{axes}")

    def _within(self, copy: Copy) -> Fix | None:
        """What an operation that computes copies inside: it stays, and the layout of what it is given decides."""
        maker = self.tape.maker(self.source.storage)
        is_given = maker is None or not maker.is_part_of(self.call)
        src, dst = copy.src, copy.dst
        if src is None or dst is None or src.shape != dst.shape or src.strides == dst.strides or not is_given:
            return None
        return Fix(f"stays: {copy.said} copies what does not lie as {dst}; make it in that order where it is made")

    def _result_of_call(self) -> Operand:
        """What the program's call gave in the end."""
        result = self.call.results[0]
        for call in self.tape.calls[self.at + 1 : self.at + 16]:
            if not call.is_part_of(self.call):
                break
            if call.results and call.schema.name != "t":
                result = call.results[0]
        return result

    def _padded(self, copy: Copy) -> Fix:
        first = self._next()
        pads = list(self.call.args[1])
        value = self.call.args[2] if len(self.call.args) > 2 else 0
        is_even = all(pads[at] == pads[at + 1] for at in range(0, len(pads), 2)) and min(pads) >= 0
        if first is not None and first.schema.name == "convolution" and is_even and value == 0:
            return Fix(
                "give the pads to the convolution that follows (padding=), which pads without a copy",
                copy.bytes_written,
            )
        return Fix(f"stays: {first or 'what follows'} has no padding of its own that would do it")

    def _next(self) -> Call | None:
        """The first call that takes the copy, or a view of it, and is no view itself."""
        storage = self.call.results[0].storage
        for at in self.tape.uses(storage, self.at):
            if not self.tape.calls[at].schema.is_view:
                return self.tape.calls[at]
        return None

    def _reaches(self, name: str) -> bool:
        """Whether such an operation takes the copy, or what comes of it a few steps on."""
        reached = {self.call.results[0].storage}
        for call in self.tape.calls[self.at + 1 : self.at + 64]:
            if any(one.storage in reached for one in call.operands()):
                if call.schema.name == name:
                    return True
                reached.update(one.storage for one in call.results)
        return False


def _permuted_rows(source: ly.Layout, shape: ly.Sizes) -> ly.Layout | None:
    """The layout of a result whose rows lie as those of the source do; None where these do not lie dense."""
    order = sorted(range(len(shape) - 1), key=lambda axis: -source.strides[axis])
    strides, step, width = [1] * len(shape), shape[-1], source.shape[-1]
    for axis in reversed(order):
        if source.strides[axis] != width and source.shape[axis] != 1:
            return None
        strides[axis] = step
        step *= shape[axis]
        width *= source.shape[axis]
    return ly.Layout(shape, tuple(strides)) if source.strides[-1] == 1 else None


def _flattens_in_memory_order(source: ly.Layout, target: ly.Sizes) -> bool:
    """Whether images in channels_last become rows, which are a view where the channels come last."""
    if not ly.is_channels_last(source) or target != (source.shape[0], source.numel // max(source.shape[0], 1)):
        return False
    order = (0, *range(2, len(source.shape)), 1)
    permuted = ly.Layout(tuple(source.shape[a] for a in order), tuple(source.strides[a] for a in order))
    return ly.can_view(permuted, target)


def _is_own(copy: Copy) -> bool:
    """Whether the program's line calls the operation, or a module whose forward does."""
    return copy.inside is None or copy.inside.function.rpartition(".")[2] == "forward"


def _can_be_edited(copy: Copy) -> bool:
    """Whether the call is the program's, also one of a function that PyTorch writes in Python (``F.pad``)."""
    return _is_own(copy) or (copy.inside is not None and copy.inside.function == copy.operation)


def _keeps_dtype(copy: Copy) -> bool:
    return (
        copy.call in ("clone", "_to_copy") and copy.src_dtype == copy.dst_dtype and copy.src_device == copy.dst_device
    )


def _largest(moves: tuple[Move, ...]) -> Move:
    return max(moves, key=lambda move: move.bytes)


def _remains(outcome: Outcome, change: str) -> str:
    """Why the change gains nothing."""
    if outcome.refused is not None:
        return outcome.refused
    if not outcome.moves:
        return f"as much is copied {change}"
    total = sum(move.bytes for move in outcome.moves)
    same = "the same " if total == outcome.before else ""
    others = " and others copy" if len(outcome.moves) > 1 else " copies"
    return f"{change} {_largest(outcome.moves)}{others} {same}{bytes_text(total)}"


def _rest(outcome: Outcome) -> str:
    """What is still copied, in brackets."""
    if not outcome.moves:
        return ""
    rest = bytes_text(sum(move.bytes for move in outcome.moves))
    return f"; saves {bytes_text(outcome.saved)}, {rest} is copied by {_largest(outcome.moves)} instead"
