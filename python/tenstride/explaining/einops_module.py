# SPDX-License-Identifier: Apache-2.0
"""What `import einops` gives to the code under study: tenstride's rearrange, repeat, reduce, pack and unpack."""

from __future__ import annotations

import types
from typing import Any, Callable

from .. import foreign
from .arrays import Array, call as call_array
from .neural import Module
from .stand_ins import StandIn
from .tensors import run
from .traced import found


def make_einops() -> types.ModuleType:
    """The stand-in for `einops`, with `einops.layers.torch`."""
    known: dict[str, Any] = {name: _verb(name) for name in ("rearrange", "repeat", "reduce", "pack", "unpack")}
    known["parse_shape"] = lambda x, pattern: foreign.parse_shape(x.held, pattern)
    known["asnumpy"] = lambda tensor: tensor.numpy()
    layers = {name: _layer(name, verb) for name, verb in (("Rearrange", "rearrange"), ("Reduce", "reduce"))}
    known["layers"] = StandIn("einops.layers", {"torch": StandIn("einops.layers.torch", layers)})
    return StandIn("einops", known)


def _verb(name: str) -> Callable[..., Any]:
    function = getattr(foreign, name)

    def verb(*args: Any, **named: Any) -> Any:
        if "tensor" in named:
            args = (named.pop("tensor"), *args)
        if any(isinstance(thing, Array) for thing in found(args)):
            return call_array(name, function, args, named)
        return run(function, args, named)

    verb.__name__ = name
    return verb


def _layer(name: str, verb: str) -> type[Module]:
    function = _verb(verb)

    def init(self: Module, pattern: str, *args: Any, **named: Any) -> None:
        self._given = (pattern, *args), named  # type: ignore[attr-defined]

    def forward(self: Module, input: Any) -> Any:
        args, named = self._given  # type: ignore[attr-defined]
        return function(input, *args, **named)

    return type(name, (Module,), {"__init__": init, "forward": forward})
