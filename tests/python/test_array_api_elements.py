# SPDX-License-Identifier: Apache-2.0
"""`tenstride.array_api`: functions of elements, and operators, against NumPy."""

from __future__ import annotations

import math

import numpy
import pytest
import tenstride.array_api as xp
from array_pairs import BINARY, COMPLEX, DTYPES, INTEGERS, REAL, SHAPES, UNARY, both, needs_numpy, numbers, ours, same

pytestmark = needs_numpy

ROUNDED = {"divide": 1e-6, "pow": 1e-5, "reciprocal": 1e-6, "sign": 1e-6, "abs": 1e-6, "multiply": 1e-6, "square": 1e-6}
PAIRS = [
    ((), ()),
    ((3,), ()),
    ((2, 3), (3,)),
    ((2, 3), (2, 3)),
    ((2, 1), (1, 3)),
    ((0, 3), (3,)),
    ((2, 3, 4), (3, 1)),
    ((2, 3), (4,)),
]


@pytest.mark.parametrize(("function", "name"), [(f, d) for f, dtypes in BINARY.items() for d in dtypes])
def test_of_two(function, name):
    for seed, (a, b) in enumerate(PAIRS):
        x, y = numbers(a, name, seed), numbers(b, name, seed + 50)
        if name in INTEGERS and function in ("floor_divide", "remainder"):
            y = numpy.asarray(numpy.where(y == 0, 3, y)).astype(name)
        if name in INTEGERS and function == "pow":
            y = numpy.asarray(numpy.abs(y)).astype(name)
        if name in REAL and function in ("floor_divide", "remainder"):
            x, y = (numpy.asarray(numpy.where(numpy.isfinite(z) & (z != 0), z, 2)).astype(name) for z in (x, y))
        tolerance = ROUNDED.get(function, 0) if name in (*REAL, *COMPLEX) else 0
        if b == (4,):
            with pytest.raises(RuntimeError):
                getattr(xp, function)(ours(x), ours(y))
            continue
        both(function, [x, y], tolerance=tolerance)
        if name != "bool" and name not in COMPLEX:
            both(function, [x, 2], tolerance=tolerance)
            if function != "pow" or name in REAL:
                nonzero = numpy.asarray(numpy.where(x == 0, 1, x)).astype(name)
                both(function, [2, nonzero if function in ("floor_divide", "remainder") else x], tolerance=tolerance)


def test_of_two_where_numpy_is_not_the_standards():
    """Infinite operands, and zeros that are left; the standard's special cases."""
    inf = math.inf
    for a, b, wanted in [
        (inf, 2, inf),
        (inf, -2, -inf),
        (-inf, 2, -inf),
        (1, -inf, -0.0),
        (-1, inf, -0.0),
        (1, inf, 0.0),
    ]:
        for dtype in (xp.float32, xp.float64):
            came = xp.floor_divide(xp.full((2,), a, dtype=dtype), xp.full((2,), b, dtype=dtype))
            same(came, numpy.full(2, wanted, str(dtype)[6:]))
    for a, b, wanted in [(0.0, -2, -0.0), (-0.0, 2, 0.0), (4, -2, -0.0), (-4, 2, 0.0)]:
        same(xp.remainder(xp.full((2,), a, dtype=xp.float32), b), numpy.full(2, wanted, "float32"))


@pytest.mark.parametrize("function", BINARY)
def test_of_two_checks_types(function):
    takes = BINARY[function]
    for name in set(DTYPES) - set(takes) - ({"bool"} if function == "divide" else set()):
        if function == "divide" and name in INTEGERS:
            continue  # the standard leaves it open: float32 comes
        if function == "pow" and name in COMPLEX:
            continue
        with pytest.raises(TypeError, match=function):
            getattr(xp, function)(xp.ones(2, dtype=DTYPES[name]), xp.ones(2, dtype=DTYPES[name]))
    with pytest.raises(TypeError, match=function):
        getattr(xp, function)(1, 2)
    if function not in ("logical_and", "logical_or", "logical_xor"):
        with pytest.raises(TypeError, match="no common type"):
            getattr(xp, function)(xp.ones(2, dtype=DTYPES[takes[0]]), 1j if takes[0] == "bool" else True)


def test_types_of_two_meet():
    x, y = xp.ones((2,), dtype=xp.uint8), xp.ones((), dtype=xp.int16)
    assert xp.add(x, y).dtype == xp.int16 and xp.add(y, x).dtype == xp.int16
    assert xp.add(xp.ones(2), xp.ones((), dtype=xp.float64)).dtype == xp.float64
    assert xp.multiply(xp.ones(2, dtype=xp.float64), 1j).dtype == xp.complex128
    assert xp.maximum(x, 3).dtype == xp.uint8
    assert xp.where(xp.asarray([True, False]), x, y).tolist() == [1, 1]
    assert xp.divide(xp.arange(2), 2).dtype == xp.float32


@pytest.mark.parametrize(("function", "name"), [(f, d) for f, dtypes in UNARY.items() for d in dtypes])
@pytest.mark.parametrize("shape", SHAPES)
def test_of_one(function, name, shape):
    tolerance = ROUNDED.get(function, 0) if name in COMPLEX else 0
    both(function, numbers(shape, name), tolerance=tolerance)


@pytest.mark.parametrize("function", UNARY)
def test_of_one_checks_types(function):
    for name in set(DTYPES) - set(UNARY[function]):
        with pytest.raises(TypeError, match=function):
            getattr(xp, function)(xp.ones(2, dtype=DTYPES[name]))
    with pytest.raises(TypeError, match="array"):
        getattr(xp, function)(1)


@pytest.mark.parametrize("name", [*INTEGERS, *REAL])
def test_clip(name):
    array = numbers((2, 3), name)
    for low, high in [
        (1, 3),
        (None, 2),
        (1, None),
        (None, None),
        (3, 1),
        (numbers((3,), name, 5), numbers((2, 1), name, 6)),
    ]:
        wanted = array if low is None and high is None else numpy.clip(array, low, high)
        mine = [ours(bound) if isinstance(bound, numpy.ndarray) else bound for bound in (low, high)]
        same(xp.clip(ours(array), *mine), wanted)


@pytest.mark.parametrize("name", DTYPES)
def test_where(name):
    for a, b in PAIRS[:-1]:
        condition = numbers(a, "bool")
        both("where", [condition, numbers(a, name), numbers(b, name, 9)])
    with pytest.raises(TypeError, match="bool"):
        xp.where(xp.ones(2), xp.ones(2), xp.ones(2))


def test_operators():
    a, b = numpy.asarray([5, -7, 9]), numpy.asarray([2, 3, -4])
    x, y = ours(a), ours(b)
    for came, wanted in [
        (x + y, a + b), (x - y, a - b), (x * y, a * b), (x // y, a // b), (x % y, a % b), (x**2, a**2),
        (x & y, a & b), (x | y, a | b), (x ^ y, a ^ b), (~x, ~a), (-x, -a), (+x, +a), (abs(x), abs(a)),
        (x < y, a < b), (x <= y, a <= b), (x > y, a > b), (x >= y, a >= b), (x == y, a == b), (x != y, a != b),
        (1 + x, 1 + a), (1 - x, 1 - a), (3 * x, 3 * a), (3 // x, 3 // a), (3 % x, 3 % a), (2 ** abs(y), 2 ** abs(b)),
    ]:  # fmt: skip
        same(came, wanted)
    x += 1
    x *= y
    same(x, (a + 1) * b)
    assert (bool(xp.asarray(True)), int(xp.asarray(3)), float(xp.asarray(1.5)), complex(xp.asarray(1j))) == (
        True,
        3,
        1.5,
        1j,
    )
    assert [10, 20, 30][xp.asarray(1)] == 20
