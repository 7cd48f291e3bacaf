# SPDX-License-Identifier: Apache-2.0
"""Pictures that are not one of gray or RGB, with Pillow as the other reader and writer."""

from __future__ import annotations

import numpy
import PIL.Image
import pytest
import tenstride as torch


def picture(height, width, channels=3):
    """Without sharp edges, so that all decoders give nearly the same."""
    y, x, c = numpy.indices((height, width, channels))
    return (4 * y + 3 * x + 40 * c).astype("uint8")


def assert_near(found, wanted):
    array = numpy.asarray(found)
    assert array.dtype == numpy.uint8 and array.shape == wanted.shape
    assert abs(array.astype(int) - wanted).max() <= 2


@pytest.mark.parametrize("progressive", [False, True])
def test_cmyk_is_given_as_it_is_stored(tmp_path, progressive):
    PIL.Image.fromarray(picture(20, 30, 4), "CMYK").save(tmp_path / "x.jpg", quality=95, progressive=progressive)
    (info,) = torch.file_info(tmp_path / "x.jpg")
    assert info.attributes == {"colours": "CMYK", "inverted": True}
    with PIL.Image.open(tmp_path / "x.jpg") as image:
        assert_near(torch.load(tmp_path / "x.jpg"), 255 - numpy.asarray(image))


def write_pictures(path, arrays):
    first, *others = (PIL.Image.fromarray(array) for array in arrays)
    first.save(path, format="MPO", save_all=True, append_images=others, quality=95)


def test_pictures_of_a_file_are_several_tensors(tmp_path):
    path = tmp_path / "x.jpg"
    write_pictures(path, [picture(20, 30), picture(20, 30)[::-1], picture(10, 14)])
    assert [(info.name, tuple(info.shape)) for info in torch.file_info(path)] == [
        ("0", (20, 30, 3)),
        ("1", (20, 30, 3)),
        ("2", (10, 14, 3)),
    ]
    with PIL.Image.open(path) as image:
        for number in range(3):
            image.seek(number)
            assert_near(torch.load(f"{path}::{number}"), numpy.asarray(image))
        image.seek(0)
        assert_near(torch.load(path), numpy.asarray(image))
    torch.save(tmp_path / "y.png", torch.load(f"{path}::2"))
    assert_near(torch.load(tmp_path / "y.png"), numpy.asarray(torch.load(f"{path}::2")))


def test_a_picture_that_is_cut_off_blocks_no_other(tmp_path):
    path = tmp_path / "x.jpg"
    write_pictures(path, [picture(20, 30), picture(20, 30)])
    data = path.read_bytes()
    path.write_bytes(data[:-10])
    first, second = torch.file_info(path)
    assert (first.obstacle, second.obstacle) == (None, None)
    with pytest.raises(torch.FileError) as error:
        torch.load(f"{path}::1")
    assert str(error.value) == (
        f'read_image: "{path}::1" must be a JPEG image that can be read: Premature end of JPEG file'
    )
    assert_near(torch.load(path), picture(20, 30))
    path.write_bytes(data[: data.index(b"\xff\xd8", 2) - 1])
    _, second = torch.file_info(path)
    begin, size = data.index(b"\xff\xd8", 2), path.stat().st_size
    assert second.obstacle == (
        f"be a picture that can be read (it begins at byte {begin}, which must lie in the file of {size} bytes)"
    )
