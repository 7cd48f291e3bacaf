# SPDX-License-Identifier: Apache-2.0
"""Calls that are given hostile objects: each row of the table of operations, and what is not in it.

`CALLS` has a function of an object for each. What it gives or raises does not matter: the process must go on.
"""

from __future__ import annotations

import copy
import itertools
import operator
import os
import pickle
from collections.abc import Callable, Iterator
from typing import Any

import numpy
import tenstride
import tenstride as torch
import tenstride.array_api as xp
import tenstride.numpy as tnp

#: Arguments that let a call get as far as the hostile one, by the names of the table.
PLAUSIBLE = {
    "index": lambda: torch.tensor([0]),
    "indices": lambda: torch.tensor([0]),
    "mask": lambda: torch.tensor([True, False, True]),
    "condition": lambda: torch.tensor([True, False, True]),
    "dtype": lambda: torch.float64,
    "size": lambda: (3,),
    "sizes": lambda: (3,),
    "shape": lambda: (3,),
    "stride": lambda: (1,),
    "tensors": lambda: [torch.arange(3), torch.arange(3)],
    "tensor": lambda: torch.arange(3),
    "other": lambda: torch.arange(3),
    "source": lambda: torch.arange(3),
    "src": lambda: torch.arange(3),
    "value": lambda: torch.arange(3),
    "values": lambda: torch.arange(3),
    "out": lambda: torch.arange(3),
}


def plausible(name: str) -> Any:
    return PLAUSIBLE.get(name, lambda: 0)()


def is_ours(hostile: Any) -> bool:
    return type(hostile).__module__.partition(".")[0] == "tenstride" or issubclass(type(hostile), torch.Tensor)


def attribute(holder: Any, name: str) -> Any:
    for part in name.split("."):
        holder = getattr(holder, part)
    return holder


def by_position(name: str, is_method: bool, parameters: list[str], at: int) -> Callable[[Any], Any]:
    def call(hostile: Any) -> Any:
        first = [torch.arange(3)] if is_method else []
        before = [plausible(parameter) for parameter in parameters[:at]]
        return attribute(torch.Tensor if is_method else torch, name)(*first, *before, hostile)

    return call


def by_name(name: str, is_method: bool, parameters: list[str], at: int) -> Callable[[Any], Any]:
    def call(hostile: Any) -> Any:
        first = [torch.arange(3)] if is_method else []
        before = {parameter: plausible(parameter) for parameter in parameters[:at]}
        return attribute(torch.Tensor if is_method else torch, name)(*first, **{**before, parameters[at]: hostile})

    return call


def of_the_table() -> Iterator[tuple[str, Callable[[Any], Any]]]:
    """Each parameter of each operation in turn, and the object as the tensor of an attribute."""
    for name, form, _, rows, _ in tenstride._tenstride._operations():
        if form == "attribute":
            yield f"x.{name}", lambda hostile, name=name: getattr(torch.Tensor, name).__get__(hostile)
            yield (
                f"x.{name} =",
                lambda hostile, name=name: setattr(torch.zeros(3, dtype=torch.complex64), name, hostile),
            )
            continue
        parameters = [row[0] for row in rows if not row[4]]
        more = [row[0] for row in rows if row[4]]
        for at, parameter in enumerate(parameters):
            yield f"{form} {name}({parameter})", by_position(name, form == "method", parameters, at)
        for at in range(len(parameters), len(parameters) + len(more)):
            both = parameters + more
            yield f"{form} {name}({both[at]}=)", by_name(name, form == "method", both, at)
        if form == "method":
            yield f"method {name} of it", lambda hostile, name=name: getattr(torch.Tensor, name)(hostile)


BINARY = ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and_", "or_", "xor", "eq", "lt", "contains"]
IN_PLACE = ["iadd", "isub", "imul", "itruediv", "ifloordiv", "ipow", "iand"]


def of_syntax() -> Iterator[tuple[str, Callable[[Any], Any]]]:
    for name in BINARY:
        yield f"x {name} it", lambda hostile, name=name: getattr(operator, name)(torch.arange(3), hostile)
        if name == "contains":
            continue  # goes through the object, which may have no end
        yield f"it {name} x", lambda hostile, name=name: getattr(operator, name)(hostile, torch.arange(3))
    for name in IN_PLACE:
        yield f"x {name} it", lambda hostile, name=name: getattr(operator, name)(torch.arange(3.0), hostile)
    grid = lambda: torch.arange(6).view(2, 3)  # noqa: E731
    yield "x[it]", lambda hostile: grid()[hostile]
    yield "x[it, 0]", lambda hostile: grid()[hostile, 0]
    yield "x[0, it]", lambda hostile: grid()[0, hostile]
    yield "x[it:]", lambda hostile: grid()[hostile:]
    yield "x[[it, 0]]", lambda hostile: grid()[[hostile, 0]]
    yield "x[it] = 1", lambda hostile: operator.setitem(grid(), hostile, 1)
    yield "x[0] = it", lambda hostile: operator.setitem(grid(), 0, hostile)
    yield "x[mask] = it", lambda hostile: operator.setitem(grid(), grid() > 2, hostile)
    yield "del x[it]", lambda hostile: operator.delitem(grid(), hostile)
    yield "format", lambda hostile: format(torch.tensor(1), hostile)
    yield "x.__array__", lambda hostile: torch.arange(3).__array__(hostile)
    yield "x.__dlpack__(stream)", lambda hostile: torch.arange(3).__dlpack__(stream=hostile)
    yield "x.__dlpack__(max_version)", lambda hostile: torch.arange(3).__dlpack__(max_version=hostile)
    yield "x.__dlpack__(dl_device)", lambda hostile: torch.arange(3).__dlpack__(dl_device=hostile)
    yield "x.__dlpack__(copy)", lambda hostile: torch.arange(3).__dlpack__(copy=hostile)
    yield "x.tobytes", lambda hostile: torch.arange(3).tobytes(hostile)
    yield "x.to_device", lambda hostile: torch.arange(3).to_device(hostile)
    yield "x.__array_namespace__", lambda hostile: torch.arange(3).__array_namespace__(api_version=hostile)
    yield "x.__deepcopy__", lambda hostile: torch.arange(3).__deepcopy__(hostile)
    yield "storage[it]", lambda hostile: torch.arange(3).untyped_storage()[hostile]
    yield "storage[0] = it", lambda hostile: operator.setitem(torch.arange(3).storage(), 0, hostile)
    for name, function in {"copy": copy.copy, "deepcopy": copy.deepcopy, "repr": repr, "pickle": pickle.dumps}.items():
        yield name, lambda hostile, function=function: function(hostile) if is_ours(hostile) else None
    yield "memoryview", memoryview
    yield "Tensor", torch.Tensor
    yield "Tensor(it, 2)", lambda hostile: torch.Tensor(hostile, 2)
    yield "rebuild", lambda hostile: tenstride._pickle.rebuild(hostile, torch.int64, 24, (3,), (1,), 0)
    yield "rebuild sizes", lambda hostile: tenstride._pickle.rebuild(bytes(24), torch.int64, 24, hostile, (1,), 0)
    yield "rebuild strides", lambda hostile: tenstride._pickle.rebuild(bytes(24), torch.int64, 24, (3,), hostile, 0)


TYPED = ["FloatTensor", "LongTensor", "BoolTensor", "HalfTensor"]
PATTERNS = {"rearrange": "a -> a", "repeat": "a -> a b", "reduce": "a ->", "parse_shape": "a"}


def of_the_package() -> Iterator[tuple[str, Callable[[Any], Any]]]:
    for name in ["tensor", "as_tensor", "asarray", "from_numpy", "from_dlpack", "to_dlpack", "Size", "device", "lazy"]:
        yield name, getattr(torch, name)
    for name in TYPED:
        yield name, getattr(torch, name)
        yield f"{name}(size=)", lambda hostile, name=name: getattr(torch, name)(size=hostile)
    for parameter in ["dtype", "device", "copy"]:
        yield f"asarray({parameter}=)", lambda hostile, parameter=parameter: torch.asarray([1], **{parameter: hostile})
    for parameter in ["dtype", "device"]:
        yield f"tensor({parameter}=)", lambda hostile, parameter=parameter: torch.tensor([1], **{parameter: hostile})
    yield "tensor(dtype=float16)", lambda hostile: torch.tensor(hostile, dtype=torch.float16)
    yield "tensor([it])", lambda hostile: torch.tensor([hostile])
    yield "tensor([[1], it])", lambda hostile: torch.tensor([[1], hostile])
    yield "frombuffer", lambda hostile: torch.frombuffer(hostile, dtype=torch.uint8)
    yield "frombuffer(dtype)", lambda hostile: torch.frombuffer(bytes(8), dtype=hostile)
    yield "frombuffer(count)", lambda hostile: torch.frombuffer(bytes(8), dtype=torch.uint8, count=hostile)
    yield "frombuffer(offset)", lambda hostile: torch.frombuffer(bytes(8), dtype=torch.uint8, offset=hostile)
    yield "broadcast_shapes(it, it)", lambda hostile: torch.broadcast_shapes((3,), hostile)
    yield "device(it, it)", lambda hostile: torch.device("cuda", hostile)
    yield "manual_seed", torch.manual_seed
    for name, pattern in PATTERNS.items():
        more = {"reduce": ["sum"]}.get(name, [])
        function = getattr(torch, name)
        yield name, lambda it, function=function, pattern=pattern, more=more: function(it, pattern, *more)
        yield (
            f"{name}([x, it])",
            lambda it, function=function, pattern=pattern, more=more: function([torch.arange(3), it], pattern, *more),
        )
        yield f"{name}(pattern)", lambda it, function=function, more=more: function(torch.arange(3), it, *more)
    yield "reduce(reduction)", lambda hostile: torch.reduce(torch.arange(3), "a ->", hostile)
    yield "repeat(b=)", lambda hostile: torch.repeat(torch.arange(3), "a -> a b", b=hostile)
    yield "pack", lambda hostile: torch.pack(hostile, "*")
    yield "pack([x, it])", lambda hostile: torch.pack([torch.arange(3), hostile], "*")
    yield "unpack", lambda hostile: torch.unpack(hostile, [(3,)], "*")
    yield "unpack(shapes)", lambda hostile: torch.unpack(torch.arange(3), hostile, "*")
    yield "unpack([it])", lambda hostile: torch.unpack(torch.arange(3), [hostile], "*")
    yield "convert", lambda hostile: torch.convert(hostile, "a -> a")
    for parameter in ["dtype", "scale", "shift", "axis", "out", "a"]:
        yield (
            f"convert({parameter}=)",
            lambda it, parameter=parameter: torch.convert(torch.arange(3), "a -> a", **{parameter: it}),
        )
    for name in ["stack", "cat", "contiguous", "checksum", "explain", "explore", "why_not_contiguous"]:
        yield f"foreign {name}", getattr(tenstride.foreign, name, getattr(torch, name))
    yield "astype", lambda hostile: tenstride.foreign.astype(torch.arange(3), hostile)
    yield "permute_copy", lambda hostile: torch.permute_copy(numpy.arange(3), hostile)
    yield "load", torch.load
    yield "load(shape=)", lambda hostile: torch.load(os.devnull, shape=hostile)
    yield "save(path)", lambda hostile: torch.save(hostile, 3)
    yield "save", lambda hostile: torch.save(os.devnull, hostile)
    yield "file_info", torch.file_info
    yield "CopyLedger", tenstride.CopyLedger
    for name in ["view", "permute", "expand", "squeeze", "flip"]:
        yield f"lazy {name}", lambda hostile, name=name: getattr(torch.lazy(torch.arange(3)), name)(hostile)


AXES = ["reshape", "transpose", "expand_dims", "squeeze", "broadcast_to", "flip", "tile", "roll", "index", "view"]
STANDARD = ["asarray", "zeros", "full", "arange", "reshape", "permute_dims", "concat", "stack", "sum", "expand_dims"]


def of_numpys_names() -> Iterator[tuple[str, Callable[[Any], Any]]]:
    for name in AXES:
        yield f"tnp.{name}", lambda hostile, name=name: getattr(tnp, name)(torch.arange(3), hostile)
    for name in [
        "ravel",
        "copy",
        "asarray",
        "astype",
        "concatenate",
        "stack",
        "real",
        "strides",
        "sliding_window_view",
    ]:
        more = {"astype": [torch.int8], "sliding_window_view": [2]}.get(name, [])
        yield f"tnp.{name} of it", lambda hostile, name=name, more=more: getattr(tnp, name)(hostile, *more)
    yield "tnp.copyto(it, x)", lambda hostile: tnp.copyto(hostile, torch.arange(3))
    yield "tnp.copyto(x, it)", lambda hostile: tnp.copyto(torch.arange(3), hostile)
    yield "tnp.as_strided", lambda hostile: tnp.as_strided(torch.arange(3), hostile, (8,))
    yield "tnp.as_strided(strides)", lambda hostile: tnp.as_strided(torch.arange(3), (1,), hostile)
    yield "tnp.moveaxis", lambda hostile: tnp.moveaxis(torch.zeros(2, 3), hostile, 0)
    yield "tnp.rot90", lambda hostile: tnp.rot90(torch.zeros(2, 3), 1, hostile)
    for name in STANDARD:
        yield f"xp.{name}", getattr(xp, name)
        yield f"xp.{name}(x, it)", lambda hostile, name=name: getattr(xp, name)(torch.arange(3), hostile)


#: All calls by their texts.
CALLS = dict(itertools.chain(of_syntax(), of_the_package(), of_numpys_names(), of_the_table()))
