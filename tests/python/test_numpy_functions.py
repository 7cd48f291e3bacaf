# SPDX-License-Identifier: Apache-2.0
"""`tenstride.numpy` beside NumPy itself: what the recorded chains leave out. (Those are in test_replay_numpy.py.)"""

from __future__ import annotations

import doctest
import inspect
import itertools

import numpy
import pytest
import tenstride as torch
import tenstride.numpy as tnp
from memory import grows_by

SHAPES = [(), (3,), (0,), (2, 3), (3, 1), (2, 3, 4), (2, 0, 3)]


def given(shape, dtype="int32", order="C"):
    """A tensor on NumPy's memory and the array: both lie alike."""
    count = int(numpy.prod(shape))
    array = numpy.arange(count).astype(dtype).reshape(shape, order=order)
    return torch.from_numpy(array), array


def same(x, array):
    """Shape, byte strides where they move something, type, elements and whether it may be written to."""
    assert tuple(x.shape) == array.shape and str(x.dtype)[6:] == str(array.dtype)
    if x.numel():
        assert all(size == 1 or a == b for size, a, b in zip(x.shape, tnp.strides(x), array.strides))
    if isinstance(array, numpy.ndarray):  # and none of its numbers
        assert x.is_read_only == (not array.flags.writeable)
    numpy.testing.assert_array_equal(numpy.asarray(x), array)


def both(name, shape, *arguments, order="C", **named):
    """Calls ours and NumPy's function; where NumPy refuses, ours must by the same kind of exception."""
    x, array = given(shape, order=order)
    reference = getattr(numpy, name, None) or getattr(numpy.lib.stride_tricks, name)
    try:
        wanted = reference(array, *arguments, **named)
    except (ValueError, IndexError, TypeError) as error:
        kind = tnp.AxisError if isinstance(error, numpy.exceptions.AxisError) else type(error)
        with pytest.raises(kind):
            getattr(tnp, name)(x, *arguments, **named)
        return
    came = getattr(tnp, name)(x, *arguments, **named)
    same(came, wanted)
    if not isinstance(wanted, numpy.ndarray):
        return
    assert (came.untyped_storage() == x.untyped_storage()) == numpy.shares_memory(array, wanted) or not came.numel()


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("order", ["C", "F"])
def test_views_of_every_axis(shape, order):
    rank = len(shape)
    for name in ("flip", "squeeze", "expand_dims"):
        for axis in range(-rank - 2, rank + 2):
            both(name, shape, axis=axis, order=order)
        for axes in itertools.product(range(-rank, rank), repeat=2):
            both(name, shape, axis=axes, order=order)
    for a, b in itertools.product(range(-rank - 1, rank + 1), repeat=2):
        both("swapaxes", shape, a, b, order=order)
        both("moveaxis", shape, a, b, order=order)
        both("rollaxis", shape, a, b, order=order)
        both("diagonal", shape, 1, a, b, order=order)
        for k in range(-1, 5):
            both("rot90", shape, k, axes=(a, b), order=order)
    for axes in itertools.permutations(range(rank)):
        both("transpose", shape, axes, order=order)
    for name in ("transpose", "fliplr", "flipud", "atleast_3d", "flip", "squeeze", "matrix_transpose"):
        if hasattr(numpy, name):
            both(name, shape, order=order)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("lies", ["C", "F"])
@pytest.mark.parametrize("order", ["C", "F", "A", "K"])
def test_orders(shape, lies, order):
    both("ravel", shape, order=lies)
    x, array = given(shape, order=lies)
    same(tnp.ravel(x, order), array.ravel(order))
    same(tnp.flatten(x, order), array.flatten(order))
    same(tnp.copy(x, order), array.copy(order))
    same(tnp.astype(x, "float64", order), array.astype("float64", order))
    same(tnp.asarray(x, order=order), numpy.asarray(array, order=order))
    same(tnp.asarray(x, "int16", order), numpy.asarray(array, "int16", order))
    assert tnp.strides(tnp.empty_like(x, order=order)) == numpy.empty_like(array, order=order).strides
    assert tnp.empty_like(x, "int8", order).dtype == torch.int8
    for sizes in [(-1,), (3, -1), (1, -1, 1), (), (5,), (-1, -1)]:
        if order == "K":
            with pytest.raises(ValueError, match="order"):
                tnp.reshape(x, sizes, order)
            continue
        try:
            wanted = array.reshape(sizes, order=order)
        except ValueError:
            with pytest.raises(ValueError):
                tnp.reshape(x, sizes, order)
        else:
            same(tnp.reshape(x, sizes, order), wanted)


def test_orders_are_letters():
    x, array = given((2, 3))
    same(tnp.reshape(x, (3, 2), "f"), array.reshape((3, 2), order="F"))
    for order in ("X", "", "CF"):
        with pytest.raises(ValueError, match="order"):
            tnp.ravel(x, order)


def test_copies_as_told():
    x, _ = given((2, 3))
    assert tnp.reshape(x, (6,), copy=False).data_ptr() == x.data_ptr()
    assert tnp.reshape(x, (6,), copy=True).data_ptr() != x.data_ptr()
    assert tnp.asarray(x, copy=False) is x and tnp.asarray(x, torch.int32) is x
    for refused in (
        lambda: tnp.reshape(x, (6,), "F", copy=False),
        lambda: tnp.asarray(x, order="F", copy=False),
        lambda: tnp.asarray(x, torch.float32, copy=False),
    ):
        with pytest.raises(ValueError, match="copy"):
            refused()
    with torch.NoCopy(), pytest.raises(torch.NoCopyError):
        tnp.ravel(x, "F")


def test_the_very_tensor_comes_back_where_nothing_changes():
    x, _ = given((2, 3))
    for function in (tnp.asarray, tnp.ascontiguousarray, tnp.real, tnp.squeeze):
        assert function(x) is x
    assert tnp.asfortranarray(x.T).data_ptr() == x.data_ptr()
    assert tnp.astype(x, torch.int32, copy=False) is x and tnp.astype(x, torch.int32) is not x
    assert tnp.ascontiguousarray(x, "float32").dtype == torch.float32
    assert tnp.asfortranarray(x, "float32").stride() == (1, 2)


def test_arrays_of_others_are_taken_on_their_memory():
    _, array = given((2, 3))
    x = tnp.flip(array, 1)
    x[0, 0] = 99
    assert array[0, 2] == 99
    assert tnp.concatenate([array, array]).shape == (4, 3)
    with pytest.raises(TypeError, match="Tensor or an array"):
        tnp.ravel(object())


def test_read_only_views_cannot_be_written():
    x, _ = given((3, 3))
    for view in (tnp.broadcast_to(x, (2, 3, 3)), tnp.diagonal(x), tnp.sliding_window_view(x, (2, 2))):
        assert view.is_read_only
        with pytest.raises(RuntimeError, match="read-only"):
            view[0] = 1
    assert not tnp.copy(tnp.diagonal(x)).is_read_only


def test_an_axis_error_is_both_an_index_error_and_a_value_error():
    for kind in (tnp.AxisError, torch.AxisError, IndexError, ValueError):
        with pytest.raises(kind) as caught:
            tnp.flip(torch.zeros(2, 3), 2)
    assert (caught.value.given, caught.value.lowest, caught.value.highest) == (2, -2, 1)


@pytest.mark.parametrize("shape", [(6,), (2, 6), (2, 3, 4)])
def test_windows_and_strides(shape):
    x, array = given(shape)
    for size, axis in itertools.product(range(4), range(-len(shape), len(shape))):
        both("sliding_window_view", shape, size, axis)
    same(tnp.as_strided(x, (2, 2), (4, 4)), numpy.lib.stride_tricks.as_strided(array, (2, 2), (4, 4)))
    same(tnp.as_strided(x), array)
    with pytest.raises(RuntimeError):
        tnp.as_strided(x, (100,), (4,))
    with pytest.raises(ValueError):
        tnp.as_strided(x, (2,), (3,))


@pytest.mark.parametrize(
    "key",
    [slice(None, None, -1), (0, slice(None, None, -2)), (..., None, 0), (slice(4, 0, -1),), (None, -1), 7, (0, 0, 0)],
)
def test_basic_indexing(key):
    x, array = given((4, 5))
    try:
        wanted = array[key]
    except IndexError:
        with pytest.raises(IndexError):
            tnp.index(x, key)
    else:
        same(tnp.index(x, key), wanted)


def test_lists_and_masks_give_no_view():
    x, _ = given((4, 5))
    for key in ([0, 1], torch.zeros(4, dtype=torch.bool), True):
        with pytest.raises(IndexError, match="must be an int, a slice, None or"):
            tnp.index(x, key)


@pytest.mark.parametrize("name", tnp.__all__)
def test_every_function_has_a_docstring_whose_example_runs(name):
    text = inspect.getdoc(getattr(tnp, name)) or ""
    assert text, name
    if name == "AxisError":
        return
    assert ">>>" in text, name
    examples = doctest.DocTestParser().get_doctest(text, {"tnp": tnp, "torch": torch}, name, None, 0)
    output = []
    runner = doctest.DocTestRunner()
    runner.run(examples, out=output.append)
    assert runner.failures == 0, "".join(output)


def test_nothing_leaks():
    x = torch.zeros(64, 64)

    def calls():
        tnp.flip(x)
        tnp.reshape(x, (-1,), "F")
        tnp.concatenate([x, x])
        tnp.ascontiguousarray(x)

    def refused():
        with pytest.raises(tnp.AxisError):
            tnp.flip(x, 2)

    assert grows_by(calls, 5000) < 1 << 20
    assert grows_by(refused, 5000) < 1 << 20
