# SPDX-License-Identifier: Apache-2.0
"""The buffer protocol (PEP 3118), both ways, without NumPy's help where it can be done without."""

from __future__ import annotations

import array
import contextlib
import ctypes
import gc
import mmap
import re
import sys

import numpy
import pytest
import tenstride as torch
from memory import grows_by

FORMATS = {
    torch.bool: "?",
    torch.uint8: "B",
    torch.int8: "b",
    torch.uint16: "H",
    torch.int16: "h",
    torch.uint32: "I",
    torch.int32: "i",
    torch.uint64: "L",
    torch.int64: "l",
    torch.float16: "e",
    torch.float32: "f",
    torch.float64: "d",
    torch.complex64: "Zf",
    torch.complex128: "Zd",
}


@pytest.mark.parametrize("dtype", FORMATS)
def test_hands_out_format_shape_and_byte_strides(dtype):
    x = torch.ones(2, 3).to(dtype).T
    view = memoryview(x)
    size = dtype.itemsize
    assert view.format == FORMATS[dtype] and view.itemsize == size
    assert view.shape == (3, 2) and view.strides == (size, 3 * size)
    assert not view.readonly and view.nbytes == 6 * size


#: Layouts of which some axes have one element, or none.
SHORT_AXES = [
    ((1,), (3,)),
    ((1, 4), (9, 2)),
    ((4, 1), (2, 5)),
    ((4, 1), (1, 7)),
    ((1, 4, 1), (3, 1, 8)),
    ((2, 1, 3), (3, 50, 1)),
    ((3, 1, 2), (1, 50, 3)),
    ((2, 1, 3), (8, 50, 1)),
    ((1, 1), (6, 5)),
    ((0, 3), (3, 1)),
    ((3, 0), (1, 1)),
    ((2, 0, 1), (7, 5, 3)),
    ((), ()),
    ((2, 3), (1, 2)),
    ((3, 2), (1, 1)),
    ((3, 2), (0, 1)),
]


@pytest.mark.parametrize(("shape", "strides"), SHORT_AXES)
@pytest.mark.parametrize("dtype", [torch.uint8, torch.int32, torch.complex128])
def test_strides_along_short_axes_are_those_that_numpy_hands_out(shape, strides, dtype):
    x = torch.zeros(64, dtype=dtype).as_strided(shape, strides)
    size = dtype.itemsize
    a = numpy.lib.stride_tricks.as_strided(numpy.zeros(64, str(dtype)[6:]), shape, [size * step for step in strides])
    mine, numpys = memoryview(x), memoryview(a)
    for name in ("shape", "strides", "ndim", "nbytes", "c_contiguous", "f_contiguous", "contiguous"):
        assert getattr(mine, name) == getattr(numpys, name), name
    assert x.__array_interface__["strides"] == a.__array_interface__["strides"]
    assert x.numpy().strides == a.strides


def test_elements_are_the_tensors():
    x = torch.arange(6, dtype=torch.int32).view(2, 3)
    view = memoryview(x)
    view[1, 2] = 50
    assert x[1, 2].item() == 50 and view.tolist() == [[0, 1, 2], [3, 4, 50]]


@pytest.mark.parametrize(
    "index",
    [
        (),
        (0,),
        (0, 0, 0),
        (slice(None, None, -1),),
        (slice(0, 0),),
        (..., slice(1, 3)),
        (slice(None), slice(None, None, -2), slice(None, None, -3)),
    ],
)
def test_every_layout_reads_the_same_elements(index):
    x = torch.arange(24, dtype=torch.int32).view(2, 3, 4)[index]
    assert memoryview(x).tolist() == x.tolist()
    assert memoryview(x).tobytes() == x.contiguous().numpy().tobytes()


def test_who_asks_for_an_order_gets_it_or_is_refused():
    rows = torch.zeros(2, 3)
    assert bytes(rows) == bytes(24)  # asks for plain bytes
    assert ctypes.c_float.from_buffer(rows).value == 0.0  # asks to write
    for x in [rows.T, rows[:, ::2], rows[::-1]]:
        with pytest.raises(BufferError, match="must be row-major"):
            hash_of_plain_bytes(x)
    assert numpy.frombuffer(rows[1:], dtype="float32").shape == (3,)


def hash_of_plain_bytes(x):
    import hashlib

    return hashlib.sha256(x).hexdigest()


def test_what_has_no_name_there_is_refused_with_the_fix():
    for x, said in [
        (
            torch.zeros(2, dtype=torch.bfloat16),
            "bfloat16 have no name in the buffer protocol (shape (2)); use .to(",
        ),
        (torch.zeros(2, dtype=torch.float8_e5m2), "float8_e5m2 have no name"),
        (torch.zeros(2, dtype=torch.complex64).conj(), "use .resolve_conj() first"),
        (torch.empty(2, device="meta"), "a tensor on meta has no memory"),
    ]:
        with pytest.raises(BufferError, match=re.escape(said)):
            memoryview(x)


def test_read_only_stays_read_only():
    x = torch.asarray(b"abc")
    view = memoryview(x)
    assert view.readonly and view.tolist() == [97, 98, 99]
    with pytest.raises(TypeError, match="not writable"):
        ctypes.c_char.from_buffer(x)
    with open("/dev/zero", "rb") as zeros, pytest.raises(TypeError, match="read-write"):
        zeros.readinto(x)


def test_the_view_keeps_the_storage_and_the_storage_its_place():
    x = torch.arange(5)
    view = memoryview(x)
    with pytest.raises(RuntimeError, match="exported memory cannot grow"):
        x.resize_(100)
    x.set_(torch.zeros(2, dtype=torch.int64))
    del x
    gc.collect()
    assert view.tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    ("given", "dtype"),
    [
        (b"abcd", torch.uint8),
        (bytearray(b"abcd"), torch.uint8),
        (memoryview(b"abcd").cast("c"), torch.uint8),
        (memoryview(bytearray(8)).cast("?"), torch.bool),
        (array.array("b", [1, -2]), torch.int8),
        (array.array("h", [1, -2]), torch.int16),
        (array.array("H", [1, 2]), torch.uint16),
        (array.array("i", [1, -2]), torch.int32),
        (array.array("I", [1, 2]), torch.uint32),
        (array.array("l", [1, -2]), torch.int64),
        (array.array("L", [1, 2]), torch.uint64),
        (array.array("q", [1, -2]), torch.int64),
        (array.array("Q", [1, 2]), torch.uint64),
        (array.array("f", [1.5, -2]), torch.float32),
        (array.array("d", [1.5, -2]), torch.float64),
        ((ctypes.c_int16 * 3)(1, 2, 3), torch.int16),
        ((ctypes.c_double * 3 * 2)((1, 2, 3), (4, 5, 6)), torch.float64),
    ],
)
def test_takes_any_buffer_as_its_format_says(given, dtype):
    x = torch.asarray(given)
    assert x.dtype == dtype
    expected = [list(row) for row in given] if x.dim() == 2 else list(given)
    if isinstance(expected[0], bytes):
        expected = [entry[0] for entry in expected]
    assert x.tolist() == expected


def test_writes_reach_the_buffer():
    given = bytearray(4)
    torch.asarray(given)[1] = 7
    assert given == b"\0\7\0\0"
    with pytest.raises(BufferError):
        held = torch.asarray(given)
        given.append(1)
    del held
    gc.collect()
    given.append(1)  # given back with the tensor


def test_standard_sizes_and_native_ones():
    # ctypes writes '<'; struct's '=l' is 4 bytes, '@l' is C's long.
    assert torch.asarray(memoryview(bytearray(16)).cast("@l")).dtype == torch.int64
    order = numpy.dtype("<i4").newbyteorder("=")
    assert torch.asarray(memoryview(numpy.zeros(2, order))).dtype == torch.int32


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (numpy.zeros(2, "i4,f4"), "structures, whose fields must be given one by one"),
        (numpy.zeros(2, object), "Python objects"),
        (numpy.zeros(2, "S3"), "byte strings"),
        (numpy.zeros(2, "U3"), "text"),
        (numpy.zeros(2, "longdouble"), "use .astype('float64') first"),
        (numpy.zeros(2, "clongdouble"), "use .astype('complex128') first"),
        (numpy.zeros(2, "M8[s]"), "elements of datetime64 must be numbers; use .view('int64') first"),
        (array.array("w" if sys.version_info >= (3, 13) else "u", "ab"), "text"),
    ],
)
def test_what_is_no_number_is_refused_with_the_fix(given, said):
    with pytest.raises(TypeError, match=re.escape(said)):
        torch.asarray(given)


def test_swapped_bytes_are_refused_with_the_fix():
    with pytest.raises(ValueError, match=re.escape("use .astype(a.dtype.newbyteorder('=')) first")):
        torch.asarray(memoryview(numpy.zeros(2, ">i4")))


class Frombuffer:
    data = bytearray(range(16))


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"dtype": torch.uint8}, list(range(16))),
        ({"dtype": torch.uint8, "count": 3}, [0, 1, 2]),
        ({"dtype": torch.uint8, "count": 3, "offset": 13}, [13, 14, 15]),
        ({"dtype": torch.int16, "count": 2}, [0x0100, 0x0302]),
        ({"dtype": torch.int32, "offset": 8}, [0x0B0A0908, 0x0F0E0D0C]),
    ],
)
def test_frombuffer_reads_bytes_as_elements(arguments, expected):
    x = torch.frombuffer(Frombuffer.data, **arguments)
    assert x.tolist() == expected and x.dtype == arguments["dtype"]


@pytest.mark.parametrize(
    ("given", "arguments", "said"),
    [
        (b"", {}, "both the buffer's length (0) and count (-1) must not be 0"),
        (b"abcd", {"count": 0}, "both the buffer's length (4) and count (0) must not be 0"),
        (b"abcd", {"offset": 4}, "offset 4 must be in 0..3 (the buffer has 4 bytes)"),
        (b"abcd", {"offset": -1}, "offset -1 must be in 0..3 (the buffer has 4 bytes)"),
        (b"abcdef", {}, "the 6 bytes behind offset 0 must be a multiple of 4, the bytes of int32"),
        (b"abcdefgh", {"count": 3}, "3 elements of int32 need 2 at most (8 bytes behind offset 0)"),
        (
            bytearray(8),
            {"offset": 1, "count": 1},
            "must leave the elements at a multiple of 4 bytes for int32",
        ),
        ([1, 2], {}, "an object with the buffer protocol must be given (list)"),
    ],
)
def test_frombuffer_refuses_what_does_not_fit(given, arguments, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        torch.frombuffer(given, dtype=torch.int32, **arguments)


def test_frombuffer_shares_and_keeps_alive(tmp_path):
    path = tmp_path / "bytes"
    path.write_bytes(bytes(range(8)))
    with open(path, "r+b") as file, mmap.mmap(file.fileno(), 0) as mapped:
        x = torch.frombuffer(mapped, dtype=torch.uint8)
        x[0] = 9
        assert mapped[0] == 9
        with pytest.raises(BufferError):
            mapped.close()
        del x
        gc.collect()
    x = torch.frombuffer(b"abcd", dtype=torch.uint8)
    with pytest.raises(RuntimeError, match="read-only"):
        x[0] = 1
    with pytest.raises(TypeError, match="dtype"):
        torch.frombuffer(b"abcd")


def test_buffers_leak_nothing():
    x = torch.zeros(1 << 12)
    data = bytearray(1 << 12)

    def refused():
        with contextlib.suppress(BufferError):
            memoryview(x.to(torch.bfloat16))

    assert grows_by(lambda: memoryview(x).release(), 10000) < 1 << 20
    assert grows_by(lambda: memoryview(torch.zeros(1 << 12)), 10000) < 1 << 20
    assert grows_by(lambda: torch.asarray(data), 10000) < 1 << 20
    assert grows_by(lambda: torch.frombuffer(data, dtype=torch.float32), 10000) < 1 << 20
    assert grows_by(refused, 10000) < 1 << 20
