# SPDX-License-Identifier: Apache-2.0
"""One call of tenstride on traced tensors: what it gives, and the steps that say what it did with memory."""

from __future__ import annotations

import math
from typing import Any, Callable

from .. import _tenstride
from .._tenstride import CopyLedger
from ..audit.layouts import Layout, is_contiguous, stand_in, why_not_contiguous
from ..audit.origins import made_not_contiguous, made_not_viewable
from .recorder import Recorder
from .steps import Origin, Step
from .traced import Memory, NeedsElements, NotUnderstood, Traced, deep, found, recorder
from .words import of_pytorch

MAX_ELEMENTS = 1 << 24
"""Tensors of more elements have a layout, and no elements."""

ERRORS = (RuntimeError, IndexError, ValueError, TypeError, NotImplementedError)


class TracedTensor(Traced):
    """A tensor of the code under study. `held` lies as PyTorch's would; on meta where nobody knows its elements."""

    def __init__(self, held: _tenstride.Tensor, memory: Memory, origin: Origin | None = None) -> None:
        self._held, self._memory, self.origin = held, memory, origin
        self.asks_for_grad = False

    @property
    def held(self) -> _tenstride.Tensor:
        if not self._memory.has_elements and not self._held.is_meta:
            self._held = without_elements(self._held)
        return self._held

    @property
    def memory(self) -> Memory:
        return self._memory


def layout_of(tensor: _tenstride.Tensor) -> Layout:
    """Where the elements of a tensor lie."""
    return Layout(tuple(tensor.shape), tuple(tensor.stride()), tensor.storage_offset())


def without_elements(tensor: _tenstride.Tensor) -> _tenstride.Tensor:
    """A tensor that lies in the same way, without memory."""
    return tensor if tensor.is_meta else stand_in(layout_of(tensor), tensor.dtype)


def call(
    function: Callable[..., Any], args: tuple[Any, ...], named: dict[str, Any], make: Callable[..., TracedTensor]
) -> Any:
    """What a function of tenstride gives for traced tensors. Each tensor of its result is a step.

    Tensors without elements, and those too large for them, make all of a call's tensors such.
    """
    run = recorder()
    inputs = [thing for thing in found((args, named)) if isinstance(thing, TracedTensor)]
    on_meta = any(one.held.is_meta for one in inputs) or _max_elements(function, inputs, args) > MAX_ELEMENTS

    held = _holding(on_meta)
    given, given_named = deep(args, held), deep(named, held)
    standing = {id(value): one for one, value in zip(inputs, found_held(given, given_named))}
    try:
        with CopyLedger() as ledger:
            result = function(*given, **given_named)
    except ERRORS as error:
        return _failed(run, error, inputs)
    return _Results(run, inputs, standing, ledger, make, on_meta).wrap(result)


def _holding(on_meta: bool) -> Callable[[Any], Any]:
    """What gives the tensor of a traced one, or one on meta that lies so; the array of a watched one."""
    return lambda thing: without_elements(thing.held) if on_meta and isinstance(thing, TracedTensor) else thing.held


def _max_elements(function: Callable[..., Any], inputs: list[TracedTensor], args: tuple[Any, ...]) -> int:
    """A bound of what a call reads or gives: its tensors broadcast to each other, and repeated."""
    if not inputs:
        return 0
    shapes = [tuple(one.held.shape) for one in inputs[:3]]
    rank = max(map(len, shapes))
    padded = [(1,) * (rank - len(shape)) + shape for shape in shapes]
    count = math.prod(map(max, *padded)) if len(padded) > 1 else math.prod(padded[0])
    if getattr(function, "__name__", "") in ("repeat", "tile"):
        count *= math.prod(numbers(args))
    return count


def numbers(value: Any) -> list[int]:
    """The whole numbers in the arguments of a call."""
    if isinstance(value, int):
        return [value]
    return [number for part in value for number in numbers(part)] if isinstance(value, (list, tuple)) else []


def found_held(*values: Any) -> list[_tenstride.Tensor]:
    """The tensors in the arguments of a call, in order."""
    tensors: list[_tenstride.Tensor] = []
    for value in values:
        if isinstance(value, _tenstride.Tensor):
            tensors.append(value)
        elif isinstance(value, (list, tuple)):
            tensors += found_held(*value)
        elif isinstance(value, dict):
            tensors += found_held(*value.values())
        elif isinstance(value, slice):
            tensors += found_held(value.start, value.stop, value.step)
    return tensors


class _Results:
    """How the results of one call become traced tensors, each with its step."""

    def __init__(
        self,
        run: Recorder,
        inputs: list[TracedTensor],
        standing: dict[int, TracedTensor],
        ledger: CopyLedger,
        make: Callable[..., TracedTensor],
        on_meta: bool,
    ) -> None:
        self.run, self.inputs, self.standing, self.make, self.on_meta = run, inputs, standing, make, on_meta
        self.totals, self.entries = ledger.totals, ledger.entries
        self.first = True

    def wrap(self, value: Any) -> Any:
        if isinstance(value, _tenstride.Tensor):
            return self._tensor(value)
        if type(value) in (list, tuple):
            return type(value)(self.wrap(part) for part in value)
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return type(value)(*(self.wrap(part) for part in value))
        return value

    def written(self, target: TracedTensor) -> None:
        """The call wrote into a tensor and gave nothing."""
        self._record("self", target)

    def _tensor(self, value: _tenstride.Tensor) -> TracedTensor:
        same = self.standing.get(id(value))
        if same is not None:
            if same.held is not value:  # what was asked for on meta, in the place of a tensor with elements
                same.memory.has_elements = False
            self._record("self", same)
            return same
        if self.totals["copies"]:
            kind = "copy"
        elif self.totals["allocations"] or not self.inputs:
            kind = "new"
        else:
            kind = "view"
        source = self.inputs[0] if self.inputs else None
        memory = source.memory if kind == "view" and source is not None else Memory(not value.is_meta)
        tensor = self.make(value, memory)
        self._record(kind, tensor, source)
        return tensor

    def _record(self, kind: str, tensor: TracedTensor, source: TracedTensor | None = None) -> None:
        if self.run.is_muted:
            tensor.origin = tensor.origin or (source.origin if source is not None else None)
            return
        place = self.run.place()
        step = self.run.step("torch", kind, place)
        layout = layout_of(tensor.held)
        describe(step, layout, tensor.held)
        parent = tensor.origin if kind == "self" else source.origin if kind == "view" and source is not None else None
        if kind != "self" or parent is None or parent.layout != layout:
            tensor.origin = Origin(step, layout, parent)
        if kind in ("new", "copy"):
            step.bytes_allocated = tensor.held.numel() * tensor.held.element_size()
        if not self.first:
            return
        self.first = False
        totals = self.totals
        if kind in ("copy", "self"):
            step.bytes_moved, step.bytes_written = (
                totals["bytes_read"] + totals["bytes_written"],
                totals["bytes_written"],
            )
        before = source if source is not None else self.inputs[0] if self.inputs else None
        self._say_why(step, kind, before, layout)
        if not place.as_meant:
            step.scramble = self._scramble(before, layout)

    def _say_why(self, step: Step, kind: str, source: TracedTensor | None, layout: Layout) -> None:
        copies = [entry for entry in self.entries if entry["kind"] == "copy"]
        if kind != "copy" or not copies:
            return
        step.reason = copies[0]["reason"] or None
        if (step.reason or "").startswith("copy = always"):
            step.reason = "torch.tensor always copies; torch.as_tensor and torch.from_numpy do where they must"
        origin = source.origin if source is not None else None
        if origin is None or step.reason is None:
            return
        if step.reason.startswith("no view"):
            blamed = made_not_viewable(origin, layout.shape)
        else:
            blamed = made_not_contiguous(origin) if "strides" in step.reason else None
        step.cause = blamed.step.number if blamed is not None else None

    def _scramble(self, source: TracedTensor | None, layout: Layout) -> str | None:
        reasons = [entry["reason"] for entry in self.entries if entry["kind"] == "scramble"]
        if not reasons or source is None:
            return None
        if source.held.is_meta or source.held.numel() > MAX_ELEMENTS:
            return str(reasons[0])
        return _tenstride._explain_scramble(source.held, layout.shape) or str(reasons[0])


def describe(step: Step, layout: Layout, tensor: Any) -> None:
    """Fills in what a step says of a layout."""
    step.layout, step.dtype = layout, str(tensor.dtype).rpartition(".")[2]
    step.contiguous = "contiguous" if is_contiguous(layout) else "not contiguous"
    step.why_not_contiguous = why_not_contiguous(layout)


def of_array(function: Callable[..., Any], array: Any, make: Callable[..., TracedTensor]) -> TracedTensor:
    """A tensor that shares the memory of a watched array."""
    run = recorder()
    tensor = make(function(array.held), array.memory)
    layout = layout_of(tensor.held)
    if not run.is_muted:
        step = run.step("torch", "view")
        describe(step, layout, tensor.held)
        tensor.origin = Origin(step, layout, array.origin)
    return tensor


def written(
    function: Callable[..., Any], target: TracedTensor, args: tuple[Any, ...], make: Callable[..., Any]
) -> None:
    """A call that writes into its first tensor, as `x[i] = y`. Elements that nobody knows make the target's unknown."""
    run = recorder()
    others = [thing for thing in found(args) if isinstance(thing, TracedTensor)]
    if any(one.held.is_meta for one in others):
        target.memory.has_elements = False
    inputs = [target, *others]
    on_meta = any(one.held.is_meta for one in inputs)

    held = _holding(on_meta)
    try:
        with CopyLedger() as ledger:
            function(held(target), *deep(args, held))
    except ERRORS as error:
        _failed(run, error, inputs)
        return
    _Results(run, inputs, {}, ledger, make, on_meta).written(target)


def _failed(run: Recorder, error: BaseException, inputs: list[TracedTensor]) -> Any:
    """Notes a refusal and raises it; what `--let` declares for the name under way takes its place."""
    if "no elements to be read" in str(error) or "has no memory" in str(error):
        return declared_or(
            NeedsElements(
                f"{run.place().code or 'this'} needs elements, and explain computes none here "
                "(an operation before it gives a shape alone)"
            )
        )
    text, cause = refusal(error, inputs)
    words = of_pytorch(str(error), [tuple(one.held.shape) for one in inputs])
    if words is not None:
        kind = IndexError if isinstance(error, IndexError) else RuntimeError
        text = f"{kind.__name__}: {words}\n  {error}"
        error = kind(words)
    if not run.is_muted:
        run.refuse("torch", error, text, cause)
    raise error


def declared_or(error: RuntimeError) -> Any:
    """What `--let` declares for the name that is assigned; where it does not, the error, with the way to declare it."""
    run = recorder()
    place = run.place()
    if place.name in run.declared:
        return run.declared[place.name]
    name = place.name or "NAME"
    if place.name:
        hint = f"say what it is: --let {name}=2x3x4 (a number: {name}=5)"
    else:
        hint = "assign it to a name: --let NAME=2x3x4 says its sizes"
    refused = type(error)(f"{error}; {hint}")
    run.refuse("torch", refused, str(refused))
    raise refused


def refusal(error: BaseException, inputs: list[TracedTensor]) -> tuple[str, int | None]:
    """The text of a refused call, with the step since which it is one."""
    name = type(error).__name__
    if isinstance(error, RuntimeError) and not isinstance(error, (NeedsElements, NotUnderstood)):
        name = "RuntimeError"
    elif isinstance(error, IndexError):
        name = "IndexError"
    text = f"{name}: {error}"
    origin = inputs[0].origin if inputs else None
    blamed = made_not_viewable(origin, error.target) if isinstance(error, _tenstride.ViewError) else None
    return (text, None) if blamed is None else (f"{text}\n  since: {blamed}", blamed.step.number)
