# SPDX-License-Identifier: Apache-2.0
"""What the schema of an aten operation says about it, worked out once for each."""

from __future__ import annotations

from typing import Any

from . import torch_names as names

_RESHAPES = ("view", "_unsafe_view", "_reshape_alias")


class Schema:
    """Whether an operation views, moves or writes."""

    __slots__ = ("is_reshape", "is_view", "moves", "name", "overload", "written")

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
        self.is_reshape = self.name in _RESHAPES and self.overload != "dtype"
        arguments = func._schema.arguments if hasattr(func, "_schema") else ()
        #: The names and places of the arguments that are written to.
        self.written = tuple(
            (at, one.name) for at, one in enumerate(arguments) if one.alias_info is not None and one.alias_info.is_write
        )


class _NoCopy(Schema):
    """contiguous() of what is contiguous, which no operation of the dispatcher is."""

    def __init__(self) -> None:
        self.name, self.overload = "contiguous", ""
        self.is_view, self.is_reshape, self.moves, self.written = True, False, False, ()


KEPT_CONTIGUOUS = _NoCopy()

_known: dict[Any, Schema] = {}


def schema_of(func: Any) -> Schema:
    """The Schema of an operation."""
    found = _known.get(func)
    if found is None:
        found = _known[func] = Schema(func)
    return found
