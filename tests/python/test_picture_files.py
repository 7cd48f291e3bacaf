# SPDX-License-Identifier: Apache-2.0
"""Pictures that are not one of gray or RGB, and JPEG 2000: Pillow and imagecodecs read and write them, too."""

from __future__ import annotations

import struct

import imagecodecs
import numpy
import PIL.Image
import pytest
import tenstride as torch
import tifffile


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


def encoded(array, codecformat="jp2", **options):
    return imagecodecs.jpeg2k_encode(array, level=0, reversible=True, codecformat=codecformat, **options)


@pytest.mark.parametrize("codecformat", ["jp2", "j2k"])
@pytest.mark.parametrize("dtype", ["u1", "i1", "u2", "i2"])
@pytest.mark.parametrize("channels", [1, 2, 3, 4])
def test_jpeg2000(tmp_path, codecformat, dtype, channels):
    info = numpy.iinfo(dtype)
    random = numpy.random.default_rng(channels)
    array = random.integers(info.min, info.max, (19, 31, channels), endpoint=True).astype(dtype)
    path = tmp_path / "x"
    path.write_bytes(encoded(array if channels > 1 else array[..., 0], codecformat, mct=False))
    (said,) = torch.file_info(path)
    assert (said.format, said.shape) == ("JPEG-2000", array.shape)
    numpy.testing.assert_array_equal(torch.load(path).numpy(), array)


def test_jpeg2000_of_pillow_in_tiles(tmp_path):
    array = picture(50, 70)
    path = tmp_path / "x.jp2"
    PIL.Image.fromarray(array).save(path, irreversible=False, tile_size=(32, 16))
    numpy.testing.assert_array_equal(torch.load(path).numpy(), array)


@pytest.mark.parametrize("bits", [1, 4, 12])
def test_elements_of_fewer_bits_of_jpeg2000_are_given_as_they_are(tmp_path, bits):
    array = numpy.arange(48, dtype="u1" if bits <= 8 else "u2").reshape(6, 8) % (1 << bits)
    (tmp_path / "x.jp2").write_bytes(encoded(array, bitspersample=bits))
    numpy.testing.assert_array_equal(torch.load(tmp_path / "x.jp2").numpy(), array[..., None])


def box(name, content):
    return struct.pack(">I", 8 + len(content)) + name + content


def jp2(codestream, header):
    start = box(b"jP  ", b"\r\n\x87\n") + box(b"ftyp", b"jp2 \0\0\0\0jp2 ")
    return start + box(b"jp2h", header) + box(b"jp2c", codestream)


def test_a_palette_of_jpeg2000_becomes_rgb(tmp_path):
    indices = numpy.arange(48, dtype="u1").reshape(6, 8) % 5
    colours = numpy.arange(15, dtype="u1").reshape(5, 3) * 17
    header = box(b"ihdr", struct.pack(">IIHBBBB", 6, 8, 1, 7, 7, 0, 0))
    header += box(b"colr", b"\1\0\0" + struct.pack(">I", 16))
    header += box(b"pclr", struct.pack(">HB3B", 5, 3, 7, 7, 7) + colours.tobytes())
    header += box(b"cmap", b"".join(struct.pack(">HBB", 0, 1, column) for column in range(3)))
    (tmp_path / "x.jp2").write_bytes(jp2(encoded(indices, "j2k"), header))
    (info,) = torch.file_info(tmp_path / "x.jp2")
    assert info.shape == (6, 8, 3)
    numpy.testing.assert_array_equal(torch.load(tmp_path / "x.jp2").numpy(), colours[indices])


def test_jpeg2000_that_is_cut_off_or_of_ycbcr_is_refused(tmp_path):
    path = tmp_path / "x.jp2"
    whole = encoded(picture(20, 30))
    for cut in (20, 60, 100, len(whole) // 2):
        path.write_bytes(whole[:-cut] if cut == 20 else whole[:cut])
        with pytest.raises(torch.FileError, match="must be a JPEG 2000 image that can be read: "):
            torch.load(path)
    header = box(b"ihdr", struct.pack(">IIHBBBB", 20, 30, 3, 7, 7, 0, 0))
    header += box(b"colr", b"\1\0\0" + struct.pack(">I", 18))
    path.write_bytes(jp2(encoded(picture(20, 30), "j2k"), header))
    with pytest.raises(torch.FileError) as error:
        torch.load(path)
    assert str(error.value) == (f'read_image: "{path}" has colours in YCbCr, which must be gray, RGB or without a name')


@pytest.mark.parametrize("dtype", ["u1", "u2"])
@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("tile", [None, (16, 32)])
@pytest.mark.parametrize("compression", ["png", "jpeg2000", 33004, 33005])
def test_pictures_in_tiff(tmp_path, dtype, channels, tile, compression):
    shape = (37, 50, channels) if channels > 1 else (37, 50)
    array = numpy.random.default_rng(7).integers(0, numpy.iinfo(dtype).max, shape, endpoint=True).astype(dtype)
    path = tmp_path / "x.tif"
    options = {"compression": "jpeg2000" if isinstance(compression, int) else compression, "tile": tile}
    if compression != "png":
        options["compressionargs"] = {"level": 0, "reversible": True}
    tifffile.imwrite(
        path, array, rowsperstrip=None if tile else 16, photometric="rgb" if channels > 1 else None, **options
    )
    if isinstance(compression, int):
        with tifffile.TiffFile(path, mode="r+b") as file:
            file.pages[0].tags["Compression"].overwrite(compression)
    numpy.testing.assert_array_equal(torch.load(path).numpy(), array)


def test_pictures_in_tiff_must_be_as_the_page_says(tmp_path):
    path = tmp_path / "x.tif"
    tifffile.imwrite(path, picture(32, 32), tile=(16, 16), compression="png", photometric="rgb")
    with tifffile.TiffFile(path) as file:
        begin, nbytes = (file.pages[0].tags[name].value[0] for name in ("TileOffsets", "TileByteCounts"))
    data = bytearray(path.read_bytes())
    other = imagecodecs.png_encode(numpy.zeros((16, 8, 3), "u1"))
    assert len(other) <= nbytes
    data[begin : begin + len(other)] = other
    path.write_bytes(data)
    with pytest.raises(torch.FileError) as error:
        torch.load(path)
    assert str(error.value) == (
        f'load: "{path}" page 0, tile 0 has 16 x 8 pixels of 3 samples of uint8, which must be 768 bytes of 3 samples '
        "of uint8 in rows of 16"
    )
