# SPDX-License-Identifier: Apache-2.0
"""What PyTorch's tests import from `torch.testing` and `common_utils`, written from what they call."""

from __future__ import annotations

import contextlib
import functools
import random
import unittest
import warnings
from collections.abc import Mapping, Sequence

import numpy
import torch

# Relative and absolute tolerance by element type; all others are compared exactly.
TOLERANCES = {
    torch.float16: (1e-3, 1e-5),
    torch.bfloat16: (1.6e-2, 1e-5),
    torch.float32: (1.3e-6, 1e-5),
    torch.float64: (1e-7, 1e-7),
    torch.complex64: (1.3e-6, 1e-5),
    torch.complex128: (1e-7, 1e-7),
}
if getattr(torch, "complex32", None) is not None:
    TOLERANCES[torch.complex32] = (1e-3, 1e-5)

NUMPY_NAMES = [
    "bool",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "int8",
    "int16",
    "int32",
    "int64",
    "float16",
    "float32",
    "float64",
    "complex64",
    "complex128",
]
numpy_to_torch_dtype_dict = {
    numpy.dtype(name).type: getattr(torch, name) for name in NUMPY_NAMES if hasattr(torch, name)
}
torch_to_numpy_dtype_dict = {dtype: kind for kind, dtype in numpy_to_torch_dtype_dict.items()}


def array_of(tensor) -> numpy.ndarray:
    """A tensor's elements as NumPy's array of a type that NumPy has: bfloat16 as float32, complex32 as complex64."""
    tensor = tensor.detach()
    wider = {torch.bfloat16: torch.float32, getattr(torch, "complex32", None): torch.complex64}
    tensor = tensor.to(wider.get(tensor.dtype, tensor.dtype))
    for pending in ("resolve_conj", "resolve_neg"):
        if hasattr(tensor, pending):
            tensor = getattr(tensor, pending)()
    return tensor.numpy()


def make_tensor(
    *shape, dtype, device, low=None, high=None, requires_grad=False, noncontiguous=False, exclude_zero=False
):
    """A tensor of random elements in [low, high), by NumPy's generator; noncontiguous: every second of a wider one."""
    if len(shape) == 1 and isinstance(shape[0], Sequence):
        shape = tuple(shape[0])
    shape = [int(size) for size in shape]
    generator = numpy.random
    if dtype is torch.bool:
        array = generator.randint(0, 2, shape).astype(bool)
    elif dtype.is_floating_point or dtype.is_complex:
        first, last = -9 if low is None else low, 9 if high is None else high
        array = generator.uniform(first, last, shape)
        if dtype.is_complex:
            array = array + 1j * generator.uniform(first, last, shape)
    else:
        unsigned = "uint" in str(dtype)
        first = max(-9 if low is None else low, 0) if unsigned else -9 if low is None else low
        array = generator.randint(first, 10 if high is None else high, shape)
    array = numpy.asarray(array)
    if exclude_zero:
        array = numpy.where(array == 0, array.dtype.type(1), array)
    if noncontiguous and array.size > 1:
        array = numpy.repeat(array, 2, axis=-1)
    result = torch.from_numpy(array.copy()).to(dtype)
    if noncontiguous and array.size > 1:
        result = result[..., ::2]
    if hasattr(torch, "BASES"):
        return torch.BASES.keep(result)
    if requires_grad:
        result.requires_grad_(True)
    return result


def is_number(x) -> bool:
    return isinstance(x, (bool, int, float, complex, numpy.number, numpy.bool_))


class TestCase(unittest.TestCase):
    """unittest's, with PyTorch's `assertEqual`; an exception's kind is compared and its text is not."""

    exact_dtype = True
    longMessage = True

    def setUp(self):
        if hasattr(torch, "BASES"):
            torch.BASES.first.clear()
        torch.manual_seed(1234)
        random.seed(1234)
        numpy.random.seed(1234)

    def assertEqual(self, x, y, msg=None, *, atol=None, rtol=None, exact_dtype=None, **_):
        difference = self._difference(x, y, atol, rtol, self.exact_dtype if exact_dtype is None else exact_dtype)
        if difference:
            self.fail(self._formatMessage(msg if isinstance(msg, str) else None, difference))

    def assertNotEqual(self, x, y, msg=None, *, atol=None, rtol=None, **_):
        if not self._difference(x, y, atol, rtol, self.exact_dtype):
            self.fail(self._formatMessage(msg, f"{x!r} equals {y!r}"))

    def assertRaisesRegex(self, kind, _pattern, *args, **kwargs):
        return self.assertRaises(kind, *args, **kwargs)

    def compare_with_numpy(self, torch_fn, np_fn, tensor_like, device=None, dtype=None, **kwargs):
        """The same function of PyTorch and of NumPy on the same elements."""
        tensor = tensor_like if isinstance(tensor_like, torch.Tensor) else torch.tensor(tensor_like, dtype=dtype)
        expected = np_fn(array_of(tensor))
        if isinstance(expected, numpy.ndarray):
            expected = torch.from_numpy(numpy.ascontiguousarray(expected).reshape(expected.shape).copy())
        self.assertEqual(expected, torch_fn(tensor), exact_dtype=False, **kwargs)

    def _difference(self, x, y, atol, rtol, exact_dtype) -> str:
        """What differs, in words; empty where nothing does."""
        if isinstance(x, torch.Tensor) or isinstance(y, torch.Tensor):
            return self._tensor_difference(x, y, atol, rtol, exact_dtype)
        if isinstance(x, numpy.ndarray) or isinstance(y, numpy.ndarray):
            return self._array_difference(numpy.asarray(x), numpy.asarray(y), rtol or 1e-7, atol or 1e-7)
        if is_number(x) and is_number(y):
            return self._array_difference(numpy.asarray(x), numpy.asarray(y), rtol or 1e-7, atol or 1e-7)
        if isinstance(x, Mapping) and isinstance(y, Mapping):
            if x.keys() != y.keys():
                return f"keys {list(x)} and {list(y)}"
            return "".join(self._difference(x[key], y[key], atol, rtol, exact_dtype) for key in x)
        if isinstance(x, Sequence) and isinstance(y, Sequence) and not isinstance(x, str) and not isinstance(y, str):
            if len(x) != len(y):
                return f"lengths {len(x)} and {len(y)}"
            return "".join(self._difference(a, b, atol, rtol, exact_dtype) for a, b in zip(x, y))
        return "" if x == y else f"{x!r} is not {y!r}"

    def _tensor_difference(self, x, y, atol, rtol, exact_dtype) -> str:
        other = y if isinstance(x, torch.Tensor) else x
        given = x if isinstance(x, torch.Tensor) else y
        if isinstance(other, numpy.ndarray):
            other = torch.from_numpy(numpy.ascontiguousarray(other).reshape(other.shape).copy())
        elif is_number(other) and given.dim() == 0:
            other, exact_dtype = torch.tensor(other), False
        elif isinstance(other, Sequence):
            other = torch.tensor(other, dtype=given.dtype)
        elif not isinstance(other, torch.Tensor):
            return f"{other!r} is no tensor"
        if tuple(given.shape) != tuple(other.shape):
            return f"shapes {tuple(given.shape)} and {tuple(other.shape)}"
        if exact_dtype and given.dtype is not other.dtype:
            return f"types {given.dtype} and {other.dtype}"
        if getattr(given, "is_quantized", False):
            return "" if torch.equal(given, other) else f"{given!r} is not {other!r}"
        given, other = (
            tensor.to_dense() if getattr(tensor, "is_sparse", False) else tensor for tensor in (given, other)
        )
        tolerances = [TOLERANCES.get(tensor.dtype, (0, 0)) for tensor in (given, other)]
        rtol = max(pair[0] for pair in tolerances) if rtol is None else rtol
        atol = max(pair[1] for pair in tolerances) if atol is None else atol
        return self._array_difference(array_of(given), array_of(other), rtol, atol)

    @staticmethod
    def _array_difference(a, b, rtol, atol) -> str:
        if a.shape != b.shape:
            return f"shapes {a.shape} and {b.shape}"
        with warnings.catch_warnings(), numpy.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            if a.dtype.kind in "biu" and b.dtype.kind in "biu":
                same = bool((a == b).all())
            else:
                same = bool(numpy.isclose(a, b, rtol=rtol, atol=atol, equal_nan=True).all())
        return "" if same else f"elements {a!r} and {b!r}"


def _as_is(*_, **__):
    """A decorator with arguments that changes nothing."""
    return lambda function: function


def suppress_warnings(function):
    @functools.wraps(function)
    def quiet(*args, **kwargs):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return function(*args, **kwargs)

    return quiet


def _no_gradients(*_, **__):
    raise unittest.SkipTest("autograd")


@contextlib.contextmanager
def DeterministicGuard(*_, **__):
    yield


TESTING = {"make_tensor": make_tensor, "assert_close": TestCase().assertEqual}
COMMON_UTILS = {
    "DeterministicGuard": DeterministicGuard,
    "IS_FBCODE": False,
    "IS_JETSON": False,
    "TEST_CUDA": False,
    "TEST_PRIVATEUSE1_DEVICE_TYPE": "privateuseone",
    "TestCase": TestCase,
    "gradcheck": _no_gradients,
    "gradgradcheck": _no_gradients,
    "numpy_to_torch_dtype_dict": numpy_to_torch_dtype_dict,
    "run_tests": lambda: None,
    "serialTest": _as_is,
    "skipIfTorchDynamo": _as_is,
    "suppress_warnings": suppress_warnings,
    "torch_to_numpy_dtype_dict": torch_to_numpy_dtype_dict,
    "xfailIfTorchDynamo": lambda function: function,
}
