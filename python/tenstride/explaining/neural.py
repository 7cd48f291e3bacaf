# SPDX-License-Identifier: Apache-2.0
"""The modules of `torch.nn` that call a `forward`, and their containers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Callable

from .. import _tenstride
from .tensors import Tensor, make
from .traced import Memory, recorder


class Parameter(Tensor):
    """`nn.Parameter(x)`: the same elements, with the type that modules look for."""

    def __new__(cls, data: Any = None, requires_grad: bool = True) -> Any:
        held = data.held if isinstance(data, Tensor) else _tenstride.empty(0)
        return super().__new__(cls, held)

    def __init__(self, data: Any = None, requires_grad: bool = True) -> None:
        if isinstance(data, Tensor):
            super().__init__(data.held, data.memory)
            self.origin = data.origin
        else:
            super().__init__(_tenstride.empty(0), Memory())
        self.asks_for_grad = requires_grad


def parameter(*sizes: int) -> Parameter:
    """A parameter of a layer: it has sizes, and no elements."""
    return Parameter(make(_tenstride.empty(sizes, device="meta"), Memory(False)))


class Module:
    """`nn.Module`: a call of it is a call of its `forward`."""

    training = True

    def __init__(self, *args: Any, **named: Any) -> None:
        """Nothing is needed; attributes are found where they were set."""

    def __call__(self, *args: Any, **named: Any) -> Any:
        return self.forward(*args, **named)

    def forward(self, *args: Any, **named: Any) -> Any:
        raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')

    def named_children(self) -> Iterator[tuple[str, Module]]:
        return ((name, value) for name, value in vars(self).items() if isinstance(value, Module))

    def children(self) -> Iterator[Module]:
        return (module for _, module in self.named_children())

    def named_modules(self, prefix: str = "") -> Iterator[tuple[str, Module]]:
        yield prefix, self
        for name, module in self.named_children():
            yield from module.named_modules(f"{prefix}.{name}" if prefix else name)

    def modules(self) -> Iterator[Module]:
        return (module for _, module in self.named_modules())

    def named_parameters(self) -> Iterator[tuple[str, Parameter]]:
        for prefix, module in self.named_modules():
            for name, value in vars(module).items():
                if isinstance(value, Parameter):
                    yield (f"{prefix}.{name}" if prefix else name), value

    def parameters(self) -> Iterator[Parameter]:
        return (value for _, value in self.named_parameters())

    def state_dict(self) -> dict[str, Tensor]:
        return dict(self.named_parameters())

    def load_state_dict(self, *_: Any, **__: Any) -> None:
        recorder().remark("load_state_dict() is left out: parameters have sizes, and no elements")

    def register_buffer(self, name: str, tensor: Any, persistent: bool = True) -> None:
        setattr(self, name, tensor)

    def register_parameter(self, name: str, param: Any) -> None:
        setattr(self, name, param)

    def add_module(self, name: str, module: Any) -> None:
        setattr(self, name, module)

    register_module = add_module

    def apply(self, function: Callable[[Module], Any]) -> Module:
        for module in list(self.modules()):
            function(module)
        return self

    def train(self, mode: bool = True) -> Module:
        for module in self.modules():
            module.training = mode
        return self

    def eval(self) -> Module:
        return self.train(False)

    def _itself(self, *_: Any, **__: Any) -> Module:
        return self

    to = cuda = cpu = float = double = half = bfloat16 = requires_grad_ = zero_grad = share_memory = _itself

    def register_forward_hook(self, *_: Any, **__: Any) -> None:
        recorder().remark("hooks are not called by explain")

    def __repr__(self) -> str:
        inner = "".join(f"\n  ({name}): {module!r}".replace("\n", "\n  ") for name, module in self.named_children())
        return f"{type(self).__name__}({inner}\n)" if inner else f"{type(self).__name__}()"


class Sequential(Module):
    """One module after another."""

    def __init__(self, *modules: Any) -> None:
        named = modules[0].items() if len(modules) == 1 and isinstance(modules[0], dict) else enumerate(modules)
        for name, module in named:
            setattr(self, str(name), module)

    def forward(self, input: Any) -> Any:
        for module in self.children():
            with recorder().named(type(module).__name__):
                input = module(input)
        return input

    def append(self, module: Module) -> Sequential:
        setattr(self, str(len(self)), module)
        return self

    def __iter__(self) -> Iterator[Module]:
        return self.children()

    def __len__(self) -> int:
        return sum(1 for _ in self.children())

    def __getitem__(self, index: Any) -> Any:
        modules = list(self.children())[index]
        return type(self)(*modules) if isinstance(index, slice) else modules


class ModuleList(Sequential):
    """A list of modules."""

    def __init__(self, modules: Any = ()) -> None:
        for module in modules:
            self.append(module)

    def forward(self, *_: Any) -> Any:
        raise NotImplementedError('Module [ModuleList] is missing the required "forward" function')

    def extend(self, modules: Any) -> ModuleList:
        for module in modules:
            self.append(module)
        return self


class ModuleDict(Module):
    """Modules by name."""

    def __init__(self, modules: Any = ()) -> None:
        for name, module in dict(modules).items():
            setattr(self, name, module)

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)

    def __setitem__(self, name: str, module: Any) -> None:
        setattr(self, name, module)

    def keys(self) -> list[str]:
        return [name for name, _ in self.named_children()]

    def items(self) -> list[tuple[str, Module]]:
        return list(self.named_children())

    def values(self) -> list[Module]:
        return list(self.children())
