# SPDX-License-Identifier: Apache-2.0
"""What PyTorch's dispatcher does not show: names of functions under way, and contiguous() with nothing to do."""

from __future__ import annotations

import sys
import threading
from typing import Any, Callable

import torch  # type: ignore[import-not-found,unused-ignore]
from torch.overrides import TorchFunctionMode  # type: ignore[import-not-found,unused-ignore]

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


class ContiguousCalls:
    """Tells `see` of each ``x.contiguous()`` on this thread that gave `x` itself: a fix may give it something to do.

    While any is open, ``torch.Tensor.contiguous`` is a function that calls PyTorch's.
    """

    _open = threading.local()
    _lock = threading.Lock()
    _count = 0
    _before: Any = None

    def __init__(self, see: Callable[[torch.Tensor, Any], None]) -> None:
        self.see = see

    def __enter__(self) -> ContiguousCalls:
        vars(self._open).setdefault("scopes", []).append(self)
        with self._lock:
            if ContiguousCalls._count == 0:
                ContiguousCalls._before = torch.Tensor.contiguous
                torch.Tensor.contiguous = _contiguous
            ContiguousCalls._count += 1
        return self

    def __exit__(self, *error: Any) -> None:
        vars(self._open)["scopes"].remove(self)
        with self._lock:
            ContiguousCalls._count -= 1
            if ContiguousCalls._count == 0:
                torch.Tensor.contiguous = ContiguousCalls._before


def _contiguous(self: torch.Tensor, *args: Any, **kwargs: Any) -> torch.Tensor:
    result = ContiguousCalls._before(self, *args, **kwargs)
    scopes = vars(ContiguousCalls._open).get("scopes")
    if result is self and scopes and not args and not kwargs:
        scopes[-1].see(self, sys._getframe(1))
    return result
