# SPDX-License-Identifier: Apache-2.0
"""What TIFF files say of places of pixels (GeoTIFF), of their sizes (resolution, ImageJ) and of GDAL's matters is true
of what is made of them, as tifffile and Pillow read it; what is not true is left out and told."""

from __future__ import annotations

import itertools
import json
import struct
import subprocess
import sys

import numpy
import PIL.Image
import pytest
import tenstride as torch
import tifffile
import zarr

SCALE, TIEPOINT, MATRIX, KEYS, DOUBLES, TEXT, METADATA, NODATA = 33550, 33922, 34264, 34735, 34736, 34737, 42112, 42113
OBLIQUE = (2.0, 0.5, 0, 500, -0.25, -3.0, 0, 900, 0, 0, 1, 7, 0, 0, 0, 1)
TAGS = {
    "scale": [(SCALE, "d", 3, (30.0, 20.0, 0.0)), (TIEPOINT, "d", 6, (1.0, 2.0, 0.0, 5000.0, 9000.0, 0.0))],
    "matrix": [(MATRIX, "d", 16, OBLIQUE)],
}
SHAPE = (8, 9)


def convert(source, chain, destination, compress=False):
    """By the program; returns the reasons of what is dropped, by their names."""
    call = [source, chain, "-o", destination, "--force", "--json", *["--compress"] * compress]
    done = subprocess.run([sys.executable, "-m", "tenstride", "convert", *call], capture_output=True, text=True)
    assert done.returncode == 0, (chain, done.stderr)
    return {entry["fact"]: entry["reason"] for entry in json.loads(done.stdout)["dropped"]}


def keys(raster_type):
    return (1, 1, 0, 3, 1024, 0, 1, 1, 1025, 0, 1, raster_type, 1026, 34737, 8, 0)


def geo_source(path, pixels, raster_type=1, tags=TAGS["scale"], **options):
    texts = [(TEXT, "s", 0, "a place|"), (NODATA, "s", 0, "9"), (METADATA, "s", 0, "<GDALMetadata/>")]
    words = [(KEYS, "H", 16, keys(raster_type)), (DOUBLES, "d", 2, (6378137.0, 298.25))]
    extra = [(*tag, True) for tag in [*tags, *words, *texts]]
    tifffile.imwrite(path, pixels, extratags=extra, metadata=None, software=False, **options)


def affine(path):
    """The transform from (column, row) of middles of pixels to the model, of the tags."""
    with tifffile.TiffFile(path) as file:
        tags = file.pages[0].tags
        point = tags[KEYS].value[11] == 2
        if MATRIX in tags:
            assert SCALE not in tags and TIEPOINT not in tags
            matrix = numpy.reshape(tags[MATRIX].value, (4, 4))
        else:
            (i, j, _, x, y, _), (across, down, _) = tags[TIEPOINT].value, tags[SCALE].value
            assert across > 0 and down > 0
            matrix = numpy.array(
                [[across, 0, 0, x - i * across], [0, -down, 0, y + j * down], [0, 0, 0, 0], [0, 0, 0, 1]]
            )
    middle = 0 if point else 0.5
    return matrix[:2][:, [0, 1, 3]] + [[0, 0, row[0] * middle + row[1] * middle] for row in matrix[:2]]


def places(path, shape):
    """Where the middle of each pixel lies: (y, x, 2)."""
    rows, columns = numpy.indices(shape)
    return numpy.stack([columns, rows, numpy.ones(shape)], -1) @ affine(path).T


CHAINS = {
    "x": numpy.s_[:, :],
    "x[2:, 3:]": numpy.s_[2:, 3:],
    "x[1::2, ::3]": numpy.s_[1::2, ::3],
    "x.flip(0)": numpy.s_[::-1, :],
    "x[:, 1:].flip(1)": numpy.s_[:, :0:-1],
    "x[2:4, 5:6]": numpy.s_[2:4, 5:6],
}


@pytest.mark.parametrize("kind", TAGS)
@pytest.mark.parametrize("raster_type", [1, 2])
def test_pixels_lie_where_they_lay(tmp_path, kind, raster_type):
    pixels = numpy.arange(72, dtype="int16").reshape(SHAPE)
    geo_source(tmp_path / "x.tif", pixels, raster_type, TAGS[kind])
    before = places(tmp_path / "x.tif", SHAPE)
    for (chain, cut), is_transposed, compress in itertools.product(CHAINS.items(), (False, True), (False, True)):
        text = chain + ".t()" * is_transposed
        told = convert(tmp_path / "x.tif", text, tmp_path / "y.tif", compress)
        assert told == {}, text
        wanted, elements = before[cut], pixels[cut]
        if is_transposed:
            wanted, elements = wanted.swapaxes(0, 1), elements.T
        assert torch.load(tmp_path / "y.tif").tolist() == elements.tolist(), text
        assert numpy.allclose(places(tmp_path / "y.tif", elements.shape), wanted), text
        with tifffile.TiffFile(tmp_path / "y.tif") as file:
            tags = file.pages[0].tags
            is_scale = kind == "scale" and not is_transposed and "flip" not in chain
            assert (SCALE in tags) == is_scale and (MATRIX in tags) != is_scale
            assert tags[KEYS].value == keys(raster_type) and tags[DOUBLES].value == (6378137.0, 298.25)
            assert (tags[TEXT].value, tags[NODATA].value) == ("a place|", "9")
            assert tags[METADATA].value == "<GDALMetadata/>"
            assert file.pages[0].geotiff_tags["GTRasterTypeGeoKey"] == raster_type
        attributes = torch.file_info(tmp_path / "y.tif")[0].attributes
        assert attributes["GeoDoubleParams"] == [6378137.0, 298.25] and attributes["GDAL_NODATA"] == "9"


def test_places_that_cannot_be_said_are_dropped(tmp_path):
    pixels = numpy.arange(2 * 72, dtype="int16").reshape(2, *SHAPE)
    geo_source(tmp_path / "x.tif", pixels)
    before = places(tmp_path / "x.tif", SHAPE)
    both = {"ModelPixelScale", "ModelTiepoint"}
    for chain, dropped, reason in (
        ("x[0]", set(), None),
        ("x.flip(0)[:, 1:]", set(), None),
        ("x[:, 1]", both, "axis y is no axis of the result"),
        ("x.permute(1, 0, 2)", both, "axes are permuted"),
        ("x.reshape(2, 72)", both, "axis y is no axis of the result"),
        ("x.float().mean(0)", {"GDAL_NODATA"}, "elements are reduced"),
        ("x * 2", {*both, "GDAL_NODATA"}, "elements are computed"),
    ):
        told = convert(tmp_path / "x.tif", chain, tmp_path / "y.tif")
        told.pop("resolution", None)  # tifffile's, of 1 pixel without a unit
        assert told == dict.fromkeys(dropped, reason), chain
        with tifffile.TiffFile(tmp_path / "y.tif") as file:
            tags = file.pages[0].tags
            assert (SCALE in tags, TIEPOINT in tags) == (SCALE not in dropped and not dropped & both,) * 2
            assert tags[KEYS].value == keys(1)
    convert(tmp_path / "x.tif", "x[:, 1:]", tmp_path / "y.tif")
    assert numpy.allclose(places(tmp_path / "y.tif", (7, 9)), before[1:])


def test_points_of_control_stay_where_rows_and_columns_do(tmp_path):
    points = tuple(float(number) for number in range(12))
    geo_source(tmp_path / "x.tif", numpy.zeros((2, *SHAPE), "u1"), tags=[(TIEPOINT, "d", 12, points)])
    for chain, is_kept in (("x", True), ("x[1]", True), ("x[:, 1:]", False), ("x.mT", False)):
        told = convert(tmp_path / "x.tif", chain, tmp_path / "y.tif")
        assert ("ModelTiepoint" in told) != is_kept
        attributes = torch.file_info(tmp_path / "y.tif")[0].attributes
        assert attributes.get("ModelTiepoint") == (list(points) if is_kept else None)


def test_colours_keep_their_places(tmp_path):
    pixels = numpy.arange(72 * 3, dtype="u1").reshape(*SHAPE, 3)
    geo_source(tmp_path / "x.tif", pixels, photometric="rgb")
    before = places(tmp_path / "x.tif", SHAPE)
    for chain, wanted in (("x[1:]", before[1:]), ("x.permute(1, 0, 2)", before.swapaxes(0, 1))):
        convert(tmp_path / "x.tif", chain, tmp_path / "y.tif")
        assert numpy.allclose(places(tmp_path / "y.tif", wanted.shape[:2]), wanted)
        with PIL.Image.open(tmp_path / "y.tif") as image:
            assert image.size == wanted.shape[1::-1]


def test_statistics_of_other_elements_are_dropped(tmp_path):
    text = '<GDALMetadata><Item name="STATISTICS_MEAN" sample="0">3</Item></GDALMetadata>'
    tags = [(METADATA, "s", 0, text, True)]
    tifffile.imwrite(tmp_path / "x.tif", numpy.zeros(SHAPE, "u1"), extratags=tags, metadata=None, software=False)
    for chain, is_kept in (("x", True), ("x[1:]", False), ("x.float()", True), ("x * 2", False)):
        told = convert(tmp_path / "x.tif", chain, tmp_path / "y.tif")
        assert ("GDAL_METADATA" in told) != is_kept
        assert torch.file_info(tmp_path / "y.tif")[0].attributes.get("GDAL_METADATA") == (text if is_kept else None)


@pytest.mark.parametrize("compress", [False, True])
def test_resolution_and_orientation(tmp_path, compress):
    tags = [(274, "H", 1, 6, True)]
    pixels = numpy.arange(2 * 72, dtype="u1").reshape(2, *SHAPE)
    tifffile.imwrite(
        tmp_path / "x.tif",
        pixels,
        resolution=(300, 7.5),
        resolutionunit=3,
        extratags=tags,
        metadata=None,
        software=False,
    )
    for chain, resolution, is_upright in (
        ("x", (300, 7.5), True),
        ("x[:, 1:]", (300, 7.5), True),
        ("x[1, ::2, ::3]", (100, 3.75), True),
        ("x.flip(1)", (300, 7.5), False),
        ("x.mT", (7.5, 300), False),
        ("x[:, :, ::7].mT", (7.5, 300 / 7), False),
        ("x[:, 0]", None, False),
    ):
        told = convert(tmp_path / "x.tif", chain, tmp_path / "y.tif", compress)
        wanted = {"resolution": resolution is not None, "orientation": is_upright}
        assert set(told) == {name for name, is_kept in wanted.items() if not is_kept}
        with tifffile.TiffFile(tmp_path / "y.tif") as file:
            for page in file.pages:
                assert ("XResolution" in page.tags) == (resolution is not None)
                assert page.tags.get(274) is None or page.tags[274].value == (6 if is_upright else 1)
                if resolution is not None:
                    assert (
                        numpy.allclose(page.resolution, resolution, rtol=1e-7 if compress else 1e-15)
                        and page.resolutionunit == 3
                    )
        if resolution is not None:
            with PIL.Image.open(tmp_path / "y.tif") as image:
                assert numpy.allclose([float(image.tag_v2[tag]) for tag in (282, 283)], resolution)


def imagej_source(path, **metadata):
    stack = numpy.arange(4 * 3 * 2 * 6 * 8, dtype="u2").reshape(4, 3, 2, 6, 8)
    metadata = {"axes": "TZCYX", "spacing": 1.5, "finterval": 0.2, "unit": "um", "min": 3.0, "max": 90.0, **metadata}
    tifffile.imwrite(path, stack, imagej=True, resolution=(4, 2), metadata=metadata, software=False)
    return stack


def imagej_of(path):
    with tifffile.TiffFile(path) as file:
        if not file.is_imagej:
            return None
        return file.series[0].axes, file.imagej_metadata, file.pages[0].resolution, file.asarray()


@pytest.mark.parametrize("compress", [False, True])
def test_imagej_stacks_stay_stacks_of_imagej(tmp_path, compress):
    stack = imagej_source(tmp_path / "x.tif")
    for chain, cut, axes, changed, resolution in (
        ("x", stack, "TZCYX", {}, (4, 2)),
        ("x[::2]", stack[::2], "TZCYX", {"finterval": 0.4}, (4, 2)),
        ("x[:, ::2, :, :, ::2]", stack[:, ::2, :, :, ::2], "TZCYX", {"spacing": 3.0}, (2, 2)),
        ("x[0, :, 1].flip(0)", stack[0, ::-1, 1], "ZYX", {"finterval": None}, (4, 2)),
        ("x[:, 0, :, 1:, ::4]", stack[:, 0, :, 1:, ::4], "TCYX", {"spacing": None}, (1, 2)),
        ("x[0, 0, 0]", stack[0, 0, 0], "YX", {"spacing": None, "finterval": None}, (4, 2)),
        ("x.float().mean(1)", stack.mean(1), "TCYX", dict.fromkeys(("spacing", "min", "max")), (4, 2)),
    ):
        told = convert(tmp_path / "x.tif", chain, tmp_path / "y.tif", compress)
        found, metadata, of_pixels, elements = imagej_of(tmp_path / "y.tif")
        assert (found, tuple(of_pixels)) == (axes, resolution), chain
        assert elements.tolist() == cut.tolist(), chain
        wanted = {"spacing": 1.5, "finterval": 0.2, "unit": "um", "min": 3.0, "max": 90.0, **changed}
        for key, value in wanted.items():
            assert metadata.get(key) == pytest.approx(value), (chain, key)
        sizes = dict(zip(axes, cut.shape))
        for letter, key in zip("TZC", ("frames", "slices", "channels")):
            assert metadata.get(key, 1) == sizes.get(letter, 1)
        gone = {f"description {key}" for key, value in changed.items() if value is None}
        assert set(told) == gone, chain
        names = torch.file_info(tmp_path / "y.tif")[0].axes
        assert "".join(names).upper() == axes


def test_what_imagej_cannot_say_has_names_of_axes(tmp_path):
    stack = imagej_source(tmp_path / "x.tif")
    for chain, axes, reason in (
        ("x.permute(1, 0, 2, 3, 4)", "ztcyx", "axes are permuted"),
        ("x.mT", "tzcxy", "axes are permuted"),
        ("x[:, :, :, 0]", "tzcx", "axis y has 1 of 6 indices"),
        ("x.double()", "tzcyx", "elements are float64, which ImageJ lacks"),
    ):
        told = convert(tmp_path / "x.tif", chain, tmp_path / "y.tif")
        assert "description" in told, chain
        assert reason in told["description"] or "y is no axis" in told["description"], told
        assert imagej_of(tmp_path / "y.tif") is None
        assert "".join(torch.file_info(tmp_path / "y.tif")[0].axes) == axes
    told = convert(tmp_path / "x.tif", "x[:, ::2, 0]", tmp_path / "y.zarr")
    attributes = dict(zarr.open(tmp_path / "y.zarr").attrs)
    assert "spacing=3\n" in attributes["description"] and "channels" not in attributes["description"]
    assert stack.shape == torch.file_info(tmp_path / "x.tif")[0].shape


def test_descriptions_that_are_plain_or_of_others(tmp_path):
    tifffile.imwrite(
        tmp_path / "x.tif", numpy.zeros((2, 4, 5), "u1"), description="a scan", metadata=None, software=False
    )
    for chain, is_kept in (("x", True), ("x[0, 1:]", True), ("x.mT", False), ("x.unsqueeze(0)", False)):
        told = convert(tmp_path / "x.tif", chain, tmp_path / "y.tif")
        assert ("description" in told) != is_kept, chain
        text = torch.file_info(tmp_path / "y.tif")[0].attributes.get("description")
        assert (text == "a scan") == is_kept, chain
    metadata = {"axes": "ZYX", "PhysicalSizeX": 0.5}
    tifffile.imwrite(tmp_path / "x.ome.tif", numpy.zeros((2, 4, 5), "u1"), metadata=metadata, software=False)
    for chain, is_kept in (("x", True), ("x.float()", False), ("x[:, 1:]", False)):
        told = convert(tmp_path / "x.ome.tif", chain, tmp_path / "y.tif")
        assert ("description" in told) != is_kept, chain
        with tifffile.TiffFile(tmp_path / "y.tif") as file:
            assert ("PhysicalSizeX" in file.ome_metadata) == is_kept
            assert file.series[0].axes == "ZYX"


def test_damaged_tags_leave_the_pixels_readable(tmp_path):
    geo_source(tmp_path / "x.tif", numpy.zeros(SHAPE, "u1"))
    whole = (tmp_path / "x.tif").read_bytes()
    for tag, kind, count in ((SCALE, 12, 3), (KEYS, 3, 16), (METADATA, 2, 16)):
        entry = struct.pack("<HHI", tag, kind, count)
        for hostile in (60000, 2**32 - 1, *[0] * (kind != 2)):
            assert whole.count(entry) == 1
            (tmp_path / "x.tif").write_bytes(whole.replace(entry, struct.pack("<HHI", tag, kind, hostile)))
            (reason,) = convert(tmp_path / "x.tif", "x", tmp_path / "y.tif").values()
            assert reason.startswith(f"the tag {tag} has {hostile} values of type {kind} from byte "), reason


def test_values_that_no_tag_can_have_are_refused_or_told(tmp_path):
    pixels = torch.zeros(4, 5, dtype=torch.uint8)
    for attributes, rule in (
        ({"resolution": [1]}, "attribute resolution = [1] must be two numbers"),
        ({"resolution": [1, -1]}, "two numbers of 0 to 4294967295"),
        ({"resolution": [1, 1], "resolution_unit": "mile"}, 'attribute resolution_unit = "mile" must be "none"'),
        ({"orientation": 9}, "attribute orientation = 9 must be an integer of 1 to 8"),
        ({"GeoKeyDirectory": [65536]}, "a list of integers of 16 bits"),
        ({"ModelPixelScale": "x"}, "a list of numbers, at most 65536"),
        ({"GDAL_NODATA": 3}, "attribute GDAL_NODATA = 3 must be a text"),
    ):
        with pytest.raises(ValueError) as error:
            torch.save(tmp_path / "x.tif", pixels, attributes=attributes)
        assert rule in str(error.value)
    for tag in (
        (SCALE, "d", 70000, (1.0,) * 70000),
        (KEYS, "Q", 4, (1, 1, 0, 2**64 - 1)),
        (KEYS, "d", 1, (0.5,)),
        (KEYS, "s", 0, "text"),
        (TEXT, "H", 2, (1, 2)),
        (274, "H", 1, 9),
        (274, "H", 1, 0),
    ):
        options = {"extratags": [(*tag, True)], "metadata": None, "software": False}
        tifffile.imwrite(tmp_path / "x.tif", numpy.zeros(SHAPE, "u1"), **options)
        ((name, reason),) = convert(tmp_path / "x.tif", "x", tmp_path / "y.tif").items()
        names = {SCALE: "ModelPixelScale", KEYS: "GeoKeyDirectory", TEXT: "GeoAsciiParams", 274: "orientation"}
        assert name == names[tag[0]]
        assert reason.startswith("it must be 1 to 8" if tag[0] == 274 else f"the tag {tag[0]} has "), reason
        assert name not in torch.file_info(tmp_path / "y.tif")[0].attributes


def test_descriptions_of_axes_alone_are_written_anew(tmp_path):
    tifffile.imwrite(tmp_path / "x.tif", numpy.zeros((2, 4, 5), "u1"), metadata={"axes": "ZYX"}, software=False)
    torch.save(tmp_path / "ours.tif", torch.zeros(2, 4, 5), axes=["z", "y", "x"])
    for source in ("x.tif", "ours.tif"):
        for chain, axes in (("x", "zyx"), ("x.double()", "zyx"), ("x[:, 1:]", "zyx"), ("x.permute(1, 0, 2)", "yzx")):
            told = convert(tmp_path / source, chain, tmp_path / "y.tif")
            assert set(told) <= {"resolution"}, (source, chain)
            assert "".join(torch.file_info(tmp_path / "y.tif")[0].axes) == axes
