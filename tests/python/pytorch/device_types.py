# SPDX-License-Identifier: Apache-2.0
"""PyTorch's `common_device_type` and `common_dtype`: each test is made for the CPU, once for each element type."""

from __future__ import annotations

import functools
import inspect
import unittest

import torch

INTEGERS = ("uint8", "int8", "int16", "int32", "int64")
FLOATS = ("float32", "float64")
COMPLEXES = ("complex64", "complex128")


def _types(*names):
    """A function that gives these element types and those it is called with."""
    return lambda *more: tuple(dict.fromkeys((*(getattr(torch, name) for name in names), *more)))


COMMON_DTYPE = {
    "all_types": _types(*FLOATS, *INTEGERS),
    "all_types_and": _types(*FLOATS, *INTEGERS),
    "all_types_and_complex_and": _types(*FLOATS, *INTEGERS, *COMPLEXES),
    "complex_types": _types(*COMPLEXES),
    "floating_and_complex_types_and": _types(*FLOATS, *COMPLEXES),
    "integral_types_and": _types(*INTEGERS),
}


def dtypes(*given):
    """Makes the test once for each type, or for each tuple of types."""

    def decorate(test):
        test.dtypes = given
        return test

    return decorate


def dtypesIfCPU(*given):
    """The types on the CPU, in place of those of `dtypes`."""

    def decorate(test):
        test.dtypes_of_cpu = given
        return test

    return decorate


def _of_others(*_, **__):
    """A decorator that says something about other devices."""
    return lambda test: test


def _unchanged(test):
    return test


def onlyCUDA(test):
    test.other_device = "cuda"
    return test


def _names(value) -> str:
    values = value if isinstance(value, (tuple, list)) else (value,)
    return "_".join(str(dtype).rpartition(".")[2] for dtype in values)


def _instantiated(test, dtype):
    """The test with the device and the type filled in, of which it takes those that it names."""
    taken = inspect.signature(test).parameters

    @functools.wraps(test)
    def run(self):
        if getattr(test, "other_device", None):
            raise unittest.SkipTest(test.other_device)
        arguments = {"device": "cpu", "dtype": dtype, "dtypes": dtype}
        return test(self, **{name: arguments[name] for name in arguments if name in taken})

    return run


def instantiate_device_type_tests(generic, scope, **_):
    """Puts `<generic>CPU` in place of the generic class into the scope, its tests named as PyTorch names them."""
    members = {}
    for name in dir(generic):
        test = inspect.getattr_static(generic, name)
        if not name.startswith("test") or not callable(test):
            continue
        given = getattr(test, "dtypes_of_cpu", getattr(test, "dtypes", None))
        for dtype in given or (None,):
            suffix = "" if dtype is None else f"_{_names(dtype)}"
            members[f"{name}_cpu{suffix}"] = _instantiated(test, dtype)
    helpers = {
        name: value
        for name, value in vars(generic).items()
        if not name.startswith("test") and not name.startswith("__")
    }
    name = f"{generic.__name__}CPU"
    base = generic.__mro__[1]
    scope[name] = type(name, (base,), {**helpers, **members, "device_type": "cpu", "__module__": generic.__module__})
    del scope[generic.__name__]


COMMON_DEVICE_TYPE = {
    "dtypes": dtypes,
    "dtypesIfCPU": dtypesIfCPU,
    "dtypesIfCUDA": _of_others,
    "dtypesIfMPS": _of_others,
    "instantiate_device_type_tests": instantiate_device_type_tests,
    "largeTensorTest": _of_others,
    "onlyCPU": _unchanged,
    "onlyCUDA": onlyCUDA,
    "onlyNativeDeviceTypes": _unchanged,
    "onlyNativeDeviceTypesAnd": _of_others,
    "skipCUDAIfRocm": _unchanged,
    "skipLazy": _unchanged,
    "skipMeta": _unchanged,
    "skipXLA": _unchanged,
}
