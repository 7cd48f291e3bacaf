# SPDX-License-Identifier: Apache-2.0
"""What `import numpy` gives to the code under study: NumPy itself, watched.

Views and copies are NumPy's own, in every corner; a second set of rules would only be less exact.
"""

from __future__ import annotations

import types
from typing import Any

from .arrays import Array, call


class Watched(types.ModuleType):
    """A module of NumPy whose functions are recorded."""

    def __init__(self, module: types.ModuleType) -> None:
        super().__init__(module.__name__, module.__doc__)
        self.__dict__["_module"] = module
        self.__path__: list[str] = []

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        value = getattr(self._module, name)
        if name == "ndarray":
            value = Array
        elif isinstance(value, types.ModuleType):
            value = Watched(value)
        elif name in ("r_", "c_", "mgrid", "ogrid"):
            value = _Indexed(name, value)
        elif name in ("default_rng", "RandomState"):
            value = _makes_generator(value)
        elif callable(value) and not isinstance(value, type):
            value = _function(name, value)
        self.__dict__[name] = value
        return value


class _Indexed:
    """`np.r_[…]` and its like."""

    def __init__(self, name: str, made_by: Any) -> None:
        self._name, self._made_by = name, made_by

    def __getitem__(self, key: Any) -> Any:
        return call(self._name, lambda given: self._made_by[given], (key,), {})


def _makes_generator(make: Any) -> Any:
    """`np.random.default_rng`: the generator's methods are recorded."""
    return lambda *args, **named: _Generator(make(*args, **named))


class _Generator:
    """A generator of random numbers."""

    def __init__(self, made: Any) -> None:
        self._made = made

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._made, name)
        return _function(name, value) if callable(value) else value


class _function:
    """A function of NumPy; a ufunc has its methods (`np.add.reduce`), too."""

    def __init__(self, name: str, function: Any) -> None:
        self._name, self._function, self.__name__ = name, function, name

    def __call__(self, *args: Any, **named: Any) -> Any:
        return call(self._name, self._function, args, named)

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._function, name)
        return _function(name, value) if callable(value) else value

    def __repr__(self) -> str:
        return repr(self._function)


def make_numpy() -> types.ModuleType:
    """The stand-in for `numpy`. ImportError, with what to do, where it is not installed."""
    try:
        import numpy
    except ImportError:
        raise ImportError(
            "NumPy is not installed here, and explain runs NumPy's own functions to see what they do; pip install numpy"
        ) from None
    return Watched(numpy)
