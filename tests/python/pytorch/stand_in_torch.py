# SPDX-License-Identifier: Apache-2.0
"""`import torch` gives tenstride; what PyTorch's tests use as a mere tool is computed here by NumPy.

Everything that moves, selects or views elements is tenstride's own. From here come the computations with which the
tests make their inputs (`TOOLS`), names of PyTorch's that lead to a function of tenstride's (`ELSEWHERE`), and
`_base`: the tensor that a factory made on the storage, which tenstride does not keep.
"""

from __future__ import annotations

import contextlib
import functools
import math
import types
import warnings

import numpy
import tenstride
from tenstride import Tensor

FACTORIES = [
    "arange",
    "empty",
    "empty_like",
    "full",
    "ones",
    "ones_like",
    "rand",
    "randint",
    "randn",
    "tensor",
    "zeros",
    "zeros_like",
]


class Bases:
    """The first tensor on each storage, kept for the length of a test so that its address is not given again."""

    def __init__(self):
        self.first = {}

    def keep(self, tensor):
        if isinstance(tensor, Tensor):
            self.first.setdefault(tensor.untyped_storage().data_ptr(), tensor)
        return tensor

    def base_of(self, tensor):
        first = self.first.get(tensor.untyped_storage().data_ptr())
        return None if first is tensor else first


BASES = Bases()


def kept(factory):
    """The factory, whose result is remembered as its storage's first tensor."""

    @functools.wraps(factory)
    def make(*args, **kwargs):
        return BASES.keep(factory(*args, **kwargs))

    return make


def elements(tensor) -> numpy.ndarray:
    """The elements in a NumPy array, bfloat16 as float32."""
    return (tensor.to(tenstride.float32) if tensor.dtype is tenstride.bfloat16 else tensor).numpy()


def cumsum(tensor, dim):
    return tenstride.from_numpy(numpy.cumsum(elements(tensor), axis=dim)).to(tensor.dtype)


def argsort(tensor, dim=-1):
    return tenstride.from_numpy(numpy.argsort(elements(tensor), axis=dim, kind="stable"))


def storage_of(values):
    return tenstride.tensor(values).storage()


def new(tensor, *sizes):
    """PyTorch's old `x.new(2, 3)`."""
    return tensor.new_empty(sizes)


class AbsentType:
    """An element type that tenstride does not have: tests of it fail where they first make a tensor."""

    def __init__(self, name):
        self.name = name
        self.is_floating_point = False
        self.is_complex = "complex" in name

    def __repr__(self):
        return f"torch.{self.name}"


ABSENT_TYPES = ["complex32", "quint8", "qint8", "qint32"]
TOOLS = {"argsort": argsort, "cumsum": cumsum}
ELSEWHERE = {
    "Storage": storage_of,
    "nan": math.nan,
    "no_grad": contextlib.nullcontext,
    **{name: AbsentType(name) for name in ABSENT_TYPES},
}
METHODS = {
    "_base": property(BASES.base_of),
    "_is_view": lambda tensor: BASES.base_of(tensor) is not None,
    "new": new,
}


def put(put_module):
    """Makes the modules `torch`, `torch.utils.dlpack`, `torch.cuda` and what else the tests name."""
    for name, method in {**TOOLS, **METHODS}.items():
        if not hasattr(Tensor, name):
            setattr(Tensor, name, method)
    own = {name: value for name, value in vars(tenstride).items() if not name.startswith("__")}
    made = {name: kept(own[name]) for name in FACTORIES}
    put_module("torch", {**ELSEWHERE, **TOOLS, **own, **made, "BASES": BASES})
    put_module("torch.cuda", {"is_available": lambda: False})
    put_module("torch.utils", {})
    put_module(
        "torch.utils.dlpack",
        {"from_dlpack": tenstride.from_dlpack, "to_dlpack": lambda tensor: tensor.__dlpack__()},
    )
    put_module("torch._utils", {"_element_size": lambda dtype: dtype.itemsize})
    put_module("torch.ops", {"aten": types.SimpleNamespace(slice_copy=tenstride.slice_copy)})
    warnings.simplefilter("default")
