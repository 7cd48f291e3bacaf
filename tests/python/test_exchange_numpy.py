# SPDX-License-Identifier: Apache-2.0
"""Tensors of NumPy's arrays and arrays of tensors."""

from __future__ import annotations

import gc
import re
import sys
import threading
import time
import weakref

import numpy
import pytest
import tenstride as torch
from hypothesis import given, settings, strategies as st
from memory import grows_by

DTYPES = [
    "bool",
    "uint8",
    "int8",
    "uint16",
    "int16",
    "uint32",
    "int32",
    "uint64",
    "int64",
    "float16",
    "float32",
    "float64",
    "complex64",
    "complex128",
]


@st.composite
def views(draw):
    """A view of an array: axes moved, sliced with steps of either sign, sometimes repeated."""
    shape = draw(st.lists(st.integers(0, 5), max_size=4))
    dtype = draw(st.sampled_from(DTYPES))
    count = int(numpy.prod(shape))
    a = (numpy.arange(count) % 120).astype(dtype).reshape(shape, order=draw(st.sampled_from("CF")))
    step = st.integers(-3, 3).filter(lambda n: n != 0)
    bound = st.one_of(st.none(), st.integers(-6, 6))
    index = tuple(slice(draw(bound), draw(bound), draw(step)) for _ in shape)
    a = a[(..., *index)].transpose(draw(st.permutations(range(len(shape)))))
    if draw(st.booleans()):
        a = numpy.broadcast_to(a, (draw(st.integers(1, 3)), *a.shape))
    return a


#: Before 2.1 NumPy's DLPack has no versions, no bool and nothing read-only.
HAS_VERSIONS = numpy.lib.NumpyVersion(numpy.__version__) >= "2.1.0"


def same_place(a, b):
    return a.size == 0 or a.__array_interface__["data"][0] == b.__array_interface__["data"][0]


def axes_that_count(a):
    return [(size, step) for size, step in zip(a.shape, a.strides) if size > 1]


@settings(max_examples=400, deadline=None)
@given(views())
def test_there_and_back_is_the_same_view(a):
    x = torch.from_numpy(a)
    assert tuple(x.shape) == a.shape and str(x.dtype) == f"torch.{a.dtype}"
    assert [step * a.itemsize for step in x.stride()] == list(a.strides)
    if a.size:
        assert x.data_ptr() == a.__array_interface__["data"][0]
    assert x.tolist() == a.tolist()
    for b in [x.numpy(), numpy.asarray(x), *([numpy.from_dlpack(x)] if HAS_VERSIONS else [])]:
        assert b.dtype == a.dtype and b.shape == a.shape and same_place(a, b)
        assert numpy.array_equal(a, b)
        assert axes_that_count(b) == axes_that_count(a) or a.size == 0
        assert b.flags.writeable == a.flags.writeable or a.size == 0


@settings(max_examples=200, deadline=None)
@given(views())
def test_copies_are_equal_and_apart(a):
    by_dlpack = [torch.from_dlpack(a, copy=True)] if HAS_VERSIONS else []
    for x in [torch.tensor(a), torch.asarray(a, copy=True), *by_dlpack]:
        assert x.tolist() == a.tolist() and str(x.dtype) == f"torch.{a.dtype}"
        assert not numpy.may_share_memory(x.numpy(), a) or a.size == 0


@settings(max_examples=200, deadline=None)
@given(views(), st.sampled_from(DTYPES))
def test_conversions_are_numpys(a, dtype):
    drops_imaginary = a.dtype.kind == "c" and not dtype.startswith("complex")
    expected = (a.real if drops_imaginary else a).astype(dtype)
    assert torch.asarray(a, dtype=getattr(torch, dtype)).tolist() == expected.tolist()


def test_writes_are_seen_on_both_sides():
    a = numpy.zeros((2, 3))
    x = torch.from_numpy(a)
    x[0, 0] = 1
    a[1, 2] = 2
    x.numpy()[0, 1] = 3
    assert x.tolist() == a.tolist() == [[1, 3, 0], [0, 0, 2]]


def test_numbers_and_rank_zero():
    assert torch.from_numpy(numpy.array(5)).shape == ()
    assert torch.asarray(numpy.float32(2.5)).dtype == torch.float32
    assert torch.as_tensor(numpy.int16(3)).dtype == torch.int16
    assert torch.tensor(5).numpy().shape == ()
    assert torch.zeros(0, 3).numpy().shape == (0, 3)
    with pytest.raises(ValueError, match="a copy must be allowed"):
        torch.asarray(numpy.float32(1), copy=False)


def test_from_numpy_wants_an_array():
    for stranger in [[1, 2], 5, b"abc", numpy.float32(1)]:
        with pytest.raises(TypeError, match=re.escape("from_numpy: a numpy.ndarray must be given")):
            torch.from_numpy(stranger)


def test_read_only_arrays_give_read_only_tensors():
    a = numpy.arange(3)
    a.flags.writeable = False
    x = torch.from_numpy(a)
    for write in [lambda: x.fill_(1), lambda: x.view(3, 1).add_ if False else x.view(3, 1).fill_(1)]:
        with pytest.raises(RuntimeError, match="read-only"):
            write()
    with pytest.raises(RuntimeError, match="read-only"):
        x[0] = 1
    assert not x.numpy().flags.writeable and a.tolist() == [0, 1, 2]
    assert torch.tensor(a).fill_(1).tolist() == [1, 1, 1]


STRUCTURE = numpy.zeros(4, [("a", "u1"), ("b", "f4")])  # b lies at byte 1, every 5 bytes
ODD = numpy.frombuffer(bytearray(range(33)), "u1")[1:].view("f4")  # begins at an odd address


@pytest.mark.parametrize("a", [STRUCTURE["b"], ODD, ODD[::-2]])
def test_unaligned_elements_are_copied_where_a_copy_is_allowed_and_refused_where_not(a):
    for refused in [lambda: torch.from_numpy(a), lambda: torch.asarray(a, copy=False)]:
        with pytest.raises(ValueError, match=re.escape("use a copy instead, as .copy() gives")):
            refused()
    for x in [torch.asarray(a), torch.as_tensor(a), torch.tensor(a), torch.from_numpy(a.copy())]:
        assert numpy.array_equal(x.numpy(), a, equal_nan=True)


def test_swapped_bytes_are_refused_with_the_fix():
    a = numpy.arange(4, dtype=">i4")
    for refused in [torch.from_numpy, torch.asarray, torch.tensor]:
        with pytest.raises(ValueError, match=re.escape(".astype(a.dtype.newbyteorder('='))")):
            refused(a)
    assert torch.from_numpy(a.astype(a.dtype.newbyteorder("="))).tolist() == [0, 1, 2, 3]


def test_fortran_order_keeps_its_strides():
    a = numpy.asfortranarray(numpy.arange(6).reshape(2, 3))
    x = torch.from_numpy(a)
    assert x.stride() == (1, 2) and x.tolist() == a.tolist() and x.numpy().flags.f_contiguous


def test_numpy_refuses_what_numpy_has_not():
    for x, kind, said in [
        (
            torch.zeros(2, dtype=torch.bfloat16),
            TypeError,
            "use .to(torch.float32).numpy(), or .view(torch.uint16)",
        ),
        (torch.zeros(2, dtype=torch.float8_e5m2), TypeError, ".view(torch.uint8).numpy() for the bits"),
        (torch.empty(2, device="meta"), TypeError, "must be on the cpu"),
        (torch.ones(2, dtype=torch.complex64).conj(), RuntimeError, "use .resolve_conj().numpy()"),
    ]:
        for call in [x.numpy, x.__array__, lambda x=x: numpy.asarray(x)]:
            with pytest.raises(kind, match=re.escape(said)):
                call()
    x = torch.tensor([1 + 2j]).conj()
    assert x.numpy(force=True).tolist() == [1 - 2j]
    assert torch.zeros(2).numpy(force=True).tolist() == [0, 0]


def test_array_protocol():
    x = torch.arange(3)
    assert numpy.shares_memory(x.__array__(), x.numpy())
    assert numpy.shares_memory(x.__array__(copy=False), x.numpy())
    assert not numpy.shares_memory(x.__array__(copy=True), x.numpy())
    assert x.__array__("float32").dtype == "float32"
    assert numpy.asarray(x, dtype="int64").base is not None
    with pytest.raises(ValueError, match="a copy must be allowed to convert int64 to float32"):
        x.__array__("float32", copy=False)
    assert numpy.add(x, 1).tolist() == [1, 2, 3]
    assert (numpy.ones((2, 3)) @ numpy.asarray(x).astype(float)).tolist() == [3, 3]


def test_array_interface():
    x = torch.zeros(2, 3, dtype=torch.int16).T
    facts = x.__array_interface__
    assert facts == {
        "version": 3,
        "typestr": "<i2" if sys.byteorder == "little" else ">i2",
        "shape": (3, 2),
        "strides": (2, 6),
        "data": (x.data_ptr(), False),
    }

    class Other:
        def __init__(self, x):
            self.__array_interface__ = x.__array_interface__

    assert numpy.asarray(Other(x)).ctypes.data == x.data_ptr()
    for stranger in [torch.zeros(2, dtype=torch.bfloat16), torch.empty(2, device="meta")]:
        assert not hasattr(stranger, "__array_interface__")


def test_as_tensor_and_asarray():
    a = numpy.arange(4)
    assert torch.as_tensor(a).data_ptr() == a.ctypes.data
    assert torch.as_tensor(a, dtype=torch.float32).tolist() == [0, 1, 2, 3]
    x = torch.zeros(2)
    assert torch.as_tensor(x) is x and torch.asarray(x) is x and torch.asarray(x, copy=True) is not x
    assert torch.asarray(x, dtype=torch.float64).dtype == torch.float64
    assert torch.asarray([[1, 2], [3, 4]]).shape == (2, 2) and torch.asarray(3.5).item() == 3.5
    assert torch.asarray(a, device="meta").device.type == "meta"
    for refused in [
        lambda: torch.asarray([1], copy=False),
        lambda: torch.asarray(a, dtype=torch.int8, copy=False),
    ]:
        with pytest.raises(ValueError, match="a copy must be allowed"):
            refused()
    with pytest.raises(TypeError, match="dtype must"):
        torch.asarray(a, dtype=5)


def test_arrays_stand_where_tensors_do():
    x = torch.zeros(4)
    x[numpy.array([1, 3])] = 1
    assert x.tolist() == [0, 1, 0, 1]
    x[numpy.array([True, False, False, False])] = 5
    assert x.tolist() == [5, 1, 0, 1]
    x[:2] = numpy.array([8.0, 9.0])
    assert x.tolist() == [8, 9, 0, 1]
    assert torch.tensor(numpy.array([1.5])).dtype == torch.float64
    assert torch.tensor(numpy.array([1, 2], "i2"), dtype=torch.float32).dtype == torch.float32


def test_the_array_keeps_the_storage_alive():
    a = torch.arange(1000)[10:].numpy()
    gc.collect()
    junk = [torch.zeros(1000, dtype=torch.int64) for _ in range(100)]
    assert a.tolist() == list(range(10, 1000)) and len(junk) == 100


@pytest.mark.parametrize(
    "take", [torch.from_numpy, torch.asarray, torch.from_dlpack, lambda a: torch.frombuffer(a, dtype=torch.int64)]
)
def test_memory_is_read_when_its_array_is_gone(take):
    view = take(numpy.arange(5000)).view(50, 100)[::7, 3]
    gc.collect()
    junk = [numpy.zeros(5000, "i8") for _ in range(20)]
    assert view.tolist() == list(range(3, 5000, 700)) and len(junk) == 20
    array = view.numpy()
    del view
    gc.collect()
    assert array.tolist() == list(range(3, 5000, 700))


def test_the_tensor_keeps_the_array_alive_and_lets_it_go():
    class Array(numpy.ndarray):
        pass

    a = numpy.arange(10).view(Array)
    gone = weakref.ref(a)
    view = torch.from_numpy(a)[3:].view(7, 1)
    b = view.numpy()
    del a
    gc.collect()
    assert gone() is not None
    del view
    gc.collect()
    assert gone() is not None and b[0, 0] == 3
    del b
    gc.collect()
    assert gone() is None


def test_the_last_view_may_go_in_another_thread():
    class Array(numpy.ndarray):
        pass

    a = numpy.arange(10).view(Array)
    gone = weakref.ref(a)
    held = [torch.from_numpy(a)]
    del a
    thread = threading.Thread(target=held.clear)
    thread.start()
    thread.join()
    gc.collect()
    assert gone() is None


def test_exchange_leaks_nothing():
    a = numpy.zeros(1 << 12)
    x = torch.zeros(1 << 12)
    loops = [
        lambda: torch.from_numpy(a),
        lambda: torch.from_numpy(numpy.zeros(1 << 12)),
        lambda: x.numpy(),
        lambda: torch.zeros(1 << 12).numpy(),
        lambda: numpy.asarray(x),
        lambda: x.__array__(copy=True),
        lambda: x.__array_interface__,
        lambda: torch.tensor(a),
        lambda: torch.asarray(STRUCTURE["b"]),
    ]
    for loop in loops:
        assert grows_by(loop, 10000) < 2 << 20


@pytest.fixture
def no_forced_switches():
    """A thread keeps the interpreter until it gives it up by itself, however long it takes."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1000)
    yield
    sys.setswitchinterval(before)


def loops_meanwhile(work):
    """How many loops another Python thread makes while `work()` runs: none unless `work` gives up the interpreter."""
    loops = 0
    started, stop = threading.Event(), threading.Event()

    def count():
        nonlocal loops
        started.set()
        while not stop.is_set():
            loops += 1
            time.sleep(0)

    thread = threading.Thread(target=count)
    thread.start()
    started.wait()
    before = loops
    work()
    after = loops
    stop.set()
    thread.join()
    return after - before


def test_no_thread_runs_while_another_keeps_the_interpreter(no_forced_switches):
    assert loops_meanwhile(lambda: sum(range(1000000))) == 0


@pytest.mark.parametrize("name", ["clone", "contiguous", "tensor", "asarray", "dlpack", "array", "rearrange"])
def test_other_threads_run_during_a_large_copy(name, no_forced_switches):
    a = numpy.zeros((4096, 4096), "f4")
    x = torch.from_numpy(a)
    work = {
        "clone": lambda: x.clone(),
        "contiguous": lambda: x.T.contiguous(),
        "tensor": lambda: torch.tensor(a),
        "asarray": lambda: torch.asarray(a, dtype=torch.float64),
        "dlpack": lambda: x.__dlpack__(copy=True),
        "array": lambda: x.__array__(copy=True),
        "rearrange": lambda: torch.rearrange(a, "h w -> w h", copy=True),
    }[name]
    # On a busy machine the other thread may be given no processor during one copy.
    assert any(loops_meanwhile(work) for _ in range(200)), f"{name}: no other thread ran"


def test_copies_stand_in_the_ledger_with_the_users_line_and_can_be_forbidden():
    a = numpy.arange(6, dtype="f4").reshape(2, 3)
    x = torch.from_numpy(a)
    copying = [
        lambda: torch.tensor(a),
        lambda: torch.asarray(a, copy=True),
        lambda: torch.asarray(a, dtype=torch.float64),
        lambda: torch.asarray(STRUCTURE["b"]),
        lambda: torch.from_dlpack(x, copy=True),
        lambda: x.__dlpack__(copy=True),
        lambda: x.__array__(copy=True),
        lambda: torch.rearrange(a, "h w -> (w h)"),
        lambda: torch.contiguous(a.T),
        lambda: torch.stack([a, a]),
    ]
    for copy in copying:
        with torch.CopyLedger() as ledger:
            copy()
        entries = [entry for entry in ledger.entries if entry["kind"] == "copy"]
        assert entries
        for entry in entries:
            assert __file__.endswith(entry["file"]) and entry["line"] == copy.__code__.co_firstlineno
        with torch.NoCopy(), pytest.raises(torch.NoCopyError):
            copy()
    with torch.NoCopy():
        numpy.from_dlpack(torch.asarray(a)) if HAS_VERSIONS else numpy.asarray(torch.asarray(a))
        torch.rearrange(memoryview(x), "h w -> w h")
