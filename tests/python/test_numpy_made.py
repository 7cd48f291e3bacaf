# SPDX-License-Identifier: Apache-2.0
"""`repeat` with counts, `asarray` of lists and `pad` of `tenstride.numpy` beside NumPy's own, with drawn arguments."""

from __future__ import annotations

import array
import collections
import random
import warnings

import numpy
import pytest
import tenstride as torch
import tenstride.numpy as tnp
from test_numpy_functions import SHAPES, given, same

KINDS = (tnp.AxisError, OverflowError, ValueError, TypeError, IndexError)


def outcome(call, *arguments, **named):
    """What it gives, or the kind of its error."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return call(*arguments, **named)
    except (*KINDS, numpy.exceptions.AxisError) as error:
        if isinstance(error, numpy.exceptions.AxisError):
            return tnp.AxisError
        return next(kind for kind in KINDS if isinstance(error, kind))


def agree(came, wanted, *arguments):
    if isinstance(wanted, type):
        assert came == wanted, (came, wanted, arguments)
    else:
        assert not isinstance(came, type), (came, wanted, arguments)
        same(came, wanted)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("order", ["C", "F"])
def test_repeat_by_a_count_for_each_element_is_numpys(shape, order):
    draw = random.Random(str(shape) + order)
    x, array_of_x = given(shape, order=order)
    for _ in range(60):
        axis = draw.choice([None, *range(-len(shape) - 1, len(shape) + 1)])
        size = array_of_x.size if axis is None else (shape[axis] if -len(shape) <= axis < len(shape) else 2)
        length = draw.choice([size, size, size, 1, size + 1, 0])
        counts = [draw.choice([0, 1, 2, 3]) for _ in range(length)]
        if draw.random() < 0.1 and counts:
            counts[-1] = -1
        form = draw.choice([list, tuple, "int64", "int8", "uint8", "uint64", "bool", "float64"])
        repeats = form(counts) if callable(form) else numpy.array(counts).astype(form)
        wanted = outcome(numpy.repeat, array_of_x, repeats, axis)
        agree(outcome(tnp.repeat, x, repeats, axis), wanted, repeats, axis)
        if isinstance(repeats, numpy.ndarray):
            agree(outcome(tnp.repeat, x, torch.from_numpy(repeats), axis), wanted, repeats, axis)


@pytest.mark.parametrize(
    "repeats", [2, 0, -1, True, numpy.array(2), [2], [[2]], [[1, 2, 0]], [1.0, 2, 0], [], 1.5, "x"]
)
def test_repeat_takes_what_numpy_takes(repeats):
    x, array_of_x = given((3,))
    if repeats != "x":
        agree(outcome(tnp.repeat, x, repeats), outcome(numpy.repeat, array_of_x, repeats), repeats)
    else:
        assert outcome(tnp.repeat, x, repeats) is TypeError


LISTS = [
    3,
    2.5,
    True,
    1j,
    [],
    [[], []],
    [1, 2],
    (1, (2.5)),
    [True, 2],
    [True, False],
    [True, 2.5],
    [1, 1j],
    [[1, 2], [3, 4]],
    ((1, 2), (3.5, 4)),
    [[1, 2], [3]],
    [[1], 2],
    [2**63],
    [2**63, -1],
    range(3),
    collections.deque([1, 2]),
    [collections.deque([1, 2]), (3, 4)],
    [numpy.float32(1), numpy.float32(2)],
    [numpy.float32(1), 2.5],
    [numpy.int8(1), numpy.int8(2)],
    [numpy.arange(2), numpy.arange(2)],
    [numpy.arange(2), [1.5, 2]],
    [numpy.arange(2), numpy.arange(3)],
    [[[1]], [[2]]],
    [float("nan"), 1.5],
    [float("inf")],
    [-1],
    [300, 2],
    [255.7],
    [256.0],
    [-0.5],
    [1e10],
    [1e300],
    [0.0, 0.5],
]


@pytest.mark.parametrize("data", LISTS, ids=repr)
@pytest.mark.parametrize(
    "dtype", [None, "bool", "uint8", "int8", "int64", "uint64", "float32", "float64", "complex128"]
)
@pytest.mark.parametrize("order", [None, "C", "F"])
def test_asarray_of_lists_is_numpys(data, dtype, order):
    agree(outcome(tnp.asarray, data, dtype, order), outcome(numpy.asarray, data, dtype, order), data, dtype)


def test_asarray_copies_numbers_and_lists():
    for data in (3, [1, 2], ((1,), (2,))):
        assert outcome(tnp.asarray, data, copy=False) is ValueError
        same(tnp.asarray(data, copy=True), numpy.asarray(data))


def test_asarray_shares_buffers():
    for data in (bytearray(b"ab"), array.array("i", [1, 2]), memoryview(bytearray(b"abc"))):
        x = tnp.asarray(data)
        same(x, numpy.asarray(data))
        x[0] = 7
        assert data[0] == 7


def test_asarray_refuses_what_has_no_numbers():
    for data in ("ab", b"ab", None, {1: 2}, [None], ["a"], [2**64]):
        with pytest.raises((TypeError, OverflowError)):
            tnp.asarray(data)


def widths(draw, rank):
    pair = [draw.randrange(5), draw.randrange(5)]
    forms = [pair[0], pair, tuple(pair), [pair], [[pair[0]]], numpy.array(pair)]
    if rank:
        pairs = [[draw.randrange(8), draw.randrange(8)] for _ in range(rank)]
        forms += [pairs, pairs, pairs, [[one[0]] for one in pairs], tuple(map(tuple, pairs)), [*pairs, [1, 1]]]
        forms += [[-1, 2], [1.5, 2], [[1, 2, 3]]]
    return draw.choice(forms)


@pytest.mark.parametrize("shape", [*SHAPES, (1,), (1, 4), (5, 2)])
@pytest.mark.parametrize("mode", ["constant", "edge", "reflect", "symmetric", "wrap"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_pad_is_numpys(shape, mode, order):
    draw = random.Random(str((shape, mode, order)))
    x, array_of_x = given(shape, order=order)
    for _ in range(40):
        width = widths(draw, len(shape))
        named = {}
        if mode == "constant" and draw.random() < 0.7:
            named = {"constant_values": draw.choice([7, -1.5, (1, 2), [[3, 4]] * len(shape) or 0, [[5]], True])}
        wanted = outcome(numpy.pad, array_of_x, width, mode, **named)
        agree(outcome(tnp.pad, x, width, mode, **named), wanted, width, named)


def test_pad_of_empty_lays_out_as_numpy():
    x, array_of_x = given((2, 3), order="F")
    came, wanted = tnp.pad(x, 2, "empty"), numpy.pad(array_of_x, 2, "empty")
    assert tuple(came.shape) == wanted.shape and tnp.strides(came) == wanted.strides
    assert came[2:4, 2:5].tolist() == array_of_x.tolist()


def test_pad_takes_a_dict_of_axes_and_lists():
    x, array_of_x = given((2, 3))
    wide = numpy.pad(array_of_x, [(0, 0), (1, 2)])
    same(tnp.pad(x, {1: (1, 2)}), wide)
    same(tnp.pad(x, {-1: (1, 2)}), wide)
    same(tnp.pad([1, 2], 1), numpy.pad([1, 2], 1))


def test_pad_refuses_what_is_not_its_own():
    x, _ = given((3,))
    for mode in ("linear_ramp", "maximum", "mean", "median", "minimum", lambda *_: None):
        with pytest.raises(NotImplementedError):
            tnp.pad(x, 1, mode)
    with pytest.raises(NotImplementedError):
        tnp.pad(x, 1, "reflect", reflect_type="odd")
    for mode, named in (("edge", {"constant_values": 1}), ("other", {}), ("constant", {"reflect_type": "even"})):
        with pytest.raises(ValueError):
            tnp.pad(x, 1, mode, **named)


def test_pad_makes_one_copy_of_the_elements():
    x = torch.arange(1000.0)
    with torch.CopyLedger() as ledger:
        tnp.pad(x, 10, "wrap")
    assert ledger.bytes_read == 1020 * 4
