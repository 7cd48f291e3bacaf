# SPDX-License-Identifier: Apache-2.0
"""The audit of PyTorch: a dispatch mode that looks at each operation below autograd."""

from __future__ import annotations

import sys
import threading
import time
from typing import Any, NamedTuple

import torch  # type: ignore[import-not-found,unused-ignore]
from torch.utils._python_dispatch import TorchDispatchMode  # type: ignore[import-not-found,unused-ignore]

from . import torch_names as names
from .findings import Findings, current_label
from .layouts import Layout, find_scramble, is_contiguous
from .links import is_transfer
from .origins import Origin
from .places import CallSite, call_site
from .record import Copy, ScrambleFound
from .torch_devices import Places
from .torch_fixes import Trial
from .torch_functions import FunctionNames
from .torch_kernels import OPAQUE, copied_inside, may_copy_inside
from .torch_machinery import compiled_function, is_machinery
from .torch_remedies import remedy_of
from .torch_schema import KEPT_CONTIGUOUS, Schema, schema_of
from .torch_tape import Tape
from .torch_track import Storages, dtype_name, tensors_in
from .torch_transfers import Transfers

_NUMBERED = names.words("permute transpose expand select movedim unfold")
_known: frozenset[str] | None = None


class _Run(NamedTuple):
    """An operation that has run: what it was given and gave, and what the program called."""

    facts: Schema
    func: Any
    args: Any
    kwargs: Any
    result: Any
    start: float
    seconds: float
    site: CallSite
    operation: str
    is_own: bool
    is_backward: bool
    said: str | None


class CopyMode(TorchDispatchMode):  # type: ignore[misc,unused-ignore]
    """Lists what the operations of this thread copy, in `report`."""

    def __init__(self, report: Findings, functions: FunctionNames | None, foretells: bool = False) -> None:
        super().__init__()
        global _known
        if _known is None:
            _known = names.known_names(torch)
        self._known = _known
        self.report, self.functions = report, functions
        self.storages = Storages()
        self.tape = Tape(self.storages)
        self.places = Places(self.storages) if foretells else None
        self.transfers = Transfers(self)
        self._last: tuple[Copy, int | None] | None = (
            None  # the copy of the operation before this one, with the key of its result
        )
        self._missed: set[str] = set()
        self._functions: set[tuple[str, str]] = set()  # of the program, that have been looked at

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if self.tape.is_muted:
            return func(*args, **kwargs)
        frame, facts = sys._getframe(1), schema_of(func)
        # Inference mode hands composite operations over whole; elsewhere autograd has decomposed them before.
        if torch.is_inference_mode_enabled() and hasattr(func, "decompose"):
            with self:
                result = func.decompose(*args, **kwargs)
            if result is not NotImplemented:
                return result
        before = self._guarded(facts, self._before, facts, args) if facts.moves else None
        start = time.perf_counter()
        result = func(*args, **kwargs)
        seconds = time.perf_counter() - start
        if self.places is not None:
            self._guarded(facts, self.transfers.place, facts, args, kwargs, result, frame)
        self._guarded(facts, self._look, facts, func, args, kwargs, result, start, seconds, frame, before)
        return result

    def _guarded(self, facts: Schema, look: Any, *given: Any) -> Any:
        """A tensor the audit cannot read (a subclass with rules of its own) does not stop the program, and is told."""
        try:
            return look(*given)
        except Exception as error:
            self.say(f"aten::{facts.name} could not be looked at: {type(error).__name__}: {error}")
            return None

    def say(self, sentence: str) -> None:
        if sentence not in self._missed:
            self._missed.add(sentence)
            self.report.missed.append(sentence)

    def site(self, frame: Any) -> CallSite:
        return call_site(frame, self.report._skipper, is_machinery)

    def operation(self, site: CallSite, call: str, fallback: str | None = None) -> names.Called:
        function = self.functions.current if self.functions else None
        return names.operation_of(site, fallback or names.pretty(call), self._known, function)

    def _look(
        self,
        facts: Schema,
        func: Any,
        args: Any,
        kwargs: Any,
        result: Any,
        start: float,
        seconds: float,
        frame: Any,
        before: Any,
    ) -> None:
        """Lists what an operation copied, remembers what it made, and keeps it for trials."""
        site = self.site(frame)
        self._look_for_compiled(site, frame)
        is_contiguous_call = facts.name == "clone" and kwargs.get("memory_format") is torch.contiguous_format
        called = self.operation(site, facts.name, "contiguous" if is_contiguous_call else None)
        run = _Run(facts, func, args, kwargs, result, start, seconds, site, *called)
        last, self._last = self._last, None
        copy = None
        if before is not None:
            copy = self._copied(run, *before)
        elif facts.is_view:
            self._viewed(run, last)
        elif not facts.moves:
            self._made(run)
        if self.tape.is_full:
            return
        number = self.tape.add(func, facts, args, kwargs, result, site, (run.operation, run.is_backward), copy)
        if copy is not None and self.tape.calls[number].operands() and self.tape.calls[number].results:
            copy.trial = Trial(self.tape, number, remedy_of(facts.name, args, result))

    def _look_for_compiled(self, site: CallSite, frame: Any) -> None:
        place = site.place
        if place is None or (place.file, place.function) in self._functions:
            return
        self._functions.add((place.file, place.function))
        compiled = compiled_function(frame)
        if compiled is not None:
            self.say(f"{compiled} is given to torch.compile and runs eagerly here: compiled it copies otherwise")

    def kept_contiguous(self, tensor: Any, frame: Any) -> None:
        """contiguous() had nothing to do: kept for trials, in which it may."""
        if not self.tape.is_muted and not self.tape.is_full:
            site = self.site(frame)
            called = self.operation(site, "contiguous")
            self.tape.add(
                None, KEPT_CONTIGUOUS, (tensor,), {}, tensor, site, (called.operation, called.is_backward), None
            )

    # Copies ------------------------------------------------------------------------------------------

    def _before(self, facts: Schema, args: Any) -> Any:
        """Source tensors, and where the first one's layout comes from; taken before the operation writes."""
        source = args[1] if facts.name in ("copy_", "_foreach_copy_") else args[0]
        if facts.name == "index_put_":
            source = args[2]
        sources = tensors_in(source)
        layout = self.storages.layout(sources[0]) if sources else None
        return sources, layout, self.storages.origin(sources[0], layout) if sources else None

    def _copied(self, run: _Run, sources: Any, layout: Layout | None, origin: Origin | None) -> Copy | None:
        name = run.facts.name
        results = tensors_in(run.args[0] if name in names.WRITES_INTO else run.result)
        if not sources or not results:
            return None
        source, target = sources[0], results[0]
        written = sum(one.numel() * one.element_size() for one in results)
        read = sum(one.numel() * one.element_size() for one in sources)
        if name == "index_put_":
            if source.dim() == 0:
                return None  # a fill
            written = source.numel() * target.element_size()
        elif name not in ("cat", "stack", "block_diag", "_foreach_copy_"):
            read = min(target.numel(), written) * source.element_size()
        if written == 0 or self._is_same(source, target):
            return None
        inside = run.site.inside
        if inside is not None and inside.file.endswith(names.PRINTING):
            return None
        converts = name == "_to_copy" and (source.dtype != target.dtype or source.device != target.device)
        devices = self.transfers.device(source), self.transfers.device(target)
        crosses = is_transfer(*devices) and layout is not None
        link = self.transfers.link(source, target, run.site, name, run.args, run.kwargs) if crosses else None
        if link is not None:
            read = written = link.bytes
        copy = Copy(
            kind="transfer"
            if link is not None
            else names.kind_of(run.operation, run.is_own and not run.is_backward, name, converts),
            link=link,
            operation=run.operation,
            said=run.said,
            call=name,
            src=layout,
            src_dtype=dtype_name(source),
            src_device=devices[0],
            dst=self.storages.layout(target),
            dst_dtype=dtype_name(target),
            dst_device=devices[1],
            bytes_read=read,
            bytes_written=written,
            place=run.site.place,
            inside=inside,
            phase="backward" if run.is_backward else "forward",
            node=_node() if run.is_backward else None,
            allowed=current_label(),
            start=run.start - self.report.began,
            seconds=link.seconds if link is not None and self.places is not None else run.seconds,
            thread=threading.current_thread().name,
            origin=origin,
            sources=len(sources),
        )
        if not self.report.add(copy):
            return None
        if name not in names.WRITES_INTO:
            self._last = (copy, self.storages.key(target))
            # A result that keeps odd strides (clone of a permuted tensor) goes on with its history.
            self._keep(run, target)
        return copy

    def _is_same(self, source: Any, target: Any) -> bool:
        """Whether a tensor is written onto itself."""
        if source is target:
            return True
        key = self.storages.key(source)
        return (
            key is not None
            and key == self.storages.key(target)
            and self.storages.layout(source) == self.storages.layout(target)
        )

    # Views ------------------------------------------------------------------------------------------

    def _viewed(self, run: _Run, last: Any) -> None:
        outputs = tensors_in(run.result)
        source = next((one for one in run.args if isinstance(one, torch.Tensor)), None)
        if not outputs or source is None:
            return
        src = self.storages.layout(source)
        parent = self.storages.origin(source, src)
        for output in outputs:
            dst = self.storages.layout(output)
            if src is None or dst is None:
                continue
            if run.facts.is_reshape:
                self._reshaped(run, source, src, dst, last)
            if dst == src and parent is not None:
                continue
            if dst == src or (is_contiguous(dst) and is_contiguous(src) and parent is None):
                continue  # nothing that anyone will ask about
            text = _with_numbers(run.operation, run.facts.name, run.args)
            self.storages.remember(output, Origin(text, run.site, dst, src, parent))

    def _reshaped(self, run: _Run, source: Any, src: Layout, dst: Layout, last: Any) -> None:
        """The second half of a reshape that copied; a scramble."""
        completes = last is not None and last[1] is not None and last[1] == self.storages.key(source)
        # ravel is contiguous() and view(), the others clone() and _unsafe_view().
        if completes and (run.facts.name == "_unsafe_view" or last[0].operation == "ravel"):
            copy = last[0]
            if copy.call == "clone" and copy.src is not None and copy.dst == src:
                copy.target, copy.dst = dst.shape, dst
                if copy.operation in ("contiguous", "clone"):
                    copy.operation, copy.kind = "reshape", "silent"
        reordering = find_scramble(src.shape, dst.shape)
        if reordering is None or run.site.inside is not None or run.is_backward:
            return
        if run.operation in names.CAN_SCRAMBLE:
            found = ScrambleFound(run.operation, reordering, dtype_name(source), run.site.place, current_label())
            self.report.add_scramble(found)

    # All others ------------------------------------------------------------------------------------------

    def _made(self, run: _Run) -> None:
        self._look_inside(run)
        for output in tensors_in(run.result):
            if output.layout is torch.strided and not output.is_contiguous():
                self._keep(run, output)

    def _keep(self, run: _Run, output: Any) -> None:
        """A new tensor that is not contiguous: the history of the operand whose strides it has goes on."""
        dst = self.storages.layout(output)
        if dst is None or is_contiguous(dst):
            return
        operands = [one for value in run.args for one in tensors_in(value) if one is not output]
        layouts = [(one, self.storages.layout(one)) for one in operands]
        same = [pair for pair in layouts if pair[1] is not None and pair[1].strides == dst.strides]
        odd = [pair for pair in layouts if pair[1] is not None and not is_contiguous(pair[1])]
        tensor, src = (same or odd or [(None, None)])[0]
        parent = None if tensor is None else self.storages.origin(tensor, src)
        if parent is not None and parent.source is not None and parent.source.strides == parent.layout.strides:
            parent = parent.parent or parent  # a chain of operations that keep strides is one step
        if tensor is not None and parent is None:
            return  # it came into the scope so
        self.storages.remember(output, Origin(run.operation, run.site, dst, src, parent))

    def _look_inside(self, run: _Run) -> None:
        """Says where a kernel copies out of sight."""
        name = run.facts.name
        if name in OPAQUE:
            why = "is one fused kernel; what it copies inside is not seen"
        elif not may_copy_inside(name):
            return
        else:
            layouts = [self.storages.layout(one) for value in run.args for one in tensors_in(value)]
            odd = copied_inside(name, [one for one in layouts if one is not None])
            if not odd:
                return
            why = f"takes an operand of layout {odd[0]}, which its kernel may copy inside"
        place = run.site.place
        self.say(f"aten::{name} ({place.short if place else '?'}) {why}")


def _node() -> str | None:
    """The name of the backward node under way, where PyTorch tells (2.x)."""
    current = getattr(torch._C, "_current_autograd_node", None)
    node = current() if current is not None else None
    return None if node is None else node.name()


def _with_numbers(operation: str, call: str, args: Any) -> str:
    """``permute(0, 2, 1)``: the integers that the operation was given, where the names agree."""
    if operation != names.pretty(call) or call not in _NUMBERED:
        return operation
    flat: list[str] = []
    for value in args[1:]:
        flat += [str(one) for one in (value if isinstance(value, (list, tuple)) else [value])]
    return f"{operation}({', '.join(flat)})"
