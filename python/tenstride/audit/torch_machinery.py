# SPDX-License-Identifier: Apache-2.0
"""Frames of PyTorch's own machinery: they pass calls on, and are nobody's line of a program."""

from __future__ import annotations

import functools
import sys
from types import CodeType, FrameType
from typing import Any

import torch  # type: ignore[import-not-found,unused-ignore]
from torch.overrides import TorchFunctionMode, handle_torch_function  # type: ignore[import-not-found,unused-ignore]
from torch.utils._python_dispatch import TorchDispatchMode  # type: ignore[import-not-found,unused-ignore]

from .places import Place

# What defines operations as objects, modes, and the hand-over to modes, wherever a version of PyTorch keeps it.
_MODULES = frozenset(
    one.__module__
    for one in (type(torch.ops.aten.add.default), TorchDispatchMode, TorchFunctionMode, handle_torch_function)
)


class _Probe(TorchDispatchMode):  # type: ignore[misc,unused-ignore]
    """Sees which frames PyTorch puts between a call of an operation and the mode that handles it."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.codes = []
        frame = sys._getframe(1)
        while frame.f_code is not _wrappers.__wrapped__.__code__:
            self.codes.append(frame.f_code)
            frame = frame.f_back
        return func(*args, **(kwargs or {}))


@functools.cache
def _wrappers() -> frozenset[CodeType]:
    with _Probe() as probe:
        torch.zeros(1)
        torch.zeros(1)  # the first time a wrapper makes itself
    return frozenset(probe.codes)


def is_machinery(frame: FrameType) -> bool:
    """Whether the frame is that of an operation object, of a mode, of the hand-over between them, or of what newer
    versions wrap around the methods of modes.
    """
    return frame.f_globals.get("__name__") in _MODULES or frame.f_code in _wrappers()


def compiled_function(frame: FrameType) -> str | None:
    """The function around `frame` that ``torch.compile`` was given, as ``name (file:line)``, or None."""
    dynamo = sys.modules.get("torch._dynamo.eval_frame")
    inner, at = frame, frame.f_back if dynamo is not None else None
    while at is not None:
        if at.f_globals is vars(dynamo) and _compiles(at.f_locals.get("self")):
            return f"{inner.f_code.co_name} ({Place(inner.f_code.co_filename, inner.f_code.co_firstlineno, '').short})"
        inner, at = at, at.f_back
    return None


def _compiles(context: Any) -> bool:
    """Whether a context of Dynamo's is one that compiles, and not one that switches it off."""
    return callable(getattr(context, "callback", None))
