# SPDX-License-Identifier: Apache-2.0
"""What `import torch.nn` gives to the code under study: modules, containers, layers and `torch.nn.utils`."""

from __future__ import annotations

import types
from typing import Any

from .layers import LAYERS
from .neural import Module, ModuleDict, ModuleList, Parameter, Sequential
from .stand_ins import StandIn, unknown


def make_nn(functional: types.ModuleType) -> types.ModuleType:
    """The stand-in for `torch.nn`."""
    init = StandIn("torch.nn.init", lambda name: lambda tensor, *_, **__: tensor, {})
    rnn = StandIn("torch.nn.utils.rnn", lambda name: unknown("torch.nn.utils.rnn", name, []), {})
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
        "utils": StandIn("torch.nn.utils", lambda name: lambda module, *_, **__: module, {"rnn": rnn}),
        **LAYERS,
    }
    return StandIn("torch.nn", lambda name: unknown("torch.nn", name, list(known)), known)
