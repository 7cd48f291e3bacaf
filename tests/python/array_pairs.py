# SPDX-License-Identifier: Apache-2.0
"""What the tests of `tenstride.array_api` share: arrays, and the comparison with NumPy 2's own functions."""

from __future__ import annotations

import warnings

import numpy
import pytest
import tenstride
import tenstride.array_api as xp

needs_numpy = pytest.mark.skipif(
    numpy.lib.NumpyVersion(numpy.__version__) < "2.1.0", reason="NumPy before 2.1 is not yet the standard's"
)

DTYPES = xp.__array_namespace_info__().dtypes()
SHAPES = [(), (1,), (5,), (0,), (2, 3), (3, 1), (2, 0), (2, 3, 4), (1, 3, 1), (2, 1, 0, 3)]
INTEGERS = [name for name in DTYPES if "int" in name]
SIGNED = [name for name in INTEGERS if name[0] == "i"]
REAL = ["float32", "float64"]
COMPLEX = ["complex64", "complex128"]
NUMERIC = [*INTEGERS, *REAL, *COMPLEX]

# The functions, and the types they take.
BINARY = {
    "add": NUMERIC,
    "subtract": NUMERIC,
    "multiply": NUMERIC,
    "divide": [*REAL, *COMPLEX],
    "floor_divide": [*INTEGERS, *REAL],
    "remainder": [*INTEGERS, *REAL],
    "pow": [*INTEGERS, *REAL],
    "maximum": [*INTEGERS, *REAL],
    "minimum": [*INTEGERS, *REAL],
    "equal": list(DTYPES),
    "not_equal": list(DTYPES),
    "less": [*INTEGERS, *REAL],
    "less_equal": [*INTEGERS, *REAL],
    "greater": [*INTEGERS, *REAL],
    "greater_equal": [*INTEGERS, *REAL],
    "bitwise_and": ["bool", *INTEGERS],
    "bitwise_or": ["bool", *INTEGERS],
    "bitwise_xor": ["bool", *INTEGERS],
    "logical_and": ["bool"],
    "logical_or": ["bool"],
    "logical_xor": ["bool"],
}
UNARY = {
    "abs": NUMERIC,
    "negative": NUMERIC,
    "positive": NUMERIC,
    "square": NUMERIC,
    "sign": NUMERIC,
    "conj": NUMERIC,
    "real": NUMERIC,
    "imag": COMPLEX,
    "reciprocal": [*REAL, *COMPLEX],
    "signbit": REAL,
    "isfinite": NUMERIC,
    "isinf": NUMERIC,
    "isnan": NUMERIC,
    "bitwise_invert": ["bool", *INTEGERS],
    "logical_not": ["bool"],
}
REDUCTIONS = {
    "sum": NUMERIC,
    "prod": NUMERIC,
    "mean": [*REAL, *COMPLEX],
    "max": [*INTEGERS, *REAL],
    "min": [*INTEGERS, *REAL],
    "all": list(DTYPES),
    "any": list(DTYPES),
    "count_nonzero": list(DTYPES),
}


def numbers(shape, dtype, seed=0):
    """Small numbers; floats among them with NaN, infinities and both zeros."""
    rng = numpy.random.default_rng([seed, *shape, len(dtype)])
    values = numpy.asarray(rng.integers(-4, 5, shape))
    if dtype == "bool":
        values = values > 0
    elif dtype in REAL:
        odd = rng.choice([0.0, 0.0, 0.0, 0.5, numpy.nan, numpy.inf, -numpy.inf], shape)
        values = (values + odd) * rng.choice([1.0, -1.0], shape)
    elif dtype in COMPLEX:
        values = values + 1j * rng.integers(-4, 5, shape)
    elif dtype not in SIGNED:
        values = numpy.abs(values)
    return numpy.asarray(values).astype(dtype)


def ours(array):
    """A tensor of the same elements that lies otherwise: with the axes reversed in memory."""
    array = numpy.asarray(array)
    return xp.asarray(numpy.asfortranarray(array) if array.ndim else array, copy=True)


def name_of(dtype):
    return str(dtype).rpartition(".")[2]


def same(came, wanted, tolerance=0.0):
    """Shape, type and elements; the zeros' signs too, unless there is a tolerance."""
    if isinstance(wanted, (list, tuple)):
        assert len(came) == len(wanted)
        for one, other in zip(came, wanted):
            same(one, other, tolerance)
        return
    wanted = numpy.asarray(wanted)
    assert isinstance(came, tenstride.Tensor)
    assert tuple(came.shape) == wanted.shape
    assert name_of(came.dtype) == str(wanted.dtype)
    came = numpy.asarray(came.resolve_conj())
    if tolerance:
        numpy.testing.assert_allclose(came, wanted, rtol=tolerance)
    else:
        numpy.testing.assert_array_equal(came, wanted)
        if wanted.dtype.kind == "f":
            numpy.testing.assert_array_equal(numpy.signbit(came) & (came == 0), numpy.signbit(wanted) & (wanted == 0))


def both(function, arrays, *arguments, other=None, tolerance=0.0, **named):
    """Calls ours and NumPy's; where NumPy refuses, ours must too, by the same kind of exception."""
    reference = getattr(numpy, other or function)
    arrays = [arrays] if isinstance(arrays, numpy.ndarray) else arrays
    mine = [ours(array) if isinstance(array, numpy.ndarray) else array for array in arrays]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # NaN, overflow, the mean of nothing
        try:
            wanted = reference(*arrays, *arguments, **named)
        except (ValueError, IndexError, TypeError) as error:
            kinds = (IndexError, ValueError) if isinstance(error, numpy.exceptions.AxisError) else type(error)
            with pytest.raises(kinds):
                getattr(xp, function)(*mine, *arguments, **named)
            return
    same(getattr(xp, function)(*mine, *arguments, **named), wanted, tolerance)
