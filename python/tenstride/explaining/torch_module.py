# SPDX-License-Identifier: Apache-2.0
"""What `import torch` gives to the code under study: tenstride's functions, and rules of shapes for the rest."""

from __future__ import annotations

import types
from typing import Any, Callable

from .. import _tenstride, _typed as typed
from . import shape_rules
from .arrays import Array
from .calls import of_array
from .layers import LAYERS
from .neural import Module, ModuleDict, ModuleList, Parameter, Sequential
from .stand_ins import StandIn
from .tensors import Tensor, by_rule, in_place, make, run, unknown
from .traced import recorder

_NOT_HERE = ("fx", "hub", "load", "multiprocessing", "utils")


class Nothing:
    """A scope or decorator that changes no layout: `torch.no_grad()`."""

    def __init__(self, *args: Any, **named: Any) -> None:
        self._function = args[0] if args and callable(args[0]) else None

    def __enter__(self) -> Nothing:
        return self

    def __exit__(self, *error: Any) -> None:
        return None

    def __call__(self, *args: Any, **named: Any) -> Any:
        if self._function is not None:
            return self._function(*args, **named)
        return args[0]


class Optimizer:
    """An optimizer, a scheduler, a scaler: its calls change no layout."""

    def __init__(self, *args: Any, **named: Any) -> None:
        self.param_groups: list[dict[str, Any]] = [{"lr": named.get("lr", 0.0), "params": []}]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _ignore


def function_of(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of tenstride as one of the code under study."""

    def called(*args: Any, **named: Any) -> Any:
        return run(function, args, named)

    called.__name__ = called.__qualname__ = name
    return called


def rule_of(name: str, rule: Callable[..., Any]) -> Callable[..., Any]:
    """A rule of shapes as a function of the code under study; `inplace=True` gives the tensor itself."""

    def called(*args: Any, **named: Any) -> Any:
        if named.pop("inplace", False) and args and isinstance(args[0], Tensor):
            return in_place(rule, args[0], args[1:], named)
        return by_rule(rule, args, named)

    called.__name__ = called.__qualname__ = name
    return called


def make_torch() -> types.ModuleType:
    """The stand-in for `torch`, with `torch.nn` and its like."""

    def look_up(name: str) -> Any:
        if name in shape_rules.FUNCTIONAL:
            return rule_of(name, shape_rules.FUNCTIONAL[name])
        if name.endswith("_") and name[:-1] in shape_rules.METHODS:
            return lambda tensor, *args, **named: getattr(tensor, name)(*args, **named)
        value = getattr(_tenstride, name, None)
        if value is None:
            if name in _NOT_HERE:
                raise AttributeError(f"torch.{name} has no bearing on layouts, and explain does not have it")
            return unknown("module 'torch'", name, [*dir(_tenstride), *shape_rules.FUNCTIONAL])
        return function_of(name, value) if callable(value) and not isinstance(value, type) else value

    torch = StandIn("torch", _constants(), look_up)
    cuda = {"is_available": lambda: False, "device_count": lambda: 0, "manual_seed": _ignore, "synchronize": _ignore}
    for name in ("manual_seed_all", "empty_cache"):
        cuda[name] = _ignore
    cuda["amp"] = StandIn("torch.cuda.amp", {"autocast": Nothing})
    torch.__dict__.update(
        nn=_nn(),
        cuda=StandIn("torch.cuda", cuda),
        backends=StandIn("torch.backends", {"cudnn": types.SimpleNamespace(), "mps": types.SimpleNamespace()}),
        autograd=StandIn("torch.autograd", {"Variable": lambda tensor, **_: tensor, "no_grad": Nothing}),
        linalg=StandIn("torch.linalg", {name: look_up(name) for name in ("matmul", "norm")}),
        jit=StandIn("torch.jit", {}, lambda name: _itself),
        optim=StandIn("torch.optim", {}, _optimizer),
        special=StandIn("torch.special", {}, look_up),
    )
    return torch


def _functional(name: str) -> Any:
    plain = name[:-1] if name.endswith("_") else name
    if plain in shape_rules.FUNCTIONAL:
        rule = rule_of(name, shape_rules.FUNCTIONAL[plain])
        return rule if plain == name else lambda *args, **named: rule(*args, **named, inplace=True)
    return unknown("module 'torch.nn.functional'", name, list(shape_rules.FUNCTIONAL))


def _nn() -> types.ModuleType:
    """The stand-in for `torch.nn`: modules, containers, layers, and what changes weights, which changes no layout."""
    utilities = {"rnn": StandIn("torch.nn.utils.rnn", {})}
    known: dict[str, Any] = {
        **{kind.__name__: kind for kind in (Module, ModuleDict, ModuleList, Parameter, Sequential)},
        "ParameterList": list,
        "DataParallel": lambda module, *_, **__: module,
        "functional": StandIn("torch.nn.functional", {}, _functional),
        "init": StandIn("torch.nn.init", {}, lambda name: lambda tensor, *_, **__: tensor),
        "parameter": types.SimpleNamespace(Parameter=Parameter),
        "modules": types.SimpleNamespace(Module=Module),
        "utils": StandIn("torch.nn.utils", utilities, lambda name: lambda module, *_, **__: module),
        **LAYERS,
    }
    return StandIn("torch.nn", known)


def _optimizer(name: str) -> Any:
    if name == "lr_scheduler":
        return StandIn("torch.optim.lr_scheduler", {}, lambda kind: Optimizer)
    recorder().remark("optimizers do nothing here: they move no layouts")
    return Optimizer


def _ignore(*_: Any, **__: Any) -> None:
    """Nothing: it has no bearing on layouts."""


def _itself(function: Any = None, *_: Any, **__: Any) -> Any:
    """A decorator that changes nothing: `torch.compile`, `torch.jit.script`."""
    return _itself if function is None else function


def _constants() -> dict[str, Any]:
    """What `torch` has besides functions."""
    known: dict[str, Any] = {
        "Tensor": Tensor,
        "Generator": Optimizer,
        "Size": _tenstride.Size,
        "__version__": "explained by tenstride",
        "as_tensor": _as_tensor,
        "compile": _itself,
        "get_default_dtype": lambda: _tenstride.float32,
        "asarray": _as_tensor,
        "from_numpy": _from_numpy,
        "inf": float("inf"),
        "is_tensor": lambda value: isinstance(value, Tensor),
        "nan": float("nan"),
        "newaxis": None,
        "tensor": _tensor,
        "empty_like": function_of("empty_like", _tenstride.empty_like),
        **dict.fromkeys(
            ("set_printoptions", "set_default_dtype", "set_num_threads", "use_deterministic_algorithms", "save"),
            _ignore,
        ),
        **dict.fromkeys(("no_grad", "enable_grad", "inference_mode", "set_grad_enabled", "autocast"), Nothing),
    }
    kinds = {name: kind for name, kind in vars(typed).items() if isinstance(kind, typed.tensortype)}
    return known | {name: function_of(name, kind) for name, kind in kinds.items()}


def _tensor(data: Any, dtype: Any = None, **named: Any) -> Any:
    """`torch.tensor`: of a tensor or an array it copies."""
    held = getattr(data, "held", None)
    if isinstance(data, Tensor):
        return data.clone() if dtype is None else data.to(dtype)
    return run(_tenstride.tensor, (data if held is None else held,), {"dtype": dtype, **named})


def _as_tensor(data: Any, dtype: Any = None, **named: Any) -> Any:
    if isinstance(data, Tensor):
        return data if dtype is None else data.to(dtype)
    tensor = (
        _from_numpy(data) if isinstance(data, Array) else run(_tenstride.tensor, (data,), {"dtype": dtype, **named})
    )
    return tensor if dtype is None or tensor.dtype == dtype else tensor.to(dtype)


def _from_numpy(array: Any) -> Any:
    if not isinstance(array, Array):
        raise TypeError(f"expected np.ndarray (got {type(array).__name__})")
    if any(stride < 0 for stride in array.held.strides):
        error = ValueError(
            "At least one stride in the given numpy array is negative, and tensors with negative strides are not "
            "currently supported. (You can probably work around this by making a copy of your array "
            " with array.copy().) "
        )
        layout = ", ".join(map(str, array.held.strides))
        recorder().refuse("torch", error, f"ValueError: {error}\n  strides ({layout}) bytes")
        raise error
    return of_array(_tenstride.from_numpy, array, make)
