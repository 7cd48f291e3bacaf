# SPDX-License-Identifier: Apache-2.0
"""Arrays of elements that tenstride has no type for: moved as they are, with NumPy as the judge."""

import datetime

import numpy
import pytest
import tenstride

PAIRS = numpy.dtype([("a", "i1"), ("b", "f4"), ("c", "S3")])


def dates():
    return numpy.arange("2026-01-01", "2026-01-25", dtype="datetime64[D]").reshape(2, 3, 4)


def records(rows=3):
    a = numpy.zeros((2, rows, 4), PAIRS)
    a["a"] = numpy.arange(a.size).reshape(a.shape)
    a["b"], a["c"] = a["a"] / 2, b"xyz"
    return a


ARRAYS = {
    "swapped bytes": numpy.arange(24, dtype=">f4").reshape(2, 3, 4),
    "swapped long": numpy.arange(24, dtype=">i8").reshape(2, 3, 4),
    "dates": dates(),
    "spans": dates() - dates()[0, 0, 0],
    "long double": numpy.arange(24, dtype="longdouble").reshape(2, 3, 4) / 3,
    "complex long double": numpy.arange(24, dtype="clongdouble").reshape(2, 3, 4) / 3j,
    "text": numpy.array([f"word {n}" for n in range(24)]).reshape(2, 3, 4),
    "bytes": numpy.array([b"%d" % n for n in range(24)]).reshape(2, 3, 4),
    "records": records(),
    "a field between others": records()["b"],
    "a field in every other place": records(6)["b"][:, ::2],
    "unaligned numbers": numpy.frombuffer(bytearray(97), "u1")[1:].view("f4").reshape(2, 3, 4),
    "raw": numpy.frombuffer(bytes(range(72)), "V3").reshape(2, 3, 4),
    "backwards": dates()[:, ::-1],
}


@pytest.fixture(params=ARRAYS.values(), ids=ARRAYS.keys())
def array(request):
    return request.param


def same(given, expected):
    assert type(given) is numpy.ndarray
    # NumPy's joins give the machine's byte order.
    expected = numpy.ascontiguousarray(expected, given.dtype)
    assert given.shape == expected.shape and given.tobytes() == expected.tobytes()


def test_axes_move_without_a_copy_where_a_view_will_do(array):
    moved = tenstride.rearrange(array, "a b c -> c a b")
    assert moved.dtype == array.dtype
    same(moved, array.transpose(2, 0, 1))
    assert numpy.shares_memory(moved, array)
    assert moved.flags.writeable == array.flags.writeable


def test_axes_merge_by_one_copy(array):
    same(tenstride.rearrange(array, "a b c -> (c a) b"), array.transpose(2, 0, 1).reshape(8, 3))
    same(tenstride.rearrange(array, "... c -> c (...)"), array.transpose(2, 0, 1).reshape(4, 6))


def test_contiguous_is_contiguous(array):
    made = tenstride.contiguous(array)
    same(made, array)
    assert made.flags.c_contiguous
    assert (made is array) == array.flags.c_contiguous


def test_permute_copy_copies(array):
    made = tenstride.permute_copy(array, (-1, 0, 1))
    same(made, array.transpose(2, 0, 1))
    assert made.flags.c_contiguous and not numpy.shares_memory(made, array)


def test_repeat_stack_cat_and_pack(array):
    same(tenstride.repeat(array, "a b c -> a b (c two)", two=2), numpy.repeat(array, 2, axis=2))
    same(tenstride.stack([array, array], dim=-1), numpy.stack([array, array], axis=-1))
    same(tenstride.cat([array, array], dim=-1), numpy.concatenate([array, array], axis=-1))
    whole, shapes = tenstride.pack([array, array[:, 0]], "a *")
    same(whole, numpy.concatenate([array.reshape(2, 12), array[:, 0]], axis=1))
    for part, given in zip(tenstride.unpack(whole, shapes, "a *"), [array, array[:, 0]]):
        same(part, given)


def test_lists_count_as_one_array(array):
    same(tenstride.rearrange([array, array], "n a b c -> c (n a b)"), numpy.stack([array] * 2).reshape(12, 4).T)


def test_no_axis_and_no_element():
    one = numpy.array(datetime.date(2026, 1, 2), "datetime64[D]")
    same(tenstride.repeat(one, "-> two", two=2), numpy.repeat(one, 2))
    none = numpy.empty((0, 3), PAIRS)
    same(tenstride.rearrange(none, "a b -> b a"), none.T)


def test_types_of_other_packages():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    for name in ("bfloat16", "float8_e4m3fn", "int4"):
        a = numpy.arange(6).reshape(2, 3).astype(getattr(ml_dtypes, name))
        same(tenstride.rearrange(a, "a b -> (b a)"), a.T.reshape(-1))


@pytest.mark.parametrize("name", ["bfloat16", "float8_e4m3fn", "float8_e5m2"])
def test_narrow_types_of_ml_dtypes_are_tensors_on_the_same_memory(name):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    a = numpy.arange(12).reshape(3, 4).astype(getattr(ml_dtypes, name))
    x = tenstride.asarray(a[::-1, 1::2])
    assert (x.dtype, x.stride()) == (getattr(tenstride, name), (-4, 2))
    assert x.float().tolist() == a[::-1, 1::2].astype(numpy.float32).tolist()
    x[0, 0] = 5
    assert a[2, 1] == 5
    assert tenstride.tensor(a).data_ptr() != tenstride.asarray(a).data_ptr()
    found = tenstride.convert(a, "r c -> c r", dtype="float32", scale=2.0)
    same(found, 2 * a.T.astype(numpy.float32))


def test_types_that_tenstride_lacks_are_refused_with_what_to_write():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    with pytest.raises(TypeError, match=r"asarray: elements of NumPy's type int4 must be .* use \.astype\('float32'\)"):
        tenstride.asarray(numpy.zeros(3, ml_dtypes.int4))


def test_what_has_no_fixed_size_is_refused_by_name():
    with pytest.raises(TypeError, match=r"rearrange: elements must have a fixed size, which Python objects have not"):
        tenstride.rearrange(numpy.array([None, "a"]), "a -> a 1")
    with pytest.raises(TypeError, match="rearrange: a masked array must be filled"):
        tenstride.rearrange(numpy.ma.masked_array(dates()), "a b c -> c a b")
    with pytest.raises(TypeError, match="stack: arrays must be of one dtype"):
        tenstride.stack([dates(), dates().astype("datetime64[s]")])


def test_what_computes_refuses_them():
    with pytest.raises(TypeError, match="astype"):
        tenstride.astype(dates(), "float32")
    with pytest.raises(ValueError, match=r"reduce.*swapped bytes"):
        tenstride.reduce(numpy.arange(4, dtype=">f4"), "a ->", "sum")
