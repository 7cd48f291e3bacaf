# SPDX-License-Identifier: Apache-2.0
"""TIFF files of many kinds, with tifffile and its codecs as the other reader and writer."""

from __future__ import annotations

import itertools
import struct

import imagecodecs
import numpy
import pytest
import tenstride as torch
import tifffile


def drawn(shape, dtype="uint8", below=256, seed=0):
    return numpy.random.default_rng(seed).integers(0, below, shape).astype(dtype)


def smooth(shape):
    """A picture that survives a codec with losses."""
    return (numpy.indices(shape).sum(0) * 3 % 256).astype("uint8")


def assert_same(found, wanted):
    array = numpy.asarray(found)
    assert array.dtype == wanted.dtype.newbyteorder("=") and array.shape == wanted.shape
    numpy.testing.assert_array_equal(array, wanted)


def names(path):
    return [info.name for info in torch.file_info(path)]


OME = 'xmlns="http://www.openmicroscopy.org/Schemas/OME/2016-06"'
PACK = {1: bytes, 8: imagecodecs.zlib_encode, 5: imagecodecs.lzw_encode}


def write_page(path, size, data, compression, bits=(8,), photometric=1, shared=None, order="<", predictor=None):
    """A page of one strip, tag by tag, as tifffile does not write it."""
    packed = bytes(PACK[compression](bytes(data)))
    height, width = size
    tags = {256: (3, [width]), 257: (3, [height]), 258: (3, bits), 259: (3, [compression]), 262: (3, [photometric])}
    tags |= {273: (4, [8]), 277: (3, [len(bits)]), 278: (3, [height]), 279: (4, [len(packed)])}
    if predictor:
        tags[317] = (3, [predictor])
    if shared:
        tags[530] = (3, shared)
    begin = 8 + len(packed)
    behind = begin + 2 + 12 * len(tags) + 4
    entries, more = b"", b""
    for tag, (kind, values) in tags.items():
        text = struct.pack(f"{order}{len(values)}{'HI'[kind - 3]}", *values)
        if len(text) > 4:
            more, text = text, struct.pack(order + "I", behind)
        entries += struct.pack(order + "HHI", tag, kind, len(values)) + text.ljust(4, b"\0")
    head = (b"II*\0" if order == "<" else b"MM\0*") + struct.pack(order + "I", begin)
    path.write_bytes(head + packed + struct.pack(order + "H", len(tags)) + entries + bytes(4) + more)


def packed_rows(array, bits):
    """Integers in so many bits, the highest first, in rows that begin with a whole byte: by the definition."""
    rows = array.reshape(len(array), -1)
    digits = (rows[..., None] >> numpy.arange(bits)[::-1] & 1).astype("uint8").reshape(len(rows), -1)
    return numpy.packbits(digits, axis=1).tobytes()


@pytest.mark.parametrize("bits", [1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13, 14, 15, 17, 20, 23, 31])
def test_packed_integers(tmp_path, bits):
    dtype = "bool" if bits == 1 else "uint8" if bits < 8 else "uint16" if bits < 16 else "uint32"
    for compression, order in itertools.product(PACK, "<>"):
        for shape in ((7, 13), (7, 13, 3)):
            array = drawn(shape, "uint32", 1 << bits)
            depths = (bits,) * (1 if len(shape) == 2 else 3)
            write_page(tmp_path / "x.tif", shape[:2], packed_rows(array, bits), compression, depths, order=order)
            assert_same(torch.load(tmp_path / "x.tif"), array.astype(dtype))


@pytest.mark.parametrize("bits", [2, 4, 6, 10, 12, 14, 20])
def test_packed_integers_of_tifffile(tmp_path, bits):
    dtype = "uint8" if bits < 8 else "uint16" if bits < 16 else "uint32"
    for shape, options in (((7, 13), {}), ((7, 13, 3), {"photometric": "rgb"}), ((5, 37, 50), {"rowsperstrip": 16})):
        array = drawn(shape, dtype, 1 << bits)
        tifffile.imwrite(tmp_path / "x.tif", array, bitspersample=bits, **options)
        assert_same(torch.load(tmp_path / "x.tif"), array)
        torch.convert(tmp_path / "x.tif", "x.mT", tmp_path / "y.npy", overwrite=True)
        assert_same(numpy.load(tmp_path / "y.npy"), numpy.swapaxes(array, -1, -2))


def test_integers_of_24_bits_have_their_highest_bits_first(tmp_path):
    array = drawn((4, 6), "uint32", 1 << 24)
    data = array.astype(">u4").view("uint8").reshape(4, 6, 4)[..., 1:]
    for compression, order in itertools.product(PACK, "<>"):
        write_page(tmp_path / "x.tif", (4, 6), data.tobytes(), compression, (24,), order=order)
        assert_same(torch.load(tmp_path / "x.tif"), array)


@pytest.mark.parametrize("compression", [1, 8])
@pytest.mark.parametrize("order", "<>")
def test_differences_are_added_up_without_compression_and_in_packed_elements(tmp_path, compression, order):
    for bits, dtype, samples in ((8, "uint8", 3), (16, "uint16", 1), (12, "uint16", 1), (6, "uint8", 3)):
        array = drawn((5, 8, samples), dtype, 1 << bits)
        steps = (numpy.diff(array.astype("i8"), axis=1, prepend=0) % (1 << bits)).astype(dtype)
        is_packed = bits in (6, 12)
        data = packed_rows(steps, bits) if is_packed else steps.astype(steps.dtype.newbyteorder(order)).tobytes()
        write_page(tmp_path / "x.tif", (5, 8), data, compression, (bits,) * samples, order=order, predictor=2)
        assert_same(torch.load(tmp_path / "x.tif"), array.squeeze())


@pytest.mark.parametrize("photometric", ["separated", "cielab", "minisblack"])
@pytest.mark.parametrize("planarconfig", ["contig", "separate"])
def test_samples_are_channels(tmp_path, photometric, planarconfig):
    samples = {"separated": 4, "cielab": 3, "minisblack": 7}[photometric]
    shape = (9, 11, samples) if planarconfig == "contig" else (samples, 9, 11)
    array = drawn(shape)
    options = {"photometric": photometric, "planarconfig": planarconfig, "metadata": None}
    if photometric == "minisblack":
        options["extrasamples"] = [0] * 6
    tifffile.imwrite(tmp_path / "x.tif", array, compression="lzw", **options)
    assert_same(torch.load(tmp_path / "x.tif"), array)
    (info,) = torch.file_info(tmp_path / "x.tif")
    said = {"separated": "CMYK", "cielab": "CIELab", "minisblack": "black is 0"}
    assert info.attributes["photometric"] == said[photometric]


def shared_colours(array, across, down):
    """The bytes of YCbCr pixels that share their colours, by the definition: unit by unit."""
    height, width, _ = array.shape
    padded = numpy.pad(array, ((0, -height % down), (0, -width % across), (0, 0)), mode="edge")
    stored, meant = bytearray(), numpy.zeros_like(padded)
    for y in range(0, padded.shape[0], down):
        for x in range(0, padded.shape[1], across):
            unit = padded[y : y + down, x : x + across]
            stored += bytes(unit[..., 0].ravel()) + bytes(unit[0, 0, 1:])
            meant[y : y + down, x : x + across, 0] = unit[..., 0]
            meant[y : y + down, x : x + across, 1:] = unit[0, 0, 1:]
    return bytes(stored), meant[:height, :width]


@pytest.mark.parametrize("across", [1, 2, 4])
@pytest.mark.parametrize("down", [1, 2, 4])
@pytest.mark.parametrize("compression", PACK)
def test_ycbcr_that_is_not_jpeg(tmp_path, across, down, compression):
    stored, meant = shared_colours(drawn((13, 22, 3)), across, down)
    write_page(tmp_path / "x.tif", (13, 22), stored, compression, (8, 8, 8), 6, (across, down))
    assert_same(torch.load(tmp_path / "x.tif"), meant)
    (info,) = torch.file_info(tmp_path / "x.tif")
    assert info.attributes["photometric"] == "YCbCr"


@pytest.mark.parametrize("compression", ["zstd", "lerc", "lzma", "packbits", "webp"])
def test_codecs_of_libtiff(tmp_path, compression):
    array = smooth((40, 48, 3))
    options = {"compressionargs": {"lossless": True}} if compression == "webp" else {}
    tifffile.imwrite(tmp_path / "x.tif", array, compression=compression, photometric="rgb", tile=(16, 16), **options)
    assert_same(torch.load(tmp_path / "x.tif"), array)
    if compression not in ("webp",):
        array = drawn((5, 40, 48), "uint16", 65536)
        tifffile.imwrite(tmp_path / "y.tif", array, compression=compression)
        assert_same(torch.load(tmp_path / "y.tif"), array)


@pytest.mark.parametrize("outcolorspace", ["RGB", "YCBCR"])
def test_jpeg_has_the_colours_that_tifffile_gives(tmp_path, outcolorspace):
    array = smooth((32, 48, 3))
    args = {"level": 95, "outcolorspace": outcolorspace}
    tifffile.imwrite(tmp_path / "x.tif", array, compression="jpeg", photometric="rgb", compressionargs=args)
    wanted = tifffile.imread(tmp_path / "x.tif")
    assert abs(numpy.asarray(torch.load(tmp_path / "x.tif")).astype(int) - wanted).max() <= 2
    cmyk = smooth((32, 48, 4))
    tifffile.imwrite(tmp_path / "y.tif", cmyk, compression="jpeg", photometric="separated")
    assert_same(torch.load(tmp_path / "y.tif"), tifffile.imread(tmp_path / "y.tif"))


@pytest.mark.parametrize("tags, size", [((256,), "24x16"), ((257, 278), "16x24")])
def test_a_jpeg_picture_smaller_than_its_strip_is_refused(tmp_path, tags, size):
    """libtiff leaves the rest as it was in memory."""
    path = tmp_path / "x.tif"
    tifffile.imwrite(path, smooth((16, 16)), compression="jpeg", photometric="minisblack", metadata=None)
    data = bytearray(path.read_bytes())
    (directory,) = struct.unpack_from("<I", data, 4)
    for entry in range(directory + 2, directory + 2 + 12 * struct.unpack_from("<H", data, directory)[0], 12):
        if struct.unpack_from("<H", data, entry)[0] in tags:
            struct.pack_into("<I", data, entry + 8, 24)
    path.write_bytes(data)
    with pytest.raises(torch.FileError) as error:
        torch.load(path)
    assert str(error.value) == (
        f'load: "{path}" page 0, strip 0 cannot be decoded: JPEGPreDecode: Improper JPEG strip/tile size, '
        f"expected {size}, got 16x16"
    )


def test_pages_that_differ_are_several_tensors(tmp_path):
    kinds = [drawn((3, 9, 11)), drawn((20, 30, 3)), drawn((2, 9, 11), "uint16")]
    with tifffile.TiffWriter(tmp_path / "x.tif") as writer:
        for array in kinds:
            rgb = array.shape[-1] == 3
            writer.write(array, photometric="rgb" if rgb else "minisblack", metadata=None)
    assert names(tmp_path / "x.tif") == ["0", "1", "2"]
    for number, array in enumerate(kinds):
        assert_same(torch.load(f"{tmp_path}/x.tif::{number}"), array)
    assert_same(torch.load(tmp_path / "x.tif"), kinds[0])
    assert list(torch.load(f"{tmp_path}/x.tif::*")) == ["0", "1", "2"]
    with pytest.warns(UserWarning, match=r'x.tif" holds further tensors, and ".*x.tif::0" is meant; ".*x.tif::\*"'):
        torch.convert(tmp_path / "x.tif", "x.flip(0)", tmp_path / "y.npy")
    assert_same(numpy.load(tmp_path / "y.npy"), kinds[0][::-1])
    torch.convert(f"{tmp_path}/x.tif::*", "x", tmp_path / "y.safetensors")
    for number, array in enumerate(kinds):
        assert_same(torch.load(f"{tmp_path}/y.safetensors::{number}"), array)


def test_a_file_of_one_tensor_needs_no_name(tmp_path):
    array = drawn((5, 9, 11))
    tifffile.imwrite(tmp_path / "x.tif", array)
    assert names(tmp_path / "x.tif") == [None]
    assert_same(torch.load(tmp_path / "x.tif"), array)
    assert_same(torch.load(f"{tmp_path}/x.tif::0"), array)
    with pytest.raises(torch.FileError) as error:
        torch.load(f"{tmp_path}/x.tif::1")
    assert (
        str(error.value) == f'load: "{tmp_path}/x.tif" holds one tensor, which must be meant without a name, not by "1"'
    )


def test_series_of_tifffile(tmp_path):
    arrays = [drawn((2, 3, 9, 11)), drawn((4, 9, 11)), drawn((2, 3, 9, 11), seed=1)]
    with tifffile.TiffWriter(tmp_path / "x.tif") as writer:
        for array, axes in zip(arrays, ("TZYX", "CYX", "ZCYX")):
            writer.write(array, photometric="minisblack", metadata={"axes": axes})
    with tifffile.TiffFile(tmp_path / "x.tif") as file:
        assert [series.shape for series in file.series] == [array.shape for array in arrays]
    infos = torch.file_info(tmp_path / "x.tif")
    assert [info.axes for info in infos] == [list("tzyx"), list("cyx"), list("zcyx")]
    for info, array in zip(infos, arrays):
        assert_same(torch.load(f"{tmp_path}/x.tif::{info.name}"), array)


@pytest.mark.parametrize("ome", [True, False])
@pytest.mark.parametrize("bigtiff", [True, False])
def test_pyramids_are_levels(tmp_path, ome, bigtiff):
    array = drawn((2, 3, 64, 96), "uint16", 65536)
    path = tmp_path / ("x.ome.tif" if ome else "x.tif")
    with tifffile.TiffWriter(path, ome=ome, bigtiff=bigtiff) as writer:
        options = {"photometric": "minisblack", "tile": (16, 16)}
        writer.write(array, subifds=2, metadata={"axes": "TCYX"}, compression="zlib", **options)
        for step in (2, 4):
            writer.write(array[..., ::step, ::step], subfiletype=1, compression="zlib", **options)
    with tifffile.TiffFile(path) as file:
        levels = [level.asarray() for level in file.series[0].levels]
    infos = torch.file_info(path)
    assert [info.name for info in infos] == ["0", "0.1", "0.2"]
    for info, level in zip(infos, levels):
        assert_same(torch.load(f"{path}::{info.name}"), level)
        assert info.axes == list("tcyx")
    assert_same(torch.load(path), array)


def test_smaller_copies_and_masks_in_the_chain_stand_below(tmp_path):
    array = drawn((2, 64, 96))
    with tifffile.TiffWriter(tmp_path / "x.tif") as writer:
        for page in array:
            writer.write(page[::2, ::2], subfiletype=1, metadata=None)
            writer.write(page, metadata=None)
            writer.write(page > 9, subfiletype=4, metadata=None)
    assert names(tmp_path / "x.tif") == ["0", "0.1", "0.2"]
    assert_same(torch.load(tmp_path / "x.tif"), array)
    assert_same(torch.load(f"{tmp_path}/x.tif::0.1"), array[:, ::2, ::2])
    assert_same(torch.load(f"{tmp_path}/x.tif::0.2"), array > 9)


def test_images_of_ome(tmp_path):
    arrays = [drawn((2, 3, 9, 11)), drawn((4, 9, 11), seed=1), drawn((20, 30, 3), seed=2)]
    with tifffile.TiffWriter(tmp_path / "x.ome.tif") as writer:
        for array, axes in zip(arrays, ("TCYX", "ZYX", "YXS")):
            writer.write(array, photometric="rgb" if axes == "YXS" else "minisblack", metadata={"axes": axes})
    with tifffile.TiffFile(tmp_path / "x.ome.tif") as file:
        series = [one.asarray() for one in file.series]
    infos = torch.file_info(tmp_path / "x.ome.tif")
    assert [info.axes for info in infos] == [list("tcyx"), list("zyx"), list("yxc")]
    for info, wanted in zip(infos, series):
        assert_same(torch.load(f"{tmp_path}/x.ome.tif::{info.name}"), wanted)


def test_planes_of_ome_stand_in_any_order(tmp_path):
    array = drawn((2, 3, 9, 11))
    order = [4, 1, 5, 0, 3, 2]
    data = "".join(f'<TiffData IFD="{page}" FirstT="{n // 3}" FirstC="{n % 3}"/>' for page, n in enumerate(order))
    sizes = 'DimensionOrder="XYCZT" Type="uint8" SizeX="11" SizeY="9" SizeC="3" SizeZ="1" SizeT="2"'
    xml = f'<OME {OME}><Image ID="Image:0"><Pixels ID="Pixels:0" {sizes}>{data}</Pixels></Image></OME>'
    with tifffile.TiffWriter(tmp_path / "x.ome.tif", ome=False) as writer:
        for n, plane in enumerate(array.reshape(6, 9, 11)[order]):
            writer.write(plane, description=xml if n == 0 else None, metadata=None)
    assert_same(tifffile.imread(tmp_path / "x.ome.tif"), array)
    assert_same(torch.load(tmp_path / "x.ome.tif"), array)


def write_files_of_ome(folder, array, compression=None):
    """Each time of (t,c,y,x) in a file of its own, all with the same OME-XML; gives their names."""
    names = [f"t{t}.ome.tif" for t in range(len(array))]
    sizes = f'SizeX="{array.shape[3]}" SizeY="{array.shape[2]}" SizeC="{array.shape[1]}" SizeZ="1" SizeT="{len(array)}"'
    data = "".join(
        f'<TiffData IFD="{c}" FirstT="{t}" FirstC="{c}"><UUID FileName="{name}">urn:uuid:{t}</UUID></TiffData>'
        for t, name in enumerate(names)
        for c in range(array.shape[1])
    )
    pixels = f'<Pixels ID="Pixels:0" DimensionOrder="XYCZT" Type="{array.dtype}" {sizes}>{data}</Pixels>'
    for t, name in enumerate(names):
        xml = f'<OME {OME} UUID="urn:uuid:{t}"><Image ID="Image:0">{pixels}</Image></OME>'
        with tifffile.TiffWriter(folder / name, ome=False, byteorder="<>"[t % 2]) as writer:
            for c, plane in enumerate(array[t]):
                writer.write(plane, description=xml if c == 0 else None, metadata=None, compression=compression)
    return names


@pytest.mark.parametrize("compression", [None, "zlib"])
def test_an_image_of_ome_in_several_files(tmp_path, compression):
    array = drawn((4, 3, 9, 11), "uint16", 65536)
    for name in write_files_of_ome(tmp_path, array, compression):
        assert_same(tifffile.imread(tmp_path / name), array)
        (info,) = torch.file_info(tmp_path / name)
        assert info.axes == list("tcyx") and not info.is_mapped
        assert_same(torch.load(tmp_path / name), array)
    torch.convert(tmp_path / "t1.ome.tif", "x.permute(2, 3, 1, 0)", tmp_path / "y.npy")
    assert_same(numpy.load(tmp_path / "y.npy"), array.transpose(2, 3, 1, 0))


def test_of_several_files_one_is_missing(tmp_path):
    array = drawn((2, 3, 9, 11))
    write_files_of_ome(tmp_path, array)
    (tmp_path / "t1.ome.tif").unlink()
    assert_same(torch.load(tmp_path / "t0.ome.tif"), array[0])
    _, rest = torch.file_info(tmp_path / "t0.ome.tif")
    missing = 'has an image of several files, of which "t1.ome.tif" cannot be read beside it'
    assert rest.obstacle == f"have pages that can be read (the file {missing})"


@pytest.mark.parametrize("byteorder", "<>")
@pytest.mark.parametrize("compression", [None, "zlib"])
@pytest.mark.parametrize("shape", [(40, 33, 50), (2, 3, 20, 33, 50), (20, 33, 50, 3)])
def test_volumes(tmp_path, shape, compression, byteorder):
    array = drawn(shape, "uint16", 65536)
    options = {"photometric": "rgb", "planarconfig": "contig"} if shape[-1] == 3 else {"photometric": "minisblack"}
    options |= {"tile": (16, 16, 32), "volumetric": True, "compression": compression, "byteorder": byteorder}
    tifffile.imwrite(tmp_path / "x.tif", array, **options)
    assert_same(tifffile.imread(tmp_path / "x.tif"), array)
    assert_same(torch.load(tmp_path / "x.tif"), array)
    (info,) = torch.file_info(tmp_path / "x.tif")
    assert info.axes == [""] * (2 if len(shape) == 5 else 0) + list("zyxc" if shape[-1] == 3 else "zyx")
    torch.convert(tmp_path / "x.tif", "x.transpose(0, 1)", tmp_path / "y.npy")
    assert_same(numpy.load(tmp_path / "y.npy"), numpy.swapaxes(array, 0, 1))


def test_volumes_that_are_not_read(tmp_path):
    options = {"photometric": "minisblack", "tile": (16, 16, 32), "volumetric": True}
    tifffile.imwrite(tmp_path / "x.tif", drawn((20, 33, 50)), compression="lzw", **options)
    with pytest.raises(torch.FileError) as error:
        torch.load(tmp_path / "x.tif")
    assert str(error.value) == (
        f'load: "{tmp_path}/x.tif" has tiles of several slices, compressed with LZW, and must have them uncompressed '
        "or deflated"
    )


def test_what_cannot_be_read_blocks_nothing(tmp_path):
    array = drawn((9, 11))
    with tifffile.TiffWriter(tmp_path / "x.tif") as writer:
        writer.write(array, metadata=None)
        writer.write(smooth((32, 48, 3)), photometric="rgb", compression="jpegxl", metadata=None)
        writer.write(array.astype("float32"), metadata=None)
    assert names(tmp_path / "x.tif") == ["0", "1", "2"]
    assert_same(torch.load(f"{tmp_path}/x.tif::2"), array.astype("float32"))
    with pytest.raises(torch.FileError) as error:
        torch.load(f"{tmp_path}/x.tif::1")
    assert str(error.value) == (
        f'load: "{tmp_path}/x.tif::1" must have pages that can be read (the file is compressed with JPEG XL (scheme '
        "50002), which must be one that libtiff of this machine can decode)"
    )


def test_a_loop_costs_the_rest_of_the_chain(tmp_path):
    array = drawn((2, 9, 11))
    tifffile.imwrite(tmp_path / "x.tif", array, metadata=None)
    with tifffile.TiffFile(tmp_path / "x.tif") as file:
        first, last = file.pages[0].offset, file.pages[1].offset
        tags = len(file.pages[1].tags)
    data = bytearray((tmp_path / "x.tif").read_bytes())
    at = last + 2 + 12 * tags
    data[at : at + 4] = first.to_bytes(4, "little")
    (tmp_path / "x.tif").write_bytes(data)
    assert_same(torch.load(tmp_path / "x.tif"), array)
    first_info, rest = torch.file_info(tmp_path / "x.tif")
    assert first_info.obstacle is None
    loop = f"has a loop of pages: behind page 1 follows the directory at byte {first} again"
    assert rest.obstacle == f"have pages that can be read (the file {loop})"
