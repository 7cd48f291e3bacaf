# SPDX-License-Identifier: Apache-2.0
"""`convert` of arrays: another order of axes and another type in one pass, against NumPy's steps."""

import numpy
import pytest
import tenstride

IMAGES = numpy.random.default_rng(1).integers(0, 255, (4, 6, 5, 3), numpy.uint8)
CASES = {
    "b h w c -> b c h w": IMAGES.transpose(0, 3, 1, 2),
    "b h w c -> c b h w": IMAGES.transpose(3, 0, 1, 2),
    "b h w c -> (b c) h w": IMAGES.transpose(0, 3, 1, 2).reshape(12, 6, 5),
    "b (h two) w c -> b c h two w": IMAGES.reshape(4, 3, 2, 5, 3).transpose(0, 4, 1, 2, 3),
    "... c -> c ...": IMAGES.transpose(3, 0, 1, 2),
    "b ... c -> b c (...)": IMAGES.transpose(0, 3, 1, 2).reshape(4, 3, 30),
    "b h w c -> b 1 c (h w)": IMAGES.transpose(0, 3, 1, 2).reshape(4, 1, 3, 30),
    "b h w c -> b h w c": IMAGES,
}


def scaled(array, scale, shift):
    return (array.astype("float32") * numpy.float32(scale)).astype("float32") + numpy.float32(shift)


@pytest.mark.parametrize("pattern", CASES)
def test_one_number_for_all(pattern):
    sizes = {"two": 2} if "two" in pattern else None
    made = tenstride.convert(IMAGES, pattern, dtype="float32", scale=1 / 255, shift=-0.5, sizes=sizes)
    assert made.flags.c_contiguous
    numpy.testing.assert_array_equal(made, scaled(CASES[pattern], 1 / 255, -0.5))


@pytest.mark.parametrize("pattern", CASES)
def test_numbers_along_every_axis(pattern):
    sizes = {"two": 2} if "two" in pattern else None
    expected = CASES[pattern]
    for axis in range(-expected.ndim, expected.ndim):
        numbers = numpy.linspace(0.5, 2, expected.shape[axis])
        shape = [1] * expected.ndim
        shape[axis] = -1
        made = tenstride.convert(
            IMAGES, pattern, dtype="float32", scale=numbers, shift=-numbers, axis=axis, sizes=sizes
        )
        numbers = numbers.astype("float32").reshape(shape)
        numpy.testing.assert_array_equal(made, expected.astype("float32") * numbers - numbers)


@pytest.mark.parametrize("pattern", CASES)
def test_out_takes_the_result(pattern):
    sizes = {"two": 2} if "two" in pattern else None
    out = numpy.full((*CASES[pattern].shape, 2), -1, "float32")[..., 0]
    assert tenstride.convert(IMAGES, pattern, out=out, scale=2, sizes=sizes) is out
    numpy.testing.assert_array_equal(out, scaled(CASES[pattern], 2, 0))


def test_one_copy_is_all_it_takes():
    with tenstride.CopyLedger() as ledger:
        tenstride.convert(IMAGES, "b h w c -> (b c) h w", dtype="float32", scale=1 / 255)
    assert len(ledger.entries) == 1


def test_lists_of_images_are_batches():
    frames = list(IMAGES)
    made = tenstride.convert(frames, "b h w c -> b c h w", dtype="float32", scale=1 / 255)
    numpy.testing.assert_array_equal(made, scaled(CASES["b h w c -> b c h w"], 1 / 255, 0))


def test_tensors_give_tensors_and_types_stay():
    x = tenstride.from_numpy(IMAGES)
    made = tenstride.convert(x, "b h w c -> b c h w")
    assert isinstance(made, tenstride.Tensor) and made.dtype == tenstride.uint8
    assert made.tolist() == CASES["b h w c -> b c h w"].tolist()
    assert made.is_contiguous()


def test_out_may_lie_in_the_memory_of_the_source():
    a = numpy.arange(16.0).reshape(4, 4)
    expected = a.T * 2
    tenstride.convert(a, "a b -> b a", scale=2, out=a)
    numpy.testing.assert_array_equal(a, expected)


def test_out_must_be_memory_that_can_be_written_to():
    unaligned = numpy.frombuffer(bytearray(16 * 4 + 1), "u1")[1:].view("f4").reshape(4, 4)
    with pytest.raises(ValueError, match="convert: the first element must lie at a multiple of 4 bytes"):
        tenstride.convert(numpy.ones((4, 4), "f4"), "a b -> b a", out=unaligned)
    fixed = numpy.zeros((4, 4), "f4")
    fixed.flags.writeable = False
    with pytest.raises(tenstride.StorageError, match="read-only"):
        tenstride.convert(numpy.ones((4, 4), "f4"), "a b -> b a", out=fixed)
    assert not fixed.any() and not unaligned.any()


def test_what_does_not_fit_is_refused_with_nothing_written():
    out = numpy.zeros((4, 3, 6, 5), "float32")
    with pytest.raises(
        tenstride.ShapeError, match=r"convert: out of shape \(4,3,6,5\) must have the shape of the result"
    ):
        tenstride.convert(IMAGES, "b h w c -> b h w c", out=out)
    with pytest.raises(TypeError, match="convert: dtype uint8 must be that of out, float32"):
        tenstride.convert(IMAGES, "b h w c -> b c h w", dtype="uint8", out=out)
    with pytest.raises(tenstride.ShapeError, match="2 numbers for scale or shift must be 1 or 3"):
        tenstride.convert(IMAGES, "b h w c -> b c h w", scale=[1, 2], axis=1)
    with pytest.raises(tenstride.AxisError, match=r"convert: axis 4 must lie in \[-4,3\]"):
        tenstride.convert(IMAGES, "b h w c -> b c h w", scale=[1, 2], axis=4)
    with pytest.raises(TypeError, match="convert: out must be of the kind of the source, NumPy"):
        tenstride.convert(IMAGES, "b h w c -> b c h w", out=tenstride.zeros(4, 3, 6, 5))
    with pytest.raises(TypeError, match="convert: max_memory must be left out for an array"):
        tenstride.convert(IMAGES, "b h w c -> b c h w", max_memory="1M")
    with pytest.raises(TypeError, match="convert: a file must have the path of its destination"):
        tenstride.convert("a.npy", "h w -> w h")
    assert not out.any()
