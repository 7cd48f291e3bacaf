# SPDX-License-Identifier: Apache-2.0
"""What `--let` says of a name: the sizes of a tensor or an array, or a number."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from .. import _tenstride
from .traced import Memory

_TEXT = re.compile(r"(?P<sizes>\d+(?:x\d+)+|\(\d*(?:,\d+)*,?\)|\d+)(?::(?P<dtype>[\w.]+))?$")


class Declared(dict):  # type: ignore[type-arg]
    """What was declared, by name; knows which of it was used."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        super().__init__(values)
        self.unused = dict.fromkeys(values)

    def __getitem__(self, name: str) -> Any:
        self.unused.pop(name, None)
        return super().__getitem__(name)


def parse(text: str) -> tuple[str, Any]:
    """`NAME=2x3x4`, `NAME=2x3:int64`, `NAME=(5,)` or `NAME=5` (a number; with a dtype, a tensor of one axis).

    >>> parse("x=2x3"), parse("n=5"), parse("v=5:int64")
    (('x', (2, 3)), ('n', 5), ('v', ((5,), 'int64')))
    """
    name, _, said = text.partition("=")
    found = _TEXT.match(said.replace(" ", ""))
    if not name.strip().isidentifier() or found is None:
        raise ValueError(
            f"--let {text}: a name and its sizes must be given, as x=2x3x4, x=2x3:int64, x=(5,), or a number, as n=5"
        )
    sizes, dtype = found["sizes"], found["dtype"]
    if sizes.isdigit() and dtype is None:
        return name.strip(), int(sizes)
    shape = tuple(int(size) for size in re.findall(r"\d+", sizes))
    return name.strip(), (shape, dtype) if dtype else shape


def make(values: Mapping[str, Any], numpy: bool, real: bool) -> Declared:
    """The tensors that stand for what was said; arrays of NumPy's where the text knows no torch."""
    return Declared({name: _one(name, value, numpy, real) for name, value in values.items()})


def _one(name: str, value: Any, numpy: bool, real: bool) -> Any:
    if isinstance(value, (bool, int, float, str)) or value is None:
        return value
    has_dtype = isinstance(value, tuple) and len(value) == 2 and isinstance(value[1], str)
    shape, dtype = value if has_dtype else (value, None)
    if not isinstance(shape, (tuple, list)):
        return watched(value)
    if not all(isinstance(size, int) and size >= 0 for size in shape):
        raise ValueError(f"let: sizes of {name} must be whole numbers ({shape})")
    plain = (dtype or "float32").rpartition(".")[2]
    if numpy or (dtype or "").startswith(("np.", "numpy.")):
        return _array(tuple(shape), (dtype or "float64").rpartition(".")[2])
    if real:
        import torch

        return torch.zeros(tuple(shape), dtype=getattr(torch, plain))
    return _tensor(name, tuple(shape), plain)


def _tensor(name: str, shape: tuple[int, ...], dtype: str) -> Any:
    from .calls import MAX_ELEMENTS
    from .tensors import make as make_tensor

    kind = getattr(_tenstride, dtype, None)
    if not isinstance(kind, _tenstride.dtype):
        raise ValueError(f"let: {dtype} of {name} must be a dtype, as float32 or int64")
    count = math.prod(shape)
    if count > MAX_ELEMENTS:
        return make_tensor(_tenstride.empty(shape, dtype=kind, device="meta"), Memory(False))
    numbers = _tenstride.arange(count).to(kind)
    return make_tensor(numbers.reshape(shape), Memory())


def _array(shape: tuple[int, ...], dtype: str) -> Any:
    import numpy

    from .arrays import Array

    return Array(numpy.arange(int(numpy.prod(shape)), dtype=dtype).reshape(shape), Memory())


def watched(value: Any) -> Any:
    """A tensor or array that was handed over, as one of the code under study."""
    from .arrays import Array, _is_array
    from .tensors import make as make_tensor

    if isinstance(value, _tenstride.Tensor):
        return make_tensor(value, Memory(not value.is_meta))
    import sys

    if "numpy" in sys.modules and _is_array(value):
        return Array(value, Memory())
    if hasattr(value, "__dlpack__"):
        from .._kinds import looked_at

        return make_tensor(looked_at(value, "explain"), Memory())
    return value
