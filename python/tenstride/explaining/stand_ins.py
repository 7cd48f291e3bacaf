# SPDX-License-Identifier: Apache-2.0
"""Modules that stand for those which the code under study imports."""

from __future__ import annotations

import types
from typing import Any, Callable

from .tensors import unknown


class StandIn(types.ModuleType):
    """A module that stands for one of PyTorch's: what is known, and what `look_up` finds where that is given."""

    def __init__(self, name: str, known: dict[str, Any], look_up: Callable[[str], Any] | None = None) -> None:
        super().__init__(name)
        self.__dict__.update(known, _look_up=look_up, __path__=[])

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if self._look_up is not None:
            return self._look_up(name)
        return unknown(f"module '{self.__name__}'", name, list(vars(self)))
