# SPDX-License-Identifier: Apache-2.0
"""`tenstride.array_api`: sums, extremes, places and elements by their places, against NumPy."""

from __future__ import annotations

import itertools

import numpy
import pytest
import tenstride.array_api as xp
from array_pairs import COMPLEX, DTYPES, INTEGERS, REAL, REDUCTIONS, SHAPES, both, needs_numpy, numbers, ours, same

pytestmark = needs_numpy


def axes_of(rank):
    """None, each axis, some that are not there, none, pairs, and one named twice."""
    # NumPy lets the axes 0 and -1 of rank 0 pass, the standard does not.
    one = range(-rank - 1, rank + 1) if rank else [1, -2]
    return [None, *one, (), *itertools.permutations(range(rank), 2), *([(0, 0)] if rank else [])]


@pytest.mark.parametrize(("function", "name"), [(f, d) for f, dtypes in REDUCTIONS.items() for d in dtypes])
@pytest.mark.parametrize("shape", SHAPES)
def test_reductions(function, name, shape):
    array = numbers(shape, name)
    if function == "mean" and 0 in shape:
        array = array.astype("complex128" if name in COMPLEX else "float64")
        name = str(array.dtype)
    tolerance = 1e-5 if function in ("mean", "prod", "sum") and name not in INTEGERS else 0
    for axis, keepdims in itertools.product(axes_of(len(shape)), [False, True]):
        both(function, array, axis=axis, keepdims=keepdims, tolerance=tolerance)


@pytest.mark.parametrize("function", ["sum", "prod"])
def test_sums_are_as_wide_as_the_default_type(function):
    for name in INTEGERS:
        wanted = xp.uint64 if name.startswith("u") else xp.int64
        assert getattr(xp, function)(xp.ones(3, dtype=DTYPES[name])).dtype == wanted
        assert getattr(xp, function)(xp.ones(3, dtype=DTYPES[name]), dtype=DTYPES[name]).dtype == DTYPES[name]
        assert getattr(xp, function)(xp.ones(3, dtype=DTYPES[name]), axis=(), dtype=xp.float64).dtype == xp.float64
    assert getattr(xp, function)(xp.ones(3, dtype=xp.float32)).dtype == xp.float32


@pytest.mark.parametrize("function", ["argmax", "argmin"])
@pytest.mark.parametrize("name", [*INTEGERS, *REAL])
@pytest.mark.parametrize("shape", SHAPES)
def test_places(function, name, shape):
    array = numbers(shape, name)
    for axis, keepdims in itertools.product([None, *range(-len(shape), len(shape))], [False, True]):
        try:
            wanted = getattr(numpy, function)(array, axis=axis, keepdims=keepdims)
        except ValueError:
            with pytest.raises((ValueError, IndexError)):
                getattr(xp, function)(ours(array), axis=axis, keepdims=keepdims)
        else:
            same(getattr(xp, function)(ours(array), axis=axis, keepdims=keepdims), wanted)


@pytest.mark.parametrize("name", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_nonzero(name, shape):
    both("nonzero", numbers(shape, name))


@pytest.mark.parametrize("shape", [shape for shape in SHAPES if shape])
def test_take(shape):
    array = numbers(shape, "float64")
    for axis in range(-len(shape), len(shape)):
        size = shape[axis]
        indices = numpy.arange(0, size, 2) if size else numpy.zeros(0, "int64")
        for dtype in ("int64", "int8", "uint16"):
            both("take", [array, indices.astype(dtype)], axis=axis)
    if len(shape) == 1:
        both("take", [array, numpy.arange(shape[0])])
    else:
        with pytest.raises(ValueError, match="axis"):
            xp.take(ours(array), xp.arange(1))
    with pytest.raises(IndexError):
        xp.take(ours(array), xp.asarray([99]), axis=0)
    with pytest.raises(ValueError, match="one axis"):
        xp.take(ours(array), xp.zeros((1, 1), dtype=xp.int64), axis=0)


@pytest.mark.parametrize("shape", [(5,), (2, 3), (2, 3, 4), (3, 1)])
def test_take_along_axis(shape):
    array = numbers(shape, "int64")
    for axis in range(-len(shape), len(shape)):
        indices = numpy.argsort(array, axis=axis)
        both("take_along_axis", [array, indices], axis=axis)
        both("take_along_axis", [array, indices.max(axis=axis, keepdims=True)], axis=axis)
        first = numpy.zeros([1] * len(shape), "int64")
        both("take_along_axis", [array, first], axis=axis)
    with pytest.raises(ValueError):
        xp.take_along_axis(ours(array), xp.zeros((), dtype=xp.int64))
    if len(shape) > 1 and shape[1] != 1:
        with pytest.raises(ValueError, match="broadcast"):
            xp.take_along_axis(ours(array), xp.zeros([7] * len(shape), dtype=xp.int64), axis=0)
