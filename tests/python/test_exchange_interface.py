# SPDX-License-Identifier: Apache-2.0
"""Arrays that have nothing but `__array_interface__` are read on their own memory, as NumPy does."""

from __future__ import annotations

import array
import gc
import re
import weakref

import numpy
import pytest
import tenstride as torch


class Described:
    """What has nothing but a description, and keeps what it describes."""

    def __init__(self, owner=None, **facts):
        self.owner = owner
        self.__array_interface__ = {"version": 3, **facts}


def described(a: numpy.ndarray) -> Described:
    return Described(a, **a.__array_interface__)


ARRAYS = [
    numpy.arange(6.0).reshape(2, 3),
    numpy.arange(6, dtype="i2").reshape(2, 3).T,
    numpy.arange(6)[::-2],
    numpy.array(5.0, "f4"),
    numpy.zeros((0, 3), "u8"),
    numpy.array([True, False]),
    numpy.array([1 + 2j, 3], "c8"),
    numpy.broadcast_to(numpy.arange(3), (2, 3)),
]


@pytest.mark.parametrize("a", ARRAYS, ids=lambda a: f"{a.dtype}-{a.shape}")
@pytest.mark.parametrize("make", [torch.as_tensor, torch.asarray])
def test_memory_and_strides_are_the_arrays(make, a):
    x = make(described(a))
    assert x.tolist() == a.tolist() and x.numpy().dtype == a.dtype
    assert a.size == 0 or x.data_ptr() == a.__array_interface__["data"][0]
    assert a.size == 0 or x.stride() == tuple(stride // a.itemsize for stride in a.strides)
    assert numpy.array_equal(numpy.asarray(described(a)), x.numpy())


def test_writing_follows_the_description():
    a = numpy.zeros(3)
    torch.asarray(described(a))[1] = 7
    assert a.tolist() == [0, 7, 0]
    a.flags.writeable = False
    with pytest.raises(RuntimeError, match="read-only"):
        torch.asarray(described(a))[1] = 8
    copy = torch.asarray(described(a), copy=True, dtype=torch.int64)
    copy[0] = 1
    assert copy.tolist() == [1, 7, 0] and a.tolist() == [0, 7, 0]


def test_data_may_be_a_buffer_with_an_offset():
    data = array.array("h", range(8))
    x = torch.asarray(Described(shape=(2, 3), typestr="<i2", data=data, offset=4))
    assert x.tolist() == [[2, 3, 4], [5, 6, 7]]
    x[0, 0] = 9
    assert data[2] == 9
    with pytest.raises(BufferError):
        data.append(1)
    image = Described(shape=(1, 2, 3), typestr="|u1", data=b"abcdef")
    assert torch.as_tensor(image).tolist() == [[[97, 98, 99], [100, 101, 102]]]
    with pytest.raises(RuntimeError, match="read-only"):
        torch.as_tensor(image)[0, 0, 0] = 1


def test_the_object_lives_as_long_as_the_tensor():
    given = described(numpy.arange(5000))
    gone = weakref.ref(given)
    x = torch.asarray(given)[10:20]
    del given
    gc.collect()
    assert gone() is not None and x.tolist() == list(range(10, 20))
    del x
    gc.collect()
    assert gone() is None


@pytest.mark.parametrize(
    ("facts", "kind", "said"),
    [
        ({"typestr": ">i4", "shape": (1,), "data": bytes(4)}, ValueError, ".astype(a.dtype.newbyteorder('='))"),
        (
            {"typestr": "|O8", "shape": (1,), "data": bytes(8)},
            TypeError,
            "'|O8' of an __array_interface__ must be numbers",
        ),
        ({"typestr": "<f8", "shape": (2,), "data": bytes(15)}, ValueError, "must have data of enough bytes (15"),
        ({"typestr": "<f4", "shape": (2,), "data": bytes(8), "strides": (-4,)}, ValueError, "data of enough bytes"),
        ({"typestr": "<f4", "shape": (2,), "data": bytes(8), "offset": 4}, ValueError, "data of enough bytes"),
        ({"typestr": "<f4", "shape": (-2,), "data": bytes(8)}, ValueError, "must have no negative size"),
        ({"typestr": "<f4", "shape": 2, "data": bytes(8)}, ValueError, "must have tuples as shape and strides"),
        ({"typestr": "<f4", "shape": (2,), "data": bytes(8), "strides": ()}, ValueError, "a stride for each axis"),
        (
            {"typestr": "<f4", "shape": (2,), "data": (0, False)},
            ValueError,
            "asarray: elements must lie at an address of memory (null, shape (2))",
        ),
        (
            {"typestr": "<f4", "shape": (2,), "data": (8, False)},
            ValueError,
            "asarray: elements must lie at an address of memory (8, shape (2))",
        ),
        (
            {"typestr": "<f4", "shape": (2,), "data": (2**63 + 8, False)},
            ValueError,
            "asarray: elements must lie at an address of memory",
        ),
        ({"typestr": "<f4", "shape": (2,), "data": (0, False, 1)}, ValueError, "data of an address and whether"),
        ({"typestr": "<f4", "shape": (2,), "data": bytes(8), "mask": 1}, ValueError, "must have no mask"),
        ({"shape": (2,), "data": bytes(8)}, ValueError, "must say its typestr"),
        ({"typestr": "<f4", "data": bytes(8)}, ValueError, "must have tuples as shape and strides"),
    ],
)
def test_descriptions_that_are_none_are_refused(facts, kind, said):
    with pytest.raises(kind, match=re.escape(said)):
        torch.asarray(Described(**facts))


def test_no_elements_may_lie_anywhere():
    """NumPy takes an address of 0 for an array without elements, too."""
    for address in (0, 8):
        given = Described(typestr="<f4", shape=(0, 3), data=(address, False))
        assert torch.asarray(given).shape == numpy.asarray(given).shape == (0, 3)


def test_a_copy_only_where_it_is_allowed():
    facts = {"typestr": "<f4", "shape": (1,), "data": memoryview(bytearray(8))[1:5]}
    assert torch.asarray(Described(**facts)).tolist() == [0]
    with pytest.raises(ValueError, match="must lie at a multiple of 4 bytes"):
        torch.asarray(Described(**facts), copy=False)
