# SPDX-License-Identifier: Apache-2.0
"""What `import torch.nn` gives to the code under study: modules, containers, layers and `torch.nn.utils`."""

from __future__ import annotations

import types
from typing import Any

from .. import _tenstride
from .layers import LAYERS
from .neural import Module, ModuleDict, ModuleList, Parameter, Sequential
from .rule_tools import new
from .stand_ins import StandIn, unknown
from .tensors import by_rule


def make_nn(functional: types.ModuleType) -> types.ModuleType:
    """The stand-in for `torch.nn`."""
    init = StandIn("torch.nn.init", lambda name: lambda tensor, *_, **__: tensor, {})
    known: dict[str, Any] = {
        "Module": Module,
        "ModuleDict": ModuleDict,
        "ModuleList": ModuleList,
        "Parameter": Parameter,
        "ParameterList": list,
        "Sequential": Sequential,
        "DataParallel": lambda module, *_, **__: module,
        "functional": functional,
        "init": init,
        "parameter": types.SimpleNamespace(Parameter=Parameter),
        "modules": types.SimpleNamespace(Module=Module),
        "utils": _utilities(),
        **LAYERS,
    }
    return StandIn("torch.nn", lambda name: unknown("torch.nn", name, list(known)), known)


def _utilities() -> types.ModuleType:
    """`torch.nn.utils`: what changes weights gives back what it was given; `rnn` pads sequences."""

    def pad_sequence(sequences: Any, batch_first: bool = False, padding_value: float = 0.0) -> Any:
        return by_rule(_padded, (list(sequences), batch_first), {})

    rnn = StandIn(
        "torch.nn.utils.rnn", lambda name: unknown("torch.nn.utils.rnn", name, []), {"pad_sequence": pad_sequence}
    )
    return StandIn("torch.nn.utils", lambda name: lambda module, *_, **__: module, {"rnn": rnn})


def _padded(sequences: list[_tenstride.Tensor], batch_first: bool) -> _tenstride.Tensor:
    longest = max(sequence.shape[0] for sequence in sequences)
    sizes = (len(sequences), longest) if batch_first else (longest, len(sequences))
    return new((*sizes, *sequences[0].shape[1:]), sequences[0])
