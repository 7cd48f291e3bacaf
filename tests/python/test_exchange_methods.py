# SPDX-License-Identifier: Apache-2.0
"""Objects that become arrays by `__array__` or `__array_interface__`, masked arrays, images, the numbers of NumPy."""

import numpy
import pytest
import tenstride
from PIL import Image


class OnlyArray:
    """What pandas, h5py and zarr are to NumPy."""

    def __init__(self, array, shares=True):
        self.array = array
        self.shares = shares

    def __array__(self, dtype=None, copy=None):
        if copy is False and not self.shares:
            raise ValueError("a copy is needed")
        return self.array if self.shares else self.array.copy()


@pytest.mark.parametrize("dtype", ["uint8", "int16", "int64", "float16", "float64", "complex128", "bool"])
def test_the_dtype_of_an_array_method_is_honoured(dtype):
    array = numpy.array([0, 1, 1]).astype(dtype)
    for made in (tenstride.asarray(OnlyArray(array)), tenstride.tensor(OnlyArray(array))):
        assert str(made.dtype) == f"torch.{dtype}"
        assert made.tolist() == array.tolist()


def test_no_digit_is_lost():
    assert tenstride.asarray(OnlyArray(numpy.array([16777217.0]))).tolist() == [16777217.0]


def test_memory_is_shared_where_the_method_shares_it():
    array = numpy.zeros(3)
    tenstride.asarray(OnlyArray(array), copy=False)[1] = 5
    assert array.tolist() == [0, 5, 0]
    with pytest.raises(ValueError, match="copy"):
        tenstride.asarray(OnlyArray(array, shares=False), copy=False)


def test_verbs_give_numpys_arrays():
    made = tenstride.rearrange(OnlyArray(numpy.arange(6).reshape(2, 3)), "a b -> b a")
    assert type(made) is numpy.ndarray and made.tolist() == [[0, 3], [1, 4], [2, 5]]
    assert tenstride.reduce(OnlyArray(numpy.arange(6.0).reshape(2, 3)), "a b -> a", "sum").tolist() == [3, 12]


def test_what_may_be_a_file_is_read_once():
    class Counted(OnlyArray):
        reads = 0

        def __array__(self, dtype=None, copy=None):
            Counted.reads += 1
            return super().__array__(dtype, copy)

    data = Counted(numpy.arange(6.0).reshape(2, 3))
    for use in (
        lambda: tenstride.rearrange(data, "a b -> (b a)"),
        lambda: tenstride.contiguous(data),
        lambda: tenstride.stack([data]),
        lambda: tenstride.reduce(data, "a b -> a", "sum"),
        lambda: tenstride.reduce(data, "a b -> a", lambda x, axes: x.sum(axes)),
        lambda: tenstride.convert(data, "a b -> b a", dtype="float32"),
        lambda: tenstride.asarray(data),
        lambda: tenstride.tensor(data),
    ):
        Counted.reads = 0
        use()
        assert Counted.reads == 1


def test_objects_are_refused_by_name():
    with pytest.raises(TypeError, match=r"asarray: .*Python objects"):
        tenstride.asarray(OnlyArray(numpy.array(["a", None], object)))


@pytest.mark.parametrize(
    "use",
    [
        lambda m: tenstride.asarray(m),
        lambda m: tenstride.tensor(m),
        lambda m: tenstride.from_numpy(m),
        lambda m: tenstride.reduce(m, "a ->", "sum"),
        lambda m: tenstride.rearrange(m, "a -> a 1"),
        lambda m: tenstride.contiguous(m),
        lambda m: tenstride.stack([m, m]),
    ],
)
def test_masked_arrays_are_refused(use):
    masked = numpy.ma.masked_array([1.0, 2.0], [True, False])
    with pytest.raises(TypeError, match=r"must be filled, as a tensor has no mask; use \.filled\(value\) first"):
        use(masked)


def test_images_become_tensors_and_tensors_images():
    image = Image.fromarray(numpy.arange(60, dtype=numpy.uint8).reshape(4, 5, 3))
    assert tenstride.tensor(image).shape == (4, 5, 3)
    assert tenstride.tensor(image).tolist() == numpy.asarray(image).tolist()
    assert tenstride.rearrange(image, "h w c -> c h w").shape == (3, 4, 5)
    x = tenstride.arange(60, dtype=tenstride.uint8).view(3, 4, 5)
    for pixels in (x.permute(1, 2, 0), x.permute(1, 2, 0).contiguous()):
        assert Image.fromarray(pixels).tobytes() == pixels.contiguous().numpy().tobytes()


def test_bytes_are_those_of_numpy():
    x = tenstride.arange(24, dtype=tenstride.int16).view(2, 3, 4)
    for view in (x, x.permute(2, 0, 1), x[:, ::2], x[0, 0, 0], x[:0]):
        assert view.tobytes() == view.numpy().tobytes()
    with pytest.raises(ValueError, match="tobytes: order 'F' must be 'C'"):
        x.tobytes("F")


def test_numbers_of_numpy_in_lists_keep_their_types():
    assert tenstride.tensor([numpy.float64(0.1)]).dtype == tenstride.float64
    assert tenstride.tensor([numpy.float64(0.1)]).tolist() == [0.1]
    assert tenstride.tensor([[numpy.float16(1), 2], [3, 4]]).dtype == tenstride.float16
    assert tenstride.tensor([numpy.int8(1), numpy.uint8(2)]).dtype == tenstride.int16
    assert tenstride.tensor([numpy.int8(1), 2.5]).dtype == tenstride.float32
    assert tenstride.tensor([numpy.float64(1)], dtype=tenstride.float16).dtype == tenstride.float16
    assert tenstride.tensor([numpy.float64(1)], device="meta").dtype == tenstride.float64
    assert tenstride.tensor([1.0, 2]).dtype == tenstride.float32


def test_astype_reads_numpys_names():
    a = numpy.array([1, 2], numpy.uint8)
    for name, dtype in (("float", "float64"), ("<f4", "float32"), ("int", "int64"), ("?", "bool"), ("f2", "float16")):
        assert tenstride.astype(a, name).dtype == numpy.dtype(dtype)
    with pytest.raises(TypeError, match="astype: dtype must be one of tenstride's types"):
        tenstride.astype(a, "datetime64[D]")
    assert tenstride.astype(tenstride.zeros(2), "float").dtype == tenstride.float32


def test_errors_name_the_function_in_pythons_words():
    a = numpy.arange(6).reshape(2, 3)
    with pytest.raises(ValueError, match=r"^rearrange: copy=False, but it takes 1 copy .*; allow it with copy=None$"):
        tenstride.rearrange(a, "a b -> (b a)", copy=False)
    with pytest.raises(ValueError, match=r"^reduce: "):
        tenstride.reduce(a.astype(">f8"), "a b -> a", "sum")


def test_what_a_library_cannot_say_is_read_only():
    class Old:
        """Knows only the form before DLPack 1.0."""

        def __init__(self, x):
            self.x = x

        def __dlpack_device__(self):
            return self.x.__dlpack_device__()

        def __dlpack__(self):
            return self.x.__dlpack__()

    x = tenstride.zeros(3)
    y = tenstride.from_dlpack(Old(x))
    assert y.data_ptr() == x.data_ptr()
    with pytest.raises(RuntimeError, match="read-only"):
        y[0] = 7
    # A capsule is taken as it is: who made it knows.
    tenstride.from_dlpack(tenstride.to_dlpack(x))[0] = 7
    assert x.tolist() == [7, 0, 0]
