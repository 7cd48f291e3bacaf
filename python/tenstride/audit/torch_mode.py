# SPDX-License-Identifier: Apache-2.0
"""The audit of PyTorch: a dispatch mode that looks at each operation below autograd."""

from __future__ import annotations

import os
import sys
import threading
import time
from typing import Any

import torch  # type: ignore[import-not-found,unused-ignore]
from torch.overrides import TorchFunctionMode  # type: ignore[import-not-found,unused-ignore]
from torch.utils._python_dispatch import TorchDispatchMode  # type: ignore[import-not-found,unused-ignore]

from . import torch_names as names
from .layouts import Layout, find_reordering, is_channels_last, is_contiguous
from .links import is_transfer
from .origins import Origin
from .places import CallSite, call_site
from .record import Copy, ScrambleFound
from .report import Report, current_label
from .torch_devices import Places
from .torch_remedies import index_remedy, repeat_remedy
from .torch_track import Storages, dtype_name
from .torch_transfers import Transfers

_OWN_FILES = tuple(
    os.path.join("torch", *path)
    for path in (("utils", "_python_dispatch.py"), ("utils", "_stats.py"), ("_ops.py",), ("overrides.py",))
)


class _Facts:
    """What the schema of an aten operation says, worked out once."""

    __slots__ = ("is_reshape", "is_view", "moves", "name", "overload")

    def __init__(self, func: Any) -> None:
        full = func._schema.name if hasattr(func, "_schema") else str(func)
        self.name = full.rpartition("::")[2]
        self.overload = getattr(func, "_overloadname", "")
        self.moves = (self.name in names.MOVES or self.name.endswith("_copy")) and not (
            self.name == "repeat_interleave" and self.overload == "Tensor"
        )
        returns = func._schema.returns if hasattr(func, "_schema") else ()
        self.is_view = self.name == "_unsafe_view" or any(
            one.alias_info is not None and not one.alias_info.is_write for one in returns
        )
        self.is_reshape = self.name in ("view", "_unsafe_view", "_reshape_alias")


_facts: dict[Any, _Facts] = {}
_known: frozenset[str] | None = None


def _tensors(value: Any) -> list[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, (list, tuple)):
        return [one for one in value if isinstance(one, torch.Tensor)]
    return []


_OPERATORS = {"__setitem__": "setitem", "__matmul__": "matmul", "__getitem__": None}


class FunctionNames(TorchFunctionMode):  # type: ignore[misc,unused-ignore]
    """Remembers which function of PyTorch's is under way, for Pythons whose bytecode does not tell."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str | None] = []

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = getattr(func, "__name__", None)
        if name in ("__get__", "__set__"):
            name = getattr(getattr(func, "__self__", None), "__name__", None)
        self.names.append(_OPERATORS.get(str(name), name))
        try:
            return func(*args, **(kwargs or {}))
        finally:
            self.names.pop()

    @property
    def current(self) -> str | None:
        """The outermost function under way, or None."""
        return self.names[0] if self.names else None


class CopyMode(TorchDispatchMode):  # type: ignore[misc,unused-ignore]
    """Lists what the operations of this thread copy, in `report`."""

    def __init__(self, report: Report, functions: FunctionNames | None, foretells: bool = False) -> None:
        super().__init__()
        global _known
        if _known is None:
            _known = names.known_names(torch)
        self._known = _known
        self.report, self.functions = report, functions
        self.storages = Storages(torch)
        self.places = Places(self.storages) if foretells else None
        self.transfers = Transfers(self)
        self._last: tuple[Copy, int | None] | None = (
            None  # the copy of the operation before this one, with the key of its result
        )
        self._missed: set[str] = set()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        facts = _facts.get(func)
        if facts is None:
            facts = _facts[func] = _Facts(func)
        # Inference mode hands composite operations over whole; elsewhere autograd has taken them apart before.
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
            self._guarded(facts, self.transfers.place, facts, args, kwargs, result, sys._getframe(1))
        # sys._getframe(1) is PyTorch's frame that called this one, or the program's.
        frame = sys._getframe(1)
        last, self._last = self._last, None
        if before is not None:
            self._guarded(facts, self._copied, facts, args, kwargs, result, before, start, seconds, frame)
        elif facts.is_view:
            self._guarded(facts, self._viewed, facts, args, result, last, frame)
        elif not facts.moves:
            self._guarded(facts, self._made, facts, args, result, frame)
        return result

    def _guarded(self, facts: _Facts, look: Any, *given: Any) -> Any:
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
        return call_site(frame, self.report._skipper, _OWN_FILES)

    def operation(self, site: CallSite, call: str, fallback: str | None = None) -> Any:
        function = self.functions.current if self.functions else None
        return names.operation_of(site, fallback or names.pretty(call), self._known, function)

    # Copies ------------------------------------------------------------------------------------------

    def _before(self, facts: _Facts, args: Any) -> Any:
        """Source tensors, and where the first one's layout comes from; taken before the operation writes."""
        source = args[1] if facts.name in ("copy_", "_foreach_copy_") else args[0]
        if facts.name == "index_put_":
            source = args[2]
        sources = _tensors(source)
        layout = self.storages.layout(sources[0]) if sources else None
        return sources, layout, self.storages.origin(sources[0], layout) if sources else None

    def _copied(
        self, facts: _Facts, args: Any, kwargs: Any, result: Any, before: Any, start: float, seconds: float, frame: Any
    ) -> None:
        sources, layout, origin = before
        results = _tensors(args[0] if facts.name in names.WRITES_INTO else result)
        if not sources or not results:
            return
        source, target = sources[0], results[0]
        written = sum(one.numel() * one.element_size() for one in results)
        read = sum(one.numel() * one.element_size() for one in sources)
        if facts.name == "index_put_":
            if source.dim() == 0:
                return  # a fill
            written = source.numel() * target.element_size()
        elif facts.name not in ("cat", "stack", "block_diag", "_foreach_copy_"):
            read = min(target.numel(), written) * source.element_size()
        if written == 0 or self._is_same(source, target):
            return
        site = self.site(frame)
        if site.inside is not None and site.inside.file.endswith(names.PRINTING):
            return
        is_contiguous_call = facts.name == "clone" and kwargs.get("memory_format") is torch.contiguous_format
        fallback = "contiguous" if is_contiguous_call else None
        operation, is_own, is_backward = self.operation(site, facts.name, fallback)
        converts = facts.name == "_to_copy" and (source.dtype != target.dtype or source.device != target.device)
        devices = self.transfers.device(source), self.transfers.device(target)
        crosses = is_transfer(*devices) and layout is not None
        link = self.transfers.link(source, target, site, facts.name, args, kwargs) if crosses else None
        if link is not None:
            read = written = link.bytes
        copy = Copy(
            kind="transfer"
            if link is not None
            else names.kind_of(operation, is_own and not is_backward, facts.name, converts),
            link=link,
            operation=operation,
            call=facts.name,
            src=layout,
            src_dtype=dtype_name(source),
            src_device=devices[0],
            dst=self.storages.layout(target),
            dst_dtype=dtype_name(target),
            dst_device=devices[1],
            bytes_read=read,
            bytes_written=written,
            place=site.place,
            inside=site.inside,
            phase="backward" if is_backward else "forward",
            node=_node() if is_backward else None,
            allowed=current_label(),
            start=start - self.report.began,
            seconds=link.seconds if link is not None and self.places is not None else seconds,
            thread=threading.current_thread().name,
            origin=origin,
            sources=len(sources),
            remedy=self._remedy(facts.name, args, target),
        )
        if not self.report.add(copy) or facts.name in names.WRITES_INTO:
            return
        self._last = (copy, self.storages.key(target))
        if operation == "contiguous":
            entry = self.storages.entry(target)
            if entry is not None:
                entry.copied = copy
        # A result that keeps odd strides (clone of a permuted tensor) goes on with its history.
        self._keep(facts.name, site, operation, args, target)

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

    @staticmethod
    def _remedy(call: str, args: Any, target: Any) -> str | None:
        try:
            if call in ("index", "_unsafe_index", "index_select"):
                return index_remedy(call, args)
            if call == "repeat":
                return repeat_remedy(args, target)
        except (RuntimeError, TypeError, ValueError, IndexError):
            pass  # a tensor that cannot be read here (meta, a subclass): no advice
        return None

    # Views ------------------------------------------------------------------------------------------

    def _viewed(self, facts: _Facts, args: Any, result: Any, last: Any, frame: Any) -> None:
        outputs = _tensors(result)
        source = next((one for one in args if isinstance(one, torch.Tensor)), None)
        if not outputs or source is None:
            return
        src = self.storages.layout(source)
        site = None
        parent = self.storages.origin(source, src)
        for output in outputs:
            dst = self.storages.layout(output)
            if src is None or dst is None:
                continue
            if facts.is_reshape:
                self._reshaped(facts, source, src, dst, last, frame)
            if dst == src and parent is not None:
                continue
            if dst == src or (is_contiguous(dst) and is_contiguous(src) and parent is None):
                continue  # nothing that anyone will ask about
            site = site or self.site(frame)
            operation, _, _ = self.operation(site, facts.name)
            text = _with_numbers(operation, facts.name, args)
            self.storages.remember(output, Origin(text, site, dst, src, parent))

    def _reshaped(self, facts: _Facts, source: Any, src: Layout, dst: Layout, last: Any, frame: Any) -> None:
        """The second half of a reshape that copied; a view of what contiguous() copied; a scramble."""
        completes = last is not None and last[1] is not None and last[1] == self.storages.key(source)
        # ravel is contiguous() and view(), the others clone() and _unsafe_view().
        if completes and (facts.name == "_unsafe_view" or last[0].operation == "ravel"):
            copy = last[0]
            if copy.call == "clone" and copy.src is not None and copy.dst == src:
                copy.target, copy.dst = dst.shape, dst
                if copy.operation in ("contiguous", "clone"):
                    copy.operation, copy.kind = "reshape", "silent"
        entry = self.storages.find(source)
        if facts.name != "_unsafe_view" and entry is not None and entry.copied is not None:
            copy, entry.copied = entry.copied, None
            if copy.dst == src and copy.src is not None:
                site = self.site(frame)
                copy.followed = (self.operation(site, facts.name)[0], dst.shape, site.place)
        reordering = find_reordering(src.shape, dst.shape)
        if reordering is None:
            return
        site = self.site(frame)
        if site.inside is None:
            operation, _, is_backward = self.operation(site, facts.name)
            if operation in names.CAN_SCRAMBLE and not is_backward:
                found = ScrambleFound(operation, reordering, dtype_name(source), site.place, current_label())
                self.report.add_scramble(found)

    # All others ------------------------------------------------------------------------------------------

    def _made(self, facts: _Facts, args: Any, result: Any, frame: Any) -> None:
        self._look_inside(facts, args, frame)
        for output in _tensors(result):
            if isinstance(output, torch.Tensor) and output.layout is torch.strided and not output.is_contiguous():
                self._keep(facts.name, None, None, args, output, frame)

    def _keep(self, call: str, site: Any, operation: Any, args: Any, output: Any, frame: Any = None) -> None:
        """A new tensor that is not contiguous: the history of the operand whose strides it has goes on."""
        dst = self.storages.layout(output)
        if dst is None or is_contiguous(dst):
            return
        operands = [one for value in args for one in _tensors(value) if one is not output]
        layouts = [(one, self.storages.layout(one)) for one in operands]
        same = [pair for pair in layouts if pair[1] is not None and pair[1].strides == dst.strides]
        odd = [pair for pair in layouts if pair[1] is not None and not is_contiguous(pair[1])]
        tensor, src = (same or odd or [(None, None)])[0]
        parent = None if tensor is None else self.storages.origin(tensor, src)
        if parent is not None and parent.source is not None and parent.source.strides == parent.layout.strides:
            parent = parent.parent or parent  # a chain of operations that keep strides is one step
        site = site or self.site(frame)
        operation = operation or self.operation(site, call)[0]
        if tensor is not None and parent is None:
            return  # it came into the scope so
        self.storages.remember(output, Origin(operation, site, dst, src, parent))

    def _look_inside(self, facts: _Facts, args: Any, frame: Any) -> None:
        """Says where a kernel copies out of sight."""
        name, why = facts.name, None
        if name in names.OPAQUE:
            why = "is one fused kernel; what it copies inside is not seen"
        elif name in names.DENSE or name in names.MATRICES or name in names.ROW_MAJOR:
            operands = [(one, self.storages.layout(one)) for one in _tensors(args)]
            odd = [layout for _, layout in operands if layout is not None and not _fits(name, layout)]
            if odd:
                why = f"takes an operand of layout {odd[0]}, which its kernel may copy inside"
        if why is None:
            return
        place = self.site(frame).place
        self.say(f"aten::{name} ({place.short if place else '?'}) {why}")


def _fits(name: str, layout: Layout) -> bool:
    if is_contiguous(layout) or layout.numel == 0:
        return True
    if name in names.DENSE:
        return is_channels_last(layout)
    if name in names.MATRICES:
        sides = list(zip(layout.shape, layout.strides))[-2:]
        return any(stride == 1 or size == 1 for size, stride in sides)
    return False


def _node() -> str | None:
    """The name of the backward node under way, where PyTorch tells (2.x)."""
    current = getattr(torch._C, "_current_autograd_node", None)
    node = current() if current is not None else None
    return None if node is None else node.name()


def _with_numbers(operation: str, call: str, args: Any) -> str:
    """``permute(0, 2, 1)``: the integers that the operation was given, where the names agree."""
    if operation != names.pretty(call) or call not in (
        "permute",
        "transpose",
        "expand",
        "select",
        "movedim",
        "unfold",
    ):
        return operation
    flat: list[str] = []
    for value in args[1:]:
        flat += [str(one) for one in (value if isinstance(value, (list, tuple)) else [value])]
    return f"{operation}({', '.join(flat)})"
