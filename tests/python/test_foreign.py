# SPDX-License-Identifier: Apache-2.0
"""Operations on the arrays of others: the same kind comes back, on the same memory where a view will do."""

from __future__ import annotations

import array
import re

import numpy
import pytest
import tenstride
from hypothesis import given, settings, strategies as st

einops = pytest.importorskip("einops")

A = numpy.arange(24.0).reshape(2, 3, 4)


@pytest.mark.parametrize(
    ("pattern", "sizes", "is_view"),
    [
        ("a b c -> c a b", {}, True),
        ("a b c -> a (b c)", {}, True),
        ("a b c -> (a c) b", {}, False),
        ("a b (c d) -> d a b c", {"d": 2}, True),
        ("a b c -> a b c", {}, True),
        ("a b c -> a 1 b c", {}, True),
    ],
)
def test_rearrange_gives_einops_answer_on_the_same_memory_where_it_can(pattern, sizes, is_view):
    b = tenstride.rearrange(A, pattern, **sizes)
    assert type(b) is numpy.ndarray and numpy.array_equal(b, einops.rearrange(A, pattern, **sizes))
    assert numpy.shares_memory(A, b) is is_view
    x = tenstride.rearrange(tenstride.from_numpy(A), pattern, **sizes)
    assert isinstance(x, tenstride.Tensor) and numpy.array_equal(x.numpy(), b)


@settings(max_examples=100, deadline=None)
@given(st.permutations("abcd"), st.sampled_from(["sum", "mean", "max", "min", "prod"]), st.integers(0, 4))
def test_reduce_and_repeat_are_einops(axes, reduction, kept):
    a = numpy.arange(36.0).reshape(2, 3, 2, 3) % 7
    pattern = "a b c d -> " + " ".join(axes[:kept])
    assert numpy.allclose(tenstride.reduce(a, pattern, reduction), einops.reduce(a, pattern, reduction))
    pattern = "a b c d -> " + " ".join(axes[:2]) + " n " + " ".join(axes[2:])
    repeated = tenstride.repeat(a, pattern, n=3)
    assert numpy.array_equal(repeated, einops.repeat(a, pattern, n=3)) and numpy.shares_memory(a, repeated)


def test_copy_is_numpys_word():
    assert not numpy.shares_memory(A, tenstride.rearrange(A, "a b c -> c b a", copy=True))
    assert numpy.shares_memory(A, tenstride.rearrange(A, "a b c -> c b a", copy=False))
    with pytest.raises(ValueError, match="it takes 1 copy"):
        tenstride.rearrange(A, "a b c -> (c b) a", copy=False)
    with pytest.raises(TypeError, match="copy must be True, False or None"):
        tenstride.rearrange(A, "a b c -> c b a", copy=1)


def test_an_axis_may_be_named_copy():
    a = numpy.arange(6).reshape(2, 3)
    repeated = tenstride.repeat(a, "a b -> a b copy", copy=2)
    assert numpy.array_equal(repeated, einops.repeat(a, "a b -> a b copy", copy=2))
    assert numpy.shares_memory(a, repeated)
    split = tenstride.rearrange(a, "a (b copy) -> copy a b", copy=numpy.int64(3))
    assert numpy.array_equal(split, einops.rearrange(a, "a (b copy) -> copy a b", copy=3))
    assert tenstride.rearrange(a, "a copy -> copy a").shape == (3, 2)
    assert tenstride.reduce(a, "a (b copy) -> a copy", "sum", copy=3).tolist() == a.tolist()
    with pytest.raises(ValueError, match="copy=True must not stand beside an axis named copy"):
        tenstride.rearrange(a, "a copy -> copy a", copy=True)


REDUCED = [
    ("a b c -> a", {}),
    ("a b c -> c a", {}),
    ("a b c -> ", {}),
    ("a b c -> c b a", {}),
    ("a (b d) c -> a d 1", {"d": 3}),
    ("a b (c 2) -> (b a)", {}),
    ("... c -> c", {}),
    ("... c -> ...", {}),
    ("a ... -> a ()", {}),
    ("a b c -> () b", {}),
]


@pytest.mark.parametrize(("pattern", "lengths"), REDUCED)
def test_a_function_reduces_as_in_einops(pattern, lengths):
    a = numpy.arange(72.0).reshape(2, 9, 4) % 7
    wanted = einops.reduce(a, pattern, numpy.mean, **lengths)
    assert numpy.array_equal(tenstride.reduce(a, pattern, numpy.mean, **lengths), wanted)
    seen = []

    def mean(tensor, axes):
        seen.append((type(tensor), axes))
        return tensor.mean(axes)

    found = tenstride.reduce(tenstride.from_numpy(a), pattern, mean, **lengths)
    assert isinstance(found, tenstride.Tensor) and numpy.array_equal(found.numpy(), wanted)
    assert all(kind is tenstride.Tensor and isinstance(axes, tuple) for kind, axes in seen)


def test_a_function_reduces_a_list_and_bad_patterns_are_refused_before_it_is_called():
    parts = [A[0], A[1]]
    assert numpy.array_equal(
        tenstride.reduce(parts, "n a b -> a", numpy.sum), einops.reduce(parts, "n a b -> a", numpy.sum)
    )
    for pattern in ("a b c -> d", "a b -> a", "a b c", "a (b c -> a", "a (b 5) c -> a"):
        with pytest.raises((RuntimeError, ValueError)):
            tenstride.reduce(A, pattern, lambda *given: pytest.fail("called"))


def test_lists_count_as_one_array():
    parts = [A[0], A[1]]
    assert numpy.array_equal(tenstride.rearrange(parts, "n a b -> a n b"), einops.rearrange(parts, "n a b -> a n b"))
    assert numpy.array_equal(tenstride.reduce(parts, "n a b -> a", "sum"), A.sum((0, 2)))
    assert numpy.array_equal(tenstride.stack(parts, 1), numpy.stack(parts, 1))
    assert numpy.array_equal(tenstride.cat(parts, 1), numpy.concatenate(parts, 1))
    for join in [tenstride.concat, tenstride.concatenate]:
        assert numpy.array_equal(join(parts), numpy.concatenate(parts))
    with pytest.raises(TypeError, match=re.escape("stack: arrays must be of one kind (NumPy, tenstride)")):
        tenstride.stack([A, tenstride.from_numpy(A)])
    with pytest.raises(TypeError, match="cat: a list of arrays must be given"):
        tenstride.cat(A)


def test_pack_and_unpack():
    parts = [numpy.zeros((2, 3)), numpy.ones((2, 4, 5)), numpy.full(2, 2.0)]
    whole, shapes = tenstride.pack(parts, "b *")
    expected, _ = einops.pack(parts, "b *")
    assert numpy.array_equal(whole, expected) and [tuple(s) for s in shapes] == [(3,), (4, 5), ()]
    for part, again in zip(parts, tenstride.unpack(whole, shapes, "b *")):
        assert numpy.array_equal(part, again) and numpy.shares_memory(whole, again)
    assert tenstride.parse_shape(A, "a _ c") == {"a": 2, "c": 4}


def test_contiguous_permute_copy_and_astype():
    assert tenstride.contiguous(A) is A
    b = tenstride.contiguous(A.T)
    assert b.flags.c_contiguous and numpy.array_equal(b, A.T) and not numpy.shares_memory(A, b)
    image = numpy.zeros((2, 3, 4, 5))
    assert tenstride.contiguous(image, memory_format=tenstride.channels_last).strides == (480, 8, 120, 24)
    c = tenstride.permute_copy(A, (2, 0, 1))
    assert c.flags.c_contiguous and numpy.array_equal(c, A.transpose(2, 0, 1))
    for dtype in [tenstride.int16, "int16", numpy.int16, numpy.dtype("int16")]:
        assert tenstride.astype(A, dtype).dtype == "int16"
    assert tenstride.astype(A, float, copy=False) is A and tenstride.astype(A, float) is not A
    assert tenstride.astype(A, bool).dtype == bool
    with pytest.raises(TypeError, match="astype: dtype must be one of tenstride's types"):
        tenstride.astype(A, "datetime64[s]")
    with pytest.raises(TypeError, match="NumPy has no bfloat16"):
        tenstride.astype(A, tenstride.bfloat16)


def test_negative_steps_and_read_only_arrays():
    a = A[:, ::-1]
    b = tenstride.rearrange(a, "a b c -> b a c")
    assert numpy.array_equal(b, a.transpose(1, 0, 2)) and numpy.shares_memory(a, b)
    frozen = A.copy()
    frozen.flags.writeable = False
    assert not tenstride.rearrange(frozen, "a b c -> c b a").flags.writeable
    assert tenstride.permute_copy(frozen, (0, 2, 1)).flags.writeable


def test_buffers_give_memoryviews():
    given_buffer = array.array("i", range(6))
    b = tenstride.rearrange(given_buffer, "(h w) -> w h", h=2)
    assert type(b) is memoryview and b.tolist() == [[0, 3], [1, 4], [2, 5]]
    given_buffer[3] = 30
    assert b[0, 1] == 30
    assert tenstride.contiguous(b).tolist() == b.tolist()


class Library:
    """An array of a library that speaks DLPack."""

    def __init__(self, tensor):
        self.tensor = tensor

    def __dlpack__(self, **arguments):
        return self.tensor.__dlpack__(**arguments)

    def __dlpack_device__(self):
        return self.tensor.__dlpack_device__()

    def __array_namespace__(self):
        class Namespace:
            from_dlpack = staticmethod(lambda other: Library(tenstride.from_dlpack(other)))

        return Namespace


def test_what_speaks_dlpack_comes_back_through_its_own_library():
    x = Library(tenstride.arange(6).view(2, 3))
    y = tenstride.rearrange(x, "a b -> b a")
    assert type(y) is Library and y.tensor.shape == (3, 2) and y.tensor.data_ptr() == x.tensor.data_ptr()


def test_strangers_are_refused():
    for stranger in [5, "text", object()]:
        with pytest.raises(TypeError, match="rearrange: a tensor, or an array that speaks DLPack"):
            tenstride.rearrange(stranger, "a -> a")
    with pytest.raises(ValueError, match=re.escape(".astype(a.dtype.newbyteorder('='))")):
        tenstride.reduce(numpy.zeros((2, 3), ">f4"), "a b -> b", "sum")


def test_explanations_know_where_a_view_lies():
    a = numpy.zeros((4, 6), "f4")
    view = a[1:3, ::2].T
    assert "(3,2):(2,6)+6 float32" in str(tenstride.explain(view))
    why = tenstride.why_not_view(view, (6,))
    assert "(3,2):(2,6)+6" in str(why) and tenstride.why_not_view(a, (24,)) is None
    assert tenstride.why_not_contiguous(a) is None and tenstride.why_not_contiguous(view)
    assert tenstride.show(view).to_svg().startswith("<svg")
    assert "(2,3):(-3,-1)+5" in str(tenstride.explain(numpy.arange(6).reshape(2, 3)[::-1, ::-1]))
    assert tenstride.explain("x.T.reshape(-1)", x=a).copies == 1
