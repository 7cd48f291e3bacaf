# SPDX-License-Identifier: Apache-2.0
"""What `import` finds in the code under study: stand-ins for torch, numpy and einops, else Python's modules."""

from __future__ import annotations

import builtins
import importlib
import types
from typing import Any

from .traced import recorder

NAMES = {
    "torch": "torch",
    "np": "numpy",
    "numpy": "numpy",
    "nn": "torch.nn",
    "F": "torch.nn.functional",
    "einops": "einops",
}
"""Names that a text may use without their import, and what they are taken for."""

PARTS = {
    **dict.fromkeys(("rearrange", "repeat", "reduce"), "einops"),
    **dict.fromkeys(("Tensor", "LongTensor", "FloatTensor"), "torch"),
    "as_strided": "numpy.lib.stride_tricks",
    "Parameter": "torch.nn",
    "Rearrange": "einops.layers.torch",
    "Variable": "torch.autograd",
}
"""The same of names that stand in such a module."""

ABSENT = {
    "torchvision": "torchvision is not understood: say the sizes of what it gives, --let NAME=2x3x4",
    "torch.utils": "torch.utils (data sets, loaders, checkpoints) is not understood: say the sizes of what it gives, "
    "--let NAME=2x3x4",
}


class Modules:
    """The modules of one run, made when they are first imported."""

    def __init__(self, real: bool) -> None:
        self._real, self._made = real, {}  # type: bool, dict[str, types.ModuleType]

    def root(self, name: str) -> types.ModuleType | None:
        """The stand-in for a top-level module, None for a module that is imported as it is."""
        if name not in (("numpy",) if self._real else ("numpy", "torch", "einops")):
            return None
        if name not in self._made:
            with recorder().muted():
                maker = importlib.import_module(f".{name}_module", __package__)
                self._made[name] = getattr(maker, f"make_{name}")()
        return self._made[name]

    def load(self, path: str) -> Any:
        """A module by its dotted name."""
        if not self._real:
            for absent, sentence in ABSENT.items():
                if path == absent or path.startswith(absent + "."):
                    raise ImportError(sentence)
        module = self.root(path.partition(".")[0])
        if module is None:
            return importlib.import_module(path)
        for part in path.split(".")[1:]:
            module = getattr(module, part)
        return module

    def imported(self, name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0) -> Any:
        """`__import__` for the code under study."""
        root = name.partition(".")[0]
        if level or (self.root(root) is None and root not in ABSENT):
            return builtins.__import__(name, globals, locals, fromlist, level)
        module = self.load(name)
        for part in fromlist or ():
            if part == "*":
                raise ImportError(f"from {name} import *: the names are not listed; import those that are used")
        return module if fromlist else self.load(root)

    def given(self, name: str) -> Any:
        """What a name stands for that the text uses without importing it; None for others."""
        if name in NAMES:
            return self.load(NAMES[name])
        return getattr(self.load(PARTS[name]), name) if name in PARTS else None
