# SPDX-License-Identifier: Apache-2.0
"""`tenstride.array_api`: arrays made, and their shapes, against NumPy."""

from __future__ import annotations

import itertools

import numpy
import pytest
import tenstride
import tenstride.array_api as xp
from array_pairs import DTYPES, SHAPES, both, needs_numpy, numbers, ours, same
from hypothesis import given, settings, strategies as st

pytestmark = needs_numpy


@pytest.mark.parametrize(
    "arguments",
    [
        (5,),
        (2, 7),
        (2, 7, 2),
        (7, 2, -2),
        (7, 2),
        (2, 7, -1),
        (0,),
        (-3,),
        (0.0, 1.0, 0.25),
        (5, 0, -0.5),
        (1.5,),
        (3, 3),
    ],
)
def test_arange(arguments):
    wanted = numpy.arange(*arguments)
    same(xp.arange(*arguments), wanted.astype("float32") if wanted.dtype == "float64" else wanted)
    same(xp.arange(*arguments, dtype=xp.float64), wanted.astype("float64"))


@pytest.mark.parametrize("endpoint", [True, False])
@pytest.mark.parametrize("arguments", [(0, 1, 5), (0, 10, 1), (3, -3, 7), (0, 1, 0), (2.5, 2.5, 3)])
def test_linspace(arguments, endpoint):
    wanted = numpy.linspace(*arguments, endpoint=endpoint)
    same(xp.linspace(*arguments, endpoint=endpoint, dtype=xp.float64), wanted, 1e-15)
    same(xp.linspace(*arguments, endpoint=endpoint), wanted.astype("float32"), 1e-6)


def test_linspace_of_complex_numbers():
    same(xp.linspace(0, 1 + 1j, 3), numpy.linspace(0, 1 + 1j, 3).astype("complex64"), 1e-6)
    with pytest.raises(TypeError, match="complex"):
        xp.linspace(0, 1j, 3, dtype=xp.float32)
    with pytest.raises(ValueError, match="num"):
        xp.linspace(0, 1, -1)


@pytest.mark.parametrize("name", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_filled(shape, name):
    dtype = DTYPES[name]
    same(xp.zeros(shape, dtype=dtype), numpy.zeros(shape, name))
    same(xp.ones(shape, dtype=dtype), numpy.ones(shape, name))
    same(xp.full(shape, 1, dtype=dtype), numpy.full(shape, 1, name))
    x = ours(numbers(shape, name))
    same(xp.zeros_like(x), numpy.zeros(shape, name))
    same(xp.ones_like(x), numpy.ones(shape, name))
    same(xp.full_like(x, 1), numpy.full(shape, 1, name))
    for made in (xp.empty(shape, dtype=dtype), xp.empty_like(x)):
        assert tuple(made.shape) == shape and made.dtype == dtype
    assert xp.zeros_like(x, dtype=xp.float32).dtype == xp.float32
    assert xp.empty(shape, device="meta").device == tenstride.device("meta")


def test_filled_takes_a_size_alone_and_the_type_of_the_number():
    assert [tuple(make(3).shape) for make in (xp.zeros, xp.ones, xp.empty)] == [(3,)] * 3
    types = {True: xp.bool, 7: xp.int64, 2.5: xp.float32, 1j: xp.complex64}
    assert all(xp.full(2, number).dtype == dtype for number, dtype in types.items())


@pytest.mark.parametrize("k", range(-4, 5))
@pytest.mark.parametrize("sizes", [(3,), (2, 3), (3, 2), (0,), (0, 3)])
def test_eye(sizes, k):
    same(xp.eye(*sizes, k=k, dtype=xp.float64), numpy.eye(*sizes, k=k))


@pytest.mark.parametrize("k", range(-3, 4))
@pytest.mark.parametrize("function", ["tril", "triu"])
@pytest.mark.parametrize("shape", [(2, 3), (3, 2), (2, 3, 3), (0, 3)])
def test_triangles(function, shape, k):
    both(function, numbers(shape, "int64"), k=k)


@pytest.mark.parametrize("indexing", ["xy", "ij"])
@pytest.mark.parametrize("sizes", [(), (3,), (2, 3), (2, 3, 4), (0, 2)])
def test_meshgrid(sizes, indexing):
    vectors = [numpy.arange(size) for size in sizes]
    same(xp.meshgrid(*map(ours, vectors), indexing=indexing), list(numpy.meshgrid(*vectors, indexing=indexing)))


def test_meshgrid_refuses():
    for arrays, named in [
        ([xp.zeros((2, 2))], {}),
        ([xp.zeros(2), xp.arange(2)], {}),
        ([xp.zeros(2)], {"indexing": "ji"}),
    ]:
        with pytest.raises(ValueError):
            xp.meshgrid(*arrays, **named)


def test_asarray_and_dlpack_share_unless_told():
    a = numpy.arange(6).reshape(2, 3)
    assert xp.asarray(a).data_ptr() == a.ctypes.data == xp.from_dlpack(a).data_ptr()
    assert xp.asarray(a, copy=True).data_ptr() != a.ctypes.data != xp.from_dlpack(a, copy=True).data_ptr()
    x = xp.asarray([[1, 2], [3, 4]])
    assert xp.asarray(x) is x
    for obj, named in [([1], {}), (x, {"dtype": xp.float32})]:
        with pytest.raises(ValueError):
            xp.asarray(obj, copy=False, **named)
    same(x, numpy.asarray([[1, 2], [3, 4]]))


@pytest.mark.parametrize("shape", SHAPES)
def test_axes_in_another_order(shape):
    array = numbers(shape, "int64")
    for axes in itertools.permutations(range(len(shape))):
        both("permute_dims", array, axes)
        both("permute_dims", array, tuple(axis - len(shape) for axis in axes))
    both("matrix_transpose", array)
    for source, destination in itertools.product(range(-len(shape) - 1, len(shape) + 1), repeat=2):
        both("moveaxis", array, source, destination)


def test_axes_are_checked():
    x = xp.zeros((2, 3))
    for axes, kind in [((0, 0), ValueError), ((0,), ValueError), ((0, 2), IndexError)]:
        with pytest.raises(kind):
            xp.permute_dims(x, axes)
    with pytest.raises(ValueError):
        xp.moveaxis(x, (0, 1), (0,))
    same(
        xp.moveaxis(ours(numbers((2, 3, 4), "int8")), (0, 1), (-1, 0)),
        numpy.moveaxis(numbers((2, 3, 4), "int8"), (0, 1), (-1, 0)),
    )


@pytest.mark.parametrize("shape", SHAPES)
def test_axes_of_size_1(shape):
    array = numbers(shape, "float32")
    for axis in range(-len(shape) - 2, len(shape) + 2):
        both("expand_dims", array, axis=axis)
    for count in range(3):
        for axes in itertools.product(range(-len(shape), len(shape)), repeat=count):
            both("squeeze", array, axis=axes)
    with pytest.raises(TypeError):
        xp.squeeze(ours(array))


SIZES = [(), (6,), (2, 3), (3, 2), (-1,), (2, -1), (1, 6, 1), (24,), (4, -1, 2), (0,), (0, -1), (-1, -1), (5,), (3, 0)]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("sizes", SIZES)
def test_reshape(shape, sizes):
    array = numbers(shape, "int64")
    both("reshape", array, sizes)
    both("reshape", array, sizes, copy=True)


def test_reshape_copies_as_told():
    x = xp.reshape(xp.arange(6), (2, 3))
    assert xp.reshape(x, (6,), copy=False).data_ptr() == x.data_ptr() == xp.reshape(x, (3, 2)).data_ptr()
    assert xp.reshape(x, (2, 3), copy=True).data_ptr() != x.data_ptr()
    assert xp.reshape(x.T, (6,)).tolist() == [0, 3, 1, 4, 2, 5]
    with pytest.raises(ValueError, match="view size is not compatible"):
        xp.reshape(x.T, (6,), copy=False)


@pytest.mark.parametrize("shape", SHAPES)
def test_moved_and_repeated(shape):
    array = numbers(shape, "int32")
    for axis in [None, *range(-len(shape) - 1, len(shape) + 1), *itertools.combinations(range(len(shape)), 2)]:
        both("flip", array, axis=axis)
        for shift in (0, 1, -2, 7):
            both("roll", array, shift, axis=axis)
        if isinstance(axis, tuple):
            both("roll", array, (1, -1), axis=axis)
            continue
        if not (axis is not None and shape == ()):  # NumPy lets axes 0 and -1 of rank 0 pass
            for repeats in (0, 1, 3):
                both("repeat", array, repeats, axis=axis)
        if axis is not None and axis < len(shape) and axis >= 0:
            each = numpy.arange(shape[axis])
            same(xp.repeat(ours(array), ours(each), axis=axis), numpy.repeat(array, each, axis=axis))
    for repetitions in [(), (2,), (2, 1), (1, 2, 3), (0,), (2, 1, 1, 1, 2)]:
        both("tile", array, repetitions)


def test_repeat_and_roll_refuse():
    x = xp.zeros((2, 3))
    with pytest.raises(ValueError):
        xp.repeat(x, -1)
    with pytest.raises(ValueError):
        xp.repeat(x, xp.asarray([1, 2]), axis=1)
    with pytest.raises(ValueError):
        xp.repeat(x, xp.zeros((1, 1), dtype=xp.int64))
    same(xp.repeat(x, xp.asarray([2], dtype=xp.uint8), axis=0), numpy.zeros((4, 3), "float32"))
    for shift, axis in [((1, 2), None), ((1, 2, 3), (0, 1))]:
        with pytest.raises(ValueError):
            xp.roll(x, shift, axis=axis)


@pytest.mark.parametrize("function", ["concat", "stack"])
@pytest.mark.parametrize(
    "shapes",
    [
        [(2, 3)],
        [(2, 3), (2, 3)],
        [(2, 3), (1, 3)],
        [(2, 3), (2, 0)],
        [(3,), (0,)],
        [(0,), (2, 3)],
        [(), ()],
        [(2, 3), (3,)],
    ],
)
def test_joined(function, shapes):
    arrays = [numbers(shape, "int64", seed) for seed, shape in enumerate(shapes)]
    for axis in [*range(-4, 4), *([None] if function == "concat" else [])]:
        try:
            wanted = getattr(numpy, function)(arrays, axis=axis)
        except ValueError:
            with pytest.raises((ValueError, IndexError)):
                getattr(xp, function)([ours(array) for array in arrays], axis=axis)
        else:
            same(getattr(xp, function)([ours(array) for array in arrays], axis=axis), wanted)


def test_joined_types_meet():
    for function in (xp.concat, xp.stack):
        assert function([xp.zeros(2, dtype=xp.uint8), xp.zeros(2, dtype=xp.int8)]).dtype == xp.int16
        with pytest.raises(TypeError):
            function([xp.zeros(2, dtype=xp.uint8), xp.zeros(2)])
        with pytest.raises(ValueError):
            function([])


@pytest.mark.parametrize("shape", [shape for shape in SHAPES if shape])
def test_unstack(shape):
    array = numbers(shape, "int64")
    for axis in range(-len(shape), len(shape)):
        both("unstack", array, axis=axis)
    with pytest.raises(IndexError):
        xp.unstack(ours(array), axis=len(shape))


@pytest.mark.parametrize(("a", "b"), list(itertools.product(SHAPES, repeat=2)))
def test_broadcast(a, b):
    arrays = [numbers(a, "int8"), numbers(b, "int8")]
    both("broadcast_arrays", arrays)
    both("broadcast_to", arrays[0], b)


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_chains_of_shapes_agree(data):
    array = numpy.arange(24).reshape(data.draw(st.sampled_from([(24,), (2, 3, 4), (4, 6), (1, 24), (2, 2, 2, 3)])))
    x = ours(array)
    for _ in range(5):
        rank = array.ndim
        choice = data.draw(st.sampled_from(["permute_dims", "reshape", "flip", "roll", "expand_dims", "moveaxis"]))
        if choice == "permute_dims":
            axes = tuple(data.draw(st.permutations(range(rank))))
            array, x = numpy.permute_dims(array, axes), xp.permute_dims(x, axes)
        elif choice == "reshape":
            size = data.draw(st.sampled_from([1, 2, 3, 4, 6, 8, 12, 24]))
            array, x = numpy.reshape(array, (size, -1)), xp.reshape(x, (size, -1))
        elif choice == "expand_dims":
            axis = data.draw(st.integers(-rank - 1, rank))
            array, x = numpy.expand_dims(array, axis), xp.expand_dims(x, axis=axis)
        elif choice == "moveaxis":
            a, b = data.draw(st.integers(0, rank - 1)), data.draw(st.integers(-rank, rank - 1))
            array, x = numpy.moveaxis(array, a, b), xp.moveaxis(x, a, b)
        else:
            axis = data.draw(st.sampled_from([None, *range(-rank, rank)]))
            extra = [data.draw(st.integers(-30, 30))] if choice == "roll" else []
            array, x = getattr(numpy, choice)(array, *extra, axis=axis), getattr(xp, choice)(x, *extra, axis=axis)
        same(x, array)
