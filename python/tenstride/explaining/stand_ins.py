# SPDX-License-Identifier: Apache-2.0
"""Modules that stand for those which the code under study imports."""

from __future__ import annotations

import types
from typing import Any, Callable

from . import tensors


class StandIn(types.ModuleType):
    """A module that stands for one of PyTorch's, whose attributes are looked up one by one."""

    def __init__(self, name: str, look_up: Callable[[str], Any], known: dict[str, Any]) -> None:
        super().__init__(name)
        self.__dict__.update(known)
        self.__dict__["_look_up"] = look_up
        self.__path__: list[str] = []

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self._look_up(name)


def unknown(module: str, name: str, known: list[str]) -> Any:
    """What stands for an attribute of a module that explain does not have."""
    return tensors.unknown(f"module '{module}'", name, known)
