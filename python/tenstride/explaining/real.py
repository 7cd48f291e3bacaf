# SPDX-License-Identifier: Apache-2.0
"""`--real`: the code runs with the PyTorch that is installed, whose function mode and module hooks are watched."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .. import _tenstride
from .._kinds import looked_at
from ..audit.layouts import Layout, sizes_text, stand_in, why_not_view
from ..audit.origins import made_not_contiguous, made_not_viewable
from ..audit.reasons import RESHAPES
from ..audit.torch_names import words
from .arrays import Array
from .calls import describe, layout_of
from .recorder import Recorder
from .source import FILE
from .steps import Origin, without_unknown
from .traced import Memory, deep

_ALWAYS = words(
    "cat clone concat concatenate copy flip gather hstack index_select masked_fill masked_select repeat "
    "repeat_interleave roll rot90 stack take tensor tile tril triu vstack __getitem__"
)
_WRITES = ("copy_", "fill_", "zero_", "__setitem__")


@contextmanager
def watched_torch(recorder: Recorder) -> Iterator[None]:
    """A scope in which PyTorch's calls are recorded. ImportError where it is not installed."""
    try:
        import torch
        from torch.nn.modules.module import register_module_forward_hook
        from torch.overrides import TorchFunctionMode
    except ImportError as error:
        raise ImportError(
            f"--real runs the code with PyTorch (1.13 or newer), which is not installed ({error})"
        ) from None

    watch = _Watch(recorder, torch)

    class Mode(TorchFunctionMode):  # type: ignore[misc,unused-ignore]
        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            return watch.call(func, args, kwargs or {})

    def item(tensor: Any, key: Any) -> Any:
        return watch.call(watch.item, (tensor, key), {}, "__getitem__")

    from_numpy = torch.from_numpy

    def of_array(array: Any) -> Any:
        return watch.call(lambda given: from_numpy(given), (array,), {}, "from_numpy")

    hook = register_module_forward_hook(watch.module)
    torch.from_numpy = of_array  # nor does it see this
    torch.Tensor.__getitem__ = item  # the function mode does not see plain indexes
    try:
        with Mode():
            yield
    finally:
        del torch.Tensor.__getitem__
        torch.from_numpy = from_numpy
        hook.remove()


class _Watch:
    """Records what calls of PyTorch give."""

    def __init__(self, recorder: Recorder, torch: Any) -> None:
        self._recorder, self._torch = recorder, torch
        self._folder = os.path.dirname(torch.__file__)
        self._origins: dict[tuple[int, Layout], Origin] = {}

    def call(self, function: Any, args: tuple[Any, ...], named: dict[str, Any], called: str = "") -> Any:
        """A function or method of PyTorch. Watched arrays are handed over as NumPy's, and come back watched."""
        if self._recorder.is_muted:
            return function(*args, **named)
        args, named = deep(args, _plain), deep(named, _plain)
        name = called or getattr(function, "__name__", "")
        if name == "__get__":
            name = getattr(getattr(function, "__self__", None), "__name__", name)
        inputs = list(self._tensors((args, named)))
        before = {id(one): layout_of(one) for one in inputs}
        try:
            result = function(*args, **named)
        except (RuntimeError, IndexError, ValueError, TypeError, NotImplementedError) as error:
            with self._recorder.muted():
                text, cause = self._refusal(error, name, inputs, args)
            self._recorder.refuse("torch", error, text, cause)
            raise
        if name == "numpy":
            with self._recorder.muted():
                return Array(result, Memory())
        if self._modules() == 0 and self._is_direct():
            written = [args[0]] if name == "__setitem__" else self._tensors(result)
            for tensor in list(written):
                self._step(name, tensor, inputs, before)
        return result

    def item(self, tensor: Any, key: Any) -> Any:
        """`tensor[key]`, which is recorded by whoever calls this."""
        with self._recorder.muted():
            return self._torch._C._TensorBase.__getitem__(tensor, key)

    def module(self, module: Any, args: Any, output: Any) -> None:
        """The end of a call of one of PyTorch's own modules."""
        is_own = type(module).__module__.startswith("torch.") and not isinstance(module, self._torch.nn.Sequential)
        if self._recorder.is_muted or not is_own or self._modules() != 1:
            return
        inputs = list(self._tensors(args))
        with self._torch._C.DisableTorchFunction():
            before = {id(one): layout_of(one) for one in inputs}
            for tensor in self._tensors(output):
                self._step("module", tensor, inputs, before)

    def _modules(self) -> int:
        """How many of PyTorch's own modules are under way, containers not counted."""
        frame, count = sys._getframe(2), 0
        while frame is not None and frame.f_code.co_filename != FILE:
            if frame.f_code.co_name == "_call_impl":
                module = frame.f_locals.get("self")
                count += not isinstance(module, self._torch.nn.Sequential)
            frame = frame.f_back  # type: ignore[assignment]
        return count

    def _is_direct(self) -> bool:
        """Whether the call is not one inside the construction of a module."""
        frame = sys._getframe(2)
        while frame is not None and frame.f_code.co_filename != FILE:
            path = frame.f_code.co_filename
            if path.startswith(os.path.join(self._folder, "nn")) and not path.endswith("functional.py"):
                return False
            frame = frame.f_back  # type: ignore[assignment]
        return frame is not None

    def _tensors(self, value: Any) -> Iterator[Any]:
        if isinstance(value, self._torch.Tensor):
            yield value
        elif isinstance(value, (list, tuple)):
            for part in value:
                yield from self._tensors(part)
        elif isinstance(value, dict):
            yield from self._tensors(list(value.values()))

    def _key(self, tensor: Any) -> int:
        storage = tensor.untyped_storage() if hasattr(tensor, "untyped_storage") else tensor.storage()
        return int(storage.data_ptr())

    def _step(self, name: str, tensor: Any, inputs: list[Any], before: dict[int, Layout]) -> None:
        place = self._recorder.place()
        with self._recorder.muted():
            layout, key = layout_of(tensor), self._key(tensor)
            same = any(one is tensor for one in inputs)
            source = tensor if same else next((one for one in inputs if self._key(one) == key), None)
            first = source if source is not None else inputs[0] if inputs else None
            kind = "self" if same else "view" if source is not None or name == "from_numpy" else "new"
            reason = self._reason(name, first, tensor, before) if kind == "new" and first is not None else None
            origin = self._origins.get((self._key(first), before[id(first)])) if first is not None else None
        step = self._recorder.step("torch", "copy" if reason else kind, place)
        describe(step, layout, tensor)
        with self._recorder.muted():
            size = tensor.numel() * tensor.element_size()
            if reason and first is not None:
                step.reason, step.bytes_written = reason, size
                step.bytes_moved = tensor.numel() * first.element_size() + size
                step.cause = self._blamed(origin, reason, layout)
            elif kind == "self" and name in _WRITES:
                step.bytes_moved = step.bytes_written = size
            elif kind == "new":
                step.bytes_allocated = size
            is_reshape = name in RESHAPES and first is not None and first.numel() == layout.numel
            if is_reshape and not place.as_meant:
                step.scramble = _tenstride._explain_scramble(looked_at(first, "explain"), layout.shape)
        parent = origin if kind in ("view", "self") else None
        if kind != "self" or parent is None or parent.layout != layout:
            self._origins[key, layout] = Origin(step, layout, parent)

    def _blamed(self, origin: Origin | None, reason: str, layout: Layout) -> int | None:
        """The number of the step because of which it copied."""
        if not reason.startswith(("no view", "strides")):
            return None
        blamed = made_not_viewable(origin, layout.shape) if "no view" in reason else made_not_contiguous(origin)
        return blamed.step.number if blamed is not None else None

    def _reason(self, name: str, source: Any, result: Any, before: dict[int, Layout]) -> str | None:
        """Why it copied; None for what computes."""
        layout = before[id(source)]
        if name in RESHAPES:
            found = why_not_view(layout, tuple(result.shape))
            return str(found) if found is not None else f"{name} copied"
        if (
            name in ("to", "float", "double", "half", "int", "long", "bool", "type", "type_as")
            and source.dtype != result.dtype
        ):
            said = [str(one.dtype).rpartition(".")[2] for one in (source, result)]
            return f"{said[0]} to {said[1]}"
        if name in ("contiguous", "to"):
            wanted = "row-major" if result.is_contiguous() else "channels_last"
            return f"strides {sizes_text(layout.strides)} are not the {wanted} {sizes_text(tuple(result.stride()))}"
        return f"{'index' if name == '__getitem__' else name} always copies" if name in _ALWAYS else None

    def _refusal(
        self, error: BaseException, name: str, inputs: list[Any], args: tuple[Any, ...]
    ) -> tuple[str, int | None]:
        text = f"{type(error).__name__}: {error}"
        if name != "view" or "view size is not compatible" not in text:
            return text, None
        layout = layout_of(inputs[0])
        sizes = args[1:] if len(args) > 1 and isinstance(args[1], int) else tuple(args[1])
        sizes = without_unknown(sizes, layout.numel)
        text += f"\n{_tenstride._why_not_view(stand_in(layout), sizes)}"
        origin = self._origins.get((self._key(inputs[0]), layout))
        blamed = made_not_viewable(origin, sizes)
        return (text, None) if blamed is None else (f"{text}\n  since: {blamed}", blamed.step.number)


def _plain(thing: Any) -> Any:
    return thing.held
