# SPDX-License-Identifier: Apache-2.0
"""Python objects that lie about themselves, change while they are read, contain themselves or have no end.

`OBJECTS` has a function for each: an object may be used up by one call.
"""

from __future__ import annotations

import array
import ctypes
import functools
import itertools
from typing import Any

import numpy
import tenstride as torch

HUGE = 10**18


@functools.cache
def deep(levels: int, make: Any = list) -> Any:
    nest = 0
    for _ in range(levels):
        nest = make((nest,))
    return nest


@functools.cache
def doubled(times: int) -> Any:
    nest: Any = 0
    for _ in range(times):
        nest = [nest, nest]
    return nest


def in_itself(*before: Any, times: int = 1) -> list[Any]:
    nest: list[Any] = [*before]
    nest.extend([nest] * times)
    return nest


def tuple_in_itself() -> tuple[Any, ...]:
    inner: list[Any] = []
    inner.append((inner, inner))
    return tuple(inner)


def changing(change: Any, *entries: Any) -> list[Any]:
    """A list whose middle entry changes the list when it is read as an int, a number or an array."""
    nest: list[Any] = [*entries]

    class Changing:
        def __index__(self) -> int:
            change(nest)
            return 1

        __int__ = __index__

        def __float__(self) -> float:
            return float(self.__index__())

        @property
        def __array_interface__(self) -> Any:
            change(nest)
            raise AttributeError

        @property
        def __class__(self) -> Any:
            change(nest)
            return int

    nest.insert(1, Changing())
    return nest


def cleared(nest: list[Any]) -> None:
    nest.clear()


def grown(nest: list[Any]) -> None:
    if len(nest) < 10**6:
        nest.extend(nest)


def emptied_tensors() -> list[Any]:
    return changing(cleared, torch.arange(3), torch.arange(3), torch.arange(3))


def with_methods(**methods: Any) -> Any:
    """An object of a class with these special methods, without their underscores."""
    return type("Hostile", (), {f"__{name}__": method for name, method in methods.items()})()


def raising(*_: Any, **__: Any) -> Any:
    raise KeyError("hostile")


def giving(value: Any) -> Any:
    return lambda *_, **__: value


def itself(self: Any, *_: Any, **__: Any) -> Any:
    return self


def of_class(getter: Any) -> Any:
    """What says to be of another class."""
    return type("Hostile", (), {"__class__": property(getter)})()


def interface(**facts: Any) -> Any:
    """Memory of 24 bytes, described with some facts that are not so."""
    described = {"version": 3, "typestr": "<i8", "shape": (3,), "data": bytearray(24), **facts}
    return with_methods(array_interface=described)


def number_of(kind: str) -> Any:
    """What looks like a number of NumPy's, and is none."""
    dtype = type("Dtype", (), {"kind": kind, "name": "int64", "itemsize": 8, "hasobject": False})()
    return type("Number", (), {"dtype": dtype, "__array_interface__": {}, "__bool__": raising})()


class Dlpack:
    """DLPack's protocol with chosen answers."""

    def __init__(self, capsule: Any, device: Any = (1, 0)) -> None:
        self.capsule = capsule
        self.device = device

    def __dlpack__(self, **_: Any) -> Any:
        return self if self.capsule is itself else self.capsule

    def __dlpack_device__(self) -> Any:
        return self.device


class DLTensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class Managed(ctypes.Structure):
    _fields_ = [("tensor", DLTensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


#: What structures handed over point to, for as long as the process lives.
KEPT: list[Any] = []


def capsule(name: bytes = b"dltensor", shape: tuple[int, ...] = (3,), strides: Any = None, **facts: Any) -> Any:
    data = ctypes.create_string_buffer(24)
    sizes = (ctypes.c_int64 * max(len(shape), 1))(*shape)
    steps = (ctypes.c_int64 * len(strides))(*strides) if strides else None
    given = {"data": ctypes.addressof(data), "device_type": 1, "ndim": len(shape), "bits": 64, "lanes": 1, **facts}
    tensor = DLTensor(**given)
    tensor.shape = sizes if facts.get("shape_given", True) else None
    if steps is not None:
        tensor.strides = steps
    managed = Managed(tensor)
    KEPT.extend([data, sizes, steps, managed, name])
    new = ctypes.pythonapi.PyCapsule_New
    new.restype = ctypes.py_object
    new.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    return new(ctypes.addressof(managed), name, None)


def used_capsule() -> Any:
    used = torch.arange(3).__dlpack__()
    torch.from_dlpack(used)
    return used


class Lying(numpy.ndarray):
    """An array whose class says other things of it."""

    strides = property(giving((8 * HUGE,) * 3))
    shape = property(giving((10**6, 10**6, 10**6)))
    dtype = property(giving(numpy.dtype("f2")))
    base = property(raising)


class Strided(numpy.ndarray):
    strides = property(giving((1 << 40, 8)))


class LongStrides(numpy.ndarray):
    strides = property(giving(with_methods(len=giving(1), iter=giving(iter([8] * 10000)))))


class Same(numpy.ndarray):
    def view(self, *_: Any, **__: Any) -> Any:
        return self


def released() -> memoryview:
    view = memoryview(bytearray(8))
    view.release()
    return view


class Subclass(torch.Tensor):
    def __init__(self) -> None:
        pass


#: Each makes an object anew.
OBJECTS = {
    "a list in itself": in_itself,
    "a list in itself behind a number": lambda: in_itself(0),
    "a list in itself twice": lambda: in_itself(times=2),
    "a list in itself behind a tensor": lambda: in_itself(torch.arange(3)),
    "a tuple in itself": tuple_in_itself,
    "a list 65 deep": lambda: deep(65),
    "a list 129 deep": lambda: deep(129),
    "a list 100,000 deep": lambda: deep(100_000),
    "a tuple 100,000 deep": lambda: deep(100_000, tuple),
    "a list that doubles 60 times": lambda: doubled(60),
    "a list cleared while it is read": lambda: changing(cleared, 1, 1, 1),
    "a list of tensors cleared while it is read": emptied_tensors,
    "a list of lists cleared while it is read": lambda: changing(cleared, [1, 2], [1, 2], [1, 2]),
    "a list grown while it is read": lambda: changing(grown, 1, 1, 1),
    "a list of arrays cleared while it is read": lambda: changing(cleared, numpy.arange(3), numpy.arange(3)),
    "lists of different lengths": lambda: [[1, 2], [3], 4],
    "a list of everything": lambda: [None, "a", torch.float32, ..., slice(1), object(), 1j],
    "a length of -1": lambda: with_methods(len=giving(-1), getitem=giving(1)),
    "a length of 10**18": lambda: with_methods(len=giving(HUGE), getitem=giving(1)),
    "a length that raises": lambda: with_methods(len=raising, getitem=giving(1)),
    "a length that is no int": lambda: with_methods(len=giving("3"), getitem=giving(1)),
    "a length too long": lambda: with_methods(len=giving(3), getitem=lambda _, at: [1, 2][at]),
    "entries that raise": lambda: with_methods(len=giving(3), getitem=raising),
    "entries that are itself": lambda: with_methods(len=giving(3), getitem=itself),
    "a sequence without length or end": lambda: with_methods(getitem=giving(1)),
    "a range of 10**18": lambda: range(HUGE),
    "an iterator without end": itertools.count,
    "an iterator of tensors without end": lambda: itertools.repeat(torch.arange(3)),
    "an iterator that raises": lambda: (raising() for _ in range(3)),
    "an iterable that is no iterator": lambda: with_methods(iter=giving(3)),
    "an iterable of itself": lambda: with_methods(iter=lambda self: iter([self])),
    "__index__ that raises": lambda: with_methods(index=raising),
    "__index__ that gives a str": lambda: with_methods(index=giving("1")),
    "__index__ that gives 2**200": lambda: with_methods(index=giving(2**200)),
    "__index__ that gives itself": lambda: with_methods(index=itself),
    "__float__ that raises": lambda: with_methods(float=raising),
    "__float__ that gives a str": lambda: with_methods(float=giving("1")),
    "__bool__ that raises": lambda: with_methods(bool=raising),
    "__complex__ that gives a str": lambda: with_methods(complex=giving("1")),
    "a class that is another": lambda: of_class(giving(torch.Tensor)),
    "a class that is an array's": lambda: of_class(giving(numpy.ndarray)),
    "a class that is a number's": lambda: of_class(giving(numpy.float64)),
    "a class that raises": lambda: of_class(raising),
    "attributes that raise": lambda: with_methods(getattr=raising),
    "attributes that are itself": lambda: with_methods(getattr=itself, call=itself, len=giving(3)),
    "an int of a derived class": lambda: type("Int", (int,), {"__index__": raising, "__int__": raising})(3),
    "a float of a derived class": lambda: type("Float", (float,), {"__float__": raising})(3.5),
    "a str of a derived class": lambda: type("Str", (str,), {"__str__": raising, "__len__": giving(HUGE)})("cpu"),
    "a list of a derived class": lambda: type("List", (list,), {"__iter__": raising, "__len__": giving(HUGE)})([1, 2]),
    "a tuple of a derived class": lambda: type("Tuple", (tuple,), {"__iter__": raising, "__len__": giving(HUGE)})([1]),
    "a dict in itself": lambda: (lambda nest: nest.update(nest=nest) or nest)({}),
    "2**63": lambda: 2**63,
    "-2**63": lambda: -(2**63),
    "2**63 - 1": lambda: 2**63 - 1,
    "2**200": lambda: 2**200,
    "nan": lambda: float("nan"),
    "sizes whose product overflows": lambda: (2**40, 2**40),
    "sizes of 10**18": lambda: [HUGE, 0, 3],
    "negative sizes": lambda: (-1, -2, -3),
    "half a character": lambda: "\ud800",
    "a text with a zero": lambda: "a\0b",
    "a long text": lambda: "x" * 10**6,
    "bytes that are no text": lambda: b"\xff\0\xfe",
    "a slice of no step": lambda: slice(None, None, 0),
    "a slice of itself": lambda: slice(in_itself(), deep(1000), with_methods(index=raising)),
    "a set": lambda: {1, 2},
    "NotImplemented": lambda: NotImplemented,
    "a type": lambda: dict,
    "a module": lambda: torch,
    "a function": lambda: raising,
    "__array__ that raises": lambda: with_methods(array=raising),
    "__array__ that gives itself": lambda: with_methods(array=itself),
    "__array__ that gives None": lambda: with_methods(array=giving(None)),
    "__array__ of objects": lambda: with_methods(array=giving(numpy.array([None, 1], dtype=object))),
    "an interface that raises": lambda: with_methods(array_interface=property(raising)),
    "an interface of None": lambda: with_methods(array_interface=None),
    "an interface of nothing": lambda: with_methods(array_interface={}),
    "an interface of an int": lambda: with_methods(array_interface=3),
    "an interface that is itself": lambda: with_methods(array_interface=property(itself)),
    "an interface at 0": lambda: interface(data=(0, False)),
    "an interface at 8": lambda: interface(data=(8, False)),
    "an interface at -8": lambda: interface(data=(-8, False)),
    "an interface at 2**63": lambda: interface(data=(2**63, False)),
    "an interface at 2**200": lambda: interface(data=(2**200, False)),
    "an interface at a text": lambda: interface(data=("x", False)),
    "an interface of half an address": lambda: interface(data=(8,)),
    "an interface without data": lambda: interface(data=None),
    "an interface of too few bytes": lambda: interface(data=b"short"),
    "an interface of a negative shape": lambda: interface(shape=(-1,)),
    "an interface of a shape that overflows": lambda: interface(shape=(2**62, 2**62)),
    "an interface of a long shape": lambda: interface(shape=(10**10,)),
    "an interface of 100 axes": lambda: interface(shape=(1,) * 100),
    "an interface of a shape that is no tuple": lambda: interface(shape=[3]),
    "an interface of a shape of texts": lambda: interface(shape=("3",)),
    "an interface of strides beyond": lambda: interface(strides=(2**61,)),
    "an interface of strides before": lambda: interface(strides=(-8,)),
    "an interface of too many strides": lambda: interface(strides=(8, 8)),
    "an interface of an offset beyond": lambda: interface(offset=2**62),
    "an interface of an offset before": lambda: interface(offset=-8),
    "an interface of no type": lambda: interface(typestr="nonsense"),
    "an interface of an int as type": lambda: interface(typestr=5),
    "an interface of half a character": lambda: interface(typestr="\ud800i8"),
    "an interface of objects": lambda: interface(typestr="|O8"),
    "an interface with a mask": lambda: interface(mask=numpy.ones(3, dtype=bool)),
    "an interface of a CUDA array": lambda: with_methods(
        cuda_array_interface={"shape": (3,), "typestr": "<i8", "data": (8, False), "version": 3}
    ),
    **{f"a number of kind {kind!r} that is none": lambda kind=kind: number_of(kind) for kind in "bifc"},
    "a kind of half a character": lambda: number_of("\ud800"),
    "__dlpack__ that raises": lambda: with_methods(dlpack=raising, dlpack_device=giving((1, 0))),
    "__dlpack__ that gives itself": lambda: Dlpack(itself),
    "__dlpack__ that gives None": lambda: Dlpack(None),
    "__dlpack__ without device": lambda: with_methods(dlpack=giving(None)),
    "__dlpack__ of a used capsule": lambda: Dlpack(used_capsule()),
    "__dlpack__ of another capsule": lambda: Dlpack(capsule(b"other")),
    "a device of one number": lambda: Dlpack(capsule(), (1,)),
    "a device of texts": lambda: Dlpack(capsule(), ("a", "b")),
    "a device of 2**200": lambda: Dlpack(capsule(), (2**200, 0)),
    "a device of None": lambda: Dlpack(capsule(), None),
    "a capsule": capsule,
    "a used capsule": used_capsule,
    "a capsule of another name": lambda: capsule(b"dltensor_versioned_"),
    "a capsule of -1 axes": lambda: Dlpack(capsule(ndim=-1)),
    "a capsule of 10**6 axes": lambda: Dlpack(capsule(ndim=10**6)),
    "a capsule of a negative size": lambda: Dlpack(capsule(shape=(-3,))),
    "a capsule of a shape that overflows": lambda: Dlpack(capsule(shape=(2**62, 2**62))),
    "a capsule of strides that overflow": lambda: Dlpack(capsule(strides=(2**62,))),
    "a capsule without data": lambda: Dlpack(capsule(data=None)),
    "a capsule of 7 bits": lambda: Dlpack(capsule(bits=7)),
    "a capsule of 5 lanes": lambda: Dlpack(capsule(lanes=5)),
    "a capsule on a GPU": lambda: Dlpack(capsule(device_type=2), (2, 0)),
    "an array of objects": lambda: numpy.array([None, [1]], dtype=object),
    "an array of structures": lambda: numpy.zeros(3, dtype=[("a", "i4"), ("b", "f8")]),
    "an array of nothing": lambda: numpy.zeros(3, dtype="V0"),
    "an array of empty texts": lambda: numpy.array(["", ""]),
    "an array of dates": lambda: numpy.zeros(3, dtype="M8[s]"),
    "an array of swapped bytes": lambda: numpy.arange(3, dtype=">i4"),
    "an array of 64 axes": lambda: numpy.zeros((1,) * 64 if int(numpy.__version__[0]) > 1 else (1,) * 32),
    "a masked array": lambda: numpy.ma.array([1, 2, 3], mask=[0, 1, 0]),
    "an array of odd addresses": lambda: numpy.frombuffer(bytes(25), dtype="u1")[1:].view("i8"),
    "an array that lies": lambda: numpy.zeros((2, 3, 1)).view(Lying),
    "an array whose strides lie": lambda: numpy.zeros((1, 3), dtype="i8").view(Strided),
    "an array whose strides have no end": lambda: numpy.zeros(1, dtype="i8").view(LongStrides),
    "an array whose views are itself": lambda: numpy.zeros(3, dtype="M8[s]").view(Same),
    "a text of NumPy's": lambda: numpy.str_("\ud800"),
    "a void of NumPy's": lambda: numpy.void(b"abc"),
    "a released memoryview": released,
    "a memoryview of 2 axes": lambda: memoryview(bytearray(6)).cast("B", (2, 3)),
    "a memoryview of nothing": lambda: memoryview(b""),
    "an array of characters": lambda: array.array("u", "ab"),
    "a structure of C": lambda: Managed(),
    "a tensor without elements": lambda: torch.zeros(0, 3),
    "a tensor on meta": lambda: torch.zeros(3, device="meta"),
    "a long tensor on meta": lambda: torch.zeros(2**40, 2**20, device="meta"),
    "a repeated tensor": lambda: torch.zeros(1).expand(2**20),
    "a read-only tensor": lambda: torch.from_numpy(numpy.frombuffer(bytes(24), dtype="i8")),
    "a conjugate view": lambda: torch.ones(3, dtype=torch.complex64).conj(),
    "a tensor of float8": lambda: torch.zeros(3, dtype=torch.float8_e5m2),
    "a tensor of 64 axes": lambda: torch.zeros((1,) * 64),
    "a tensor that was not made": lambda: torch.Tensor.__new__(torch.Tensor),
    "a derived tensor that was not made": Subclass,
    "a dtype that was not made": lambda: torch.dtype.__new__(torch.dtype),
    "a device that was not made": lambda: torch.device.__new__(torch.device),
    "a storage that was not made": lambda: torch.UntypedStorage.__new__(torch.UntypedStorage),
    "a position far outside": lambda: torch.tensor([2**62, -(2**62)]),
    "a position outside": lambda: torch.tensor([7]),
    "a size of hostile ints": lambda: tuple.__new__(torch.Size, ("a", in_itself())),
}
