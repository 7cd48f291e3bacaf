# SPDX-License-Identifier: Apache-2.0
"""DLPack, as the array standard says it."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import weakref

import numpy
import pytest
import tenstride as torch
from memory import grows_by, held_bytes

CPU = (1, 0)


class Lent:
    """Another library's array: hands out a tensor's capsule, and remembers what it was asked."""

    def __init__(self, tensor, device=CPU, knows_arguments=True):
        self.tensor = tensor
        self.device = device
        self.knows_arguments = knows_arguments
        self.asked = []

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, **arguments):
        self.asked.append(arguments)
        if arguments and not self.knows_arguments:
            raise TypeError("__dlpack__() got an unexpected keyword argument")
        return self.tensor.__dlpack__(**arguments)


def capsule_name(capsule):
    return str(capsule).split('"')[1]


def test_capsule_is_named_by_its_form_and_renamed_when_taken():
    x = torch.arange(6)
    for version, name in [
        (None, "dltensor"),
        ((0, 8), "dltensor"),
        ((1, 0), "dltensor_versioned"),
        ((1, 1), "dltensor_versioned"),
        ((2, 0), "dltensor_versioned"),
    ]:
        capsule = x.__dlpack__(max_version=version)
        assert capsule_name(capsule) == name
        y = torch.from_dlpack(capsule)
        assert capsule_name(capsule) == f"used_{name}"
        assert y.data_ptr() == x.data_ptr()
        with pytest.raises(RuntimeError, match="must be used once"):
            torch.from_dlpack(capsule)


def test_device_is_the_cpu():
    assert torch.zeros(2).__dlpack_device__() == CPU
    with pytest.raises(BufferError, match="meta has no memory"):
        torch.empty(2, device="meta").__dlpack_device__()


def test_shares_memory_shape_and_strides():
    x = torch.arange(24).view(2, 3, 4)
    for view in [x, x.permute(2, 0, 1), x[1], x[:, 1:], x[0, 0, 0], x[:0], x.expand(5, 2, 3, 4), x[::-1]]:
        y = torch.from_dlpack(Lent(view))
        # A stride along which no step is taken is handed out as 1.
        strides = tuple(step if size > 1 else 1 for size, step in zip(view.shape, view.stride()))
        assert (y.shape, y.stride(), y.dtype) == (view.shape, strides, view.dtype)
        assert y.tolist() == view.tolist()
        if view.numel():
            assert y.data_ptr() == view.data_ptr()


@pytest.mark.parametrize("dtype", [value for value in vars(torch).values() if isinstance(value, torch.dtype)])
def test_every_dtype_goes_round(dtype):
    x = torch.ones(2, 3).to(dtype)
    y = torch.from_dlpack(Lent(x))
    assert y.dtype == dtype and y.data_ptr() == x.data_ptr()


def test_arguments_are_checked():
    x = torch.zeros(2)
    for stream in (True, 1.0, "1", object()):
        with pytest.raises(TypeError, match="stream must be an int or None"):
            x.__dlpack__(stream=stream)
    with pytest.raises(BufferError, match="cuda:0"):
        x.__dlpack__(dl_device=(2, 0))
    with pytest.raises(TypeError, match="max_version"):
        x.__dlpack__(max_version=1)
    with pytest.raises(TypeError, match="copy"):
        x.__dlpack__(copy=1)
    with pytest.raises(TypeError):
        x.__dlpack__(None, (1, 0))
    assert capsule_name(x.__dlpack__(dl_device=CPU, stream=None)) == "dltensor"


def test_copy_gives_memory_of_its_own():
    x = torch.arange(6).view(2, 3).T
    y = torch.from_dlpack(x.__dlpack__(max_version=(1, 0), copy=True))
    assert y.tolist() == x.tolist() and y.data_ptr() != x.data_ptr()
    assert torch.from_dlpack(Lent(x), copy=True).data_ptr() != x.data_ptr()
    assert torch.from_dlpack(Lent(x), copy=False).data_ptr() == x.data_ptr()
    assert torch.from_dlpack(x, copy=True).data_ptr() != x.data_ptr()


def test_asks_the_other_library_as_the_standard_says():
    x = torch.zeros(2)
    other = Lent(x)
    torch.from_dlpack(other)
    torch.from_dlpack(other, copy=True)
    torch.from_dlpack(other, device="cpu", copy=False)
    version = {"max_version": (1, 1)}
    assert other.asked == [version, {**version, "copy": True}, {**version, "dl_device": CPU, "copy": False}]


def test_a_library_that_knows_no_arguments_is_asked_without():
    x = torch.zeros(2)
    other = Lent(x, knows_arguments=False)
    assert torch.from_dlpack(other).data_ptr() == x.data_ptr()
    assert torch.from_dlpack(other, copy=True).data_ptr() != x.data_ptr()
    assert other.asked[1] == {}


def test_another_device_is_refused_by_name_before_anything_is_handed_over():
    other = Lent(torch.zeros(2), device=(2, 1))
    with pytest.raises(BufferError, match="a tensor on cuda:1 must be on the cpu"):
        torch.from_dlpack(other)
    assert other.asked == []
    with pytest.raises(ValueError, match="meta has no memory"):
        torch.from_dlpack(torch.zeros(2), device="meta")


def test_errors_of_the_other_library_come_through():
    class Broken(Lent):
        def __dlpack__(self, **arguments):
            raise ZeroDivisionError("broken")

    with pytest.raises(ZeroDivisionError, match="broken"):
        torch.from_dlpack(Broken(torch.zeros(2)))
    for stranger in [1, [1, 2], "x", object()]:
        with pytest.raises(TypeError, match="__dlpack__"):
            torch.from_dlpack(stranger)


def test_what_cannot_be_handed_out_is_a_buffer_error():
    with pytest.raises(BufferError, match="conjugate"):
        torch.ones(2, dtype=torch.complex64).conj().__dlpack__()
    with pytest.raises(BufferError, match="meta"):
        torch.empty(2, device="meta").__dlpack__(max_version=(1, 0))


def test_read_only_is_said_in_the_versioned_form_and_refused_in_the_old_one():
    a = numpy.arange(3)
    a.flags.writeable = False
    x = torch.from_numpy(a)
    y = torch.from_dlpack(x.__dlpack__(max_version=(1, 0)))
    with pytest.raises(RuntimeError, match="read-only"):
        y[0] = 1
    with pytest.raises(BufferError, match="read-only"):
        x.__dlpack__()


@pytest.mark.skipif(numpy.lib.NumpyVersion(numpy.__version__) < "2.1.0", reason="NumPy before 2.1: no versions")
def test_numpy_both_ways():
    a = numpy.arange(6, dtype="float32").reshape(2, 3)
    x = torch.from_dlpack(a.T)
    assert (x.shape, x.stride(), x.data_ptr()) == ((3, 2), (1, 3), a.ctypes.data)
    b = numpy.from_dlpack(x)
    assert numpy.shares_memory(a, b) and b.strides == a.T.strides
    assert numpy.from_dlpack(x, copy=True).base is not a
    a.flags.writeable = False
    frozen = torch.from_dlpack(a)
    with pytest.raises(RuntimeError, match="read-only"):
        frozen[0, 0] = 1
    assert not numpy.from_dlpack(frozen).flags.writeable


def test_what_was_handed_out_stays_in_place():
    x = torch.arange(4)
    y = torch.from_dlpack(Lent(x))
    with pytest.raises(RuntimeError, match="exported memory cannot grow"):
        x.resize_(1000)
    assert y.tolist() == [0, 1, 2, 3]


def test_each_side_keeps_the_memory_alive():
    x = torch.arange(1000)
    y = torch.from_dlpack(Lent(x[10:]))
    del x
    gc.collect()
    assert y.sum().item() == sum(range(10, 1000))

    class Array(numpy.ndarray):
        pass

    a = numpy.arange(1000).view(Array)
    gone = weakref.ref(a)
    x = torch.from_dlpack(a)
    view = x[5:].T
    del a, x
    gc.collect()
    assert gone() is not None and view[0].item() == 5
    del view
    gc.collect()
    assert gone() is None


def test_capsules_that_nobody_takes_leak_nothing():
    x = torch.zeros(1 << 10)

    def unused():
        x.__dlpack__(max_version=(1, 0))
        x.__dlpack__()

    def copied():
        torch.zeros(1 << 16).__dlpack__(max_version=(1, 0), copy=True)

    assert grows_by(unused, 10000) < 1 << 20
    assert grows_by(copied, 500) < 8 << 20


def test_exchange_leaks_nothing():
    x = torch.zeros(1 << 14)

    def refused():
        with contextlib.suppress(BufferError):
            torch.from_dlpack(Lent(x, device=(2, 0)))

    assert grows_by(lambda: torch.from_dlpack(Lent(x)), 10000) < 1 << 20
    assert grows_by(lambda: torch.from_dlpack(numpy.zeros(1 << 14)), 10000) < 1 << 20
    assert grows_by(refused, 10000) < 1 << 20
    assert held_bytes() > 0


class Structure(ctypes.Structure):
    """DLPack's versioned structure, as any library may make it."""

    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class Handmade:
    """A capsule made by hand; `given_back` counts the calls of its deleter."""

    def __init__(self, **changes):
        self.given_back = 0
        self.memory = (ctypes.c_float * 6)(*range(6))
        self.shape = (ctypes.c_int64 * 2)(*changes.pop("shape", (2, 3)))
        self.strides = (ctypes.c_int64 * 2)(*changes.pop("strides", (3, 1)))
        self.deleter = DELETER(self.give_back)
        facts = {
            "major": 1,
            "minor": 1,
            "flags": 0,
            "device_type": 1,
            "ndim": 2,
            "code": 2,
            "bits": 32,
            "lanes": 1,
            "data": ctypes.addressof(self.memory),
            **changes,
        }
        self.structure = Structure(
            deleter=ctypes.cast(self.deleter, ctypes.c_void_p), shape=self.shape, strides=self.strides, **facts
        )
        make = ctypes.pythonapi.PyCapsule_New
        make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        self.capsule = make(ctypes.addressof(self.structure), b"dltensor_versioned", None)

    def give_back(self, _):
        self.given_back += 1


def test_a_structure_is_given_back_once():
    made = Handmade()
    x = torch.from_dlpack(made.capsule)
    row = x[1]
    assert row.tolist() == [3, 4, 5] and capsule_name(made.capsule) == "used_dltensor_versioned"
    del x
    assert made.given_back == 0
    del row
    assert made.given_back == 1


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"major": 2}, "version 2.1 of DLPack must be 1.x"),
        ({"flags": 4}, "padded"),
        ({"device_type": 2, "device_id": 1}, "cuda:1"),
        ({"code": 3, "bits": 64}, "opaque handle"),
        ({"lanes": 4}, "4 lanes"),
        ({"ndim": -1}, "a rank of -1"),
        ({"ndim": 1 << 30}, "a rank of 1073741824"),
        ({"data": None}, "data must not be null"),
        ({"shape": (1 << 62, 1 << 62)}, "must fit a signed 64-bit integer"),
        ({"shape": (-1, 3)}, "-1"),
        ({"strides": (1 << 62, 1)}, "must fit a signed 64-bit integer"),
        ({"byte_offset": 1}, "multiple of 4 bytes"),
        ({"byte_offset": (1 << 64) - 4}, "inside the address space"),
    ],
)
def test_a_refused_structure_is_given_back_once(changes, said):
    made = Handmade(**changes)
    with pytest.raises(RuntimeError) as refused:
        torch.from_dlpack(made.capsule)
    assert said in str(refused.value) and made.given_back == 1
    with pytest.raises(RuntimeError, match="must be used once"):
        torch.from_dlpack(made.capsule)
    assert made.given_back == 1


def test_what_dlpack_cannot_carry_is_refused_as_the_standard_and_as_pytorch_say():
    for tensor in (torch.zeros(2, dtype=torch.complex64).conj(), torch.zeros(2, device="meta")):
        with pytest.raises(torch.ExportError) as refused:
            tensor.__dlpack__()
        assert issubclass(refused.type, BufferError) and issubclass(refused.type, RuntimeError)


def test_a_stride_that_no_step_is_taken_along_is_one():
    y = torch.zeros(16)[::3][:1]
    assert y.stride() == (3,)
    assert torch.from_dlpack(y).stride() == torch.from_dlpack(y.__dlpack__()).stride() == (1,)


def test_a_conjugate_view_of_our_own_is_refused_too():
    with pytest.raises(torch.ExportError, match="conjugate"):
        torch.from_dlpack(torch.ones(2, dtype=torch.complex64).conj())
