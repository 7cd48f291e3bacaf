# SPDX-License-Identifier: Apache-2.0
"""NIfTI and TIFF files, with nibabel and tifffile as the other readers and writers."""

from __future__ import annotations

import gzip
import itertools
import zlib

import nibabel
import numpy
import PIL.Image
import pytest
import tenstride as torch
import tifffile

NIFTI_DTYPES = ["uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64"]
NIFTI_DTYPES += ["float32", "float64", "complex64", "complex128"]
TIFF_DTYPES = ["uint8", "int8", "uint16", "int16", "uint32", "int32", "float32", "float64"]


def numbers(dtype, shape=(3, 4, 5)):
    return numpy.arange(int(numpy.prod(shape))).astype(dtype).reshape(shape)


def assert_same(found, wanted):
    """Element for element, with the type; `found` is an array or a Tensor."""
    array = numpy.asarray(found)
    native = wanted.astype(wanted.dtype.newbyteorder("="))
    assert array.dtype == native.dtype and array.shape == wanted.shape
    assert array.tobytes() == numpy.ascontiguousarray(native).tobytes()


@pytest.mark.parametrize("dtype", NIFTI_DTYPES)
def test_nibabel_reads_what_is_saved(tmp_path, dtype):
    array = numbers(dtype)
    for name, view in {"x": array, "p": array.transpose(2, 0, 1), "s": array[::-1, 1:, ::2]}.items():
        path = tmp_path / f"{name}.nii"
        torch.save(path, view)
        image = nibabel.load(path)
        assert_same(numpy.asarray(image.dataobj), view)
        assert_same(torch.load(path), view)


@pytest.mark.parametrize("kind", [nibabel.Nifti1Image, nibabel.Nifti2Image])
@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("dtype", NIFTI_DTYPES)
def test_what_nibabel_saved_is_read(tmp_path, dtype, order, kind):
    array = numbers(dtype)
    header = kind.header_class(endianness=order)
    header.set_data_dtype(dtype)
    image = kind(array, numpy.diag([2, 3, 4, 1]), header)
    nibabel.save(image, tmp_path / "x.nii")
    nibabel.save(image, tmp_path / "x.nii.gz")
    (info,) = torch.file_info(tmp_path / "x.nii")
    assert info.is_byte_swapped == (order == ">" and array.itemsize > 1)
    assert info.strides == (1, 3, 12)
    assert (info.scale, info.shift) == (1, 0)
    for suffix in ("nii", "nii.gz"):
        assert_same(torch.load(tmp_path / f"x.{suffix}"), array)
    if not info.is_byte_swapped:
        assert_same(torch.memmap(tmp_path / "x.nii"), array)
    else:
        with pytest.raises(torch.FileError, match="byte order"):
            torch.memmap(tmp_path / "x.nii")


def test_the_scaling_of_nifti_is_said_and_not_applied(tmp_path):
    values = numpy.linspace(-3, 7, 60).reshape(3, 4, 5)
    image = nibabel.Nifti1Image(values, numpy.eye(4))
    image.set_data_dtype("int16")
    nibabel.save(image, tmp_path / "x.nii")
    (info,) = torch.file_info(tmp_path / "x.nii")
    stored = torch.load(tmp_path / "x.nii")
    assert stored.dtype == torch.int16
    assert_same(stored, numpy.asarray(nibabel.load(tmp_path / "x.nii").dataobj.get_unscaled()))
    meant = numpy.asarray(stored) * info.scale + info.shift
    numpy.testing.assert_allclose(meant, nibabel.load(tmp_path / "x.nii").get_fdata(), rtol=1e-6)


def test_rescaled_nifti_is_what_nibabel_makes_of_it(tmp_path):
    values = numpy.linspace(-3, 7, 60).reshape(3, 4, 5)
    image = nibabel.Nifti1Image(values, numpy.eye(4))
    image.set_data_dtype("int16")
    nibabel.save(image, tmp_path / "x.nii")
    meant = nibabel.load(tmp_path / "x.nii").get_fdata()
    torch.convert(tmp_path / "x.nii", "x.permute(2, 0, 1)", tmp_path / "y.npy", rescale=True, dtype="float64")
    numpy.testing.assert_allclose(numpy.load(tmp_path / "y.npy"), meant.transpose(2, 0, 1), rtol=1e-6)
    assert torch.plan_convert(tmp_path / "x.nii", "x", tmp_path / "z.nii", rescale=True).dtype == torch.float32
    torch.convert(tmp_path / "x.nii", "x", tmp_path / "z.nii", rescale=True, verify=True)
    numpy.testing.assert_allclose(nibabel.load(tmp_path / "z.nii").get_fdata(), meant, rtol=1e-5)
    with pytest.raises(ValueError, match="must not go with others"):
        torch.convert(tmp_path / "x.nii", "x", tmp_path / "z.npy", rescale=True, scale=2)


def test_rescaled_netcdf_is_what_netcdf4_makes_of_it(tmp_path):
    netcdf4 = pytest.importorskip("netCDF4")
    with netcdf4.Dataset(tmp_path / "x.nc", "w") as file:
        file.createDimension("n", 60)
        variable = file.createVariable("t", "i2", ("n",))
        variable.scale_factor, variable.add_offset = 0.25, -3.0
        variable[:] = numpy.linspace(-3, 7, 60)
    torch.convert(tmp_path / "x.nc", "x", tmp_path / "y.nc", rescale=True)
    with netcdf4.Dataset(tmp_path / "x.nc") as stored, netcdf4.Dataset(tmp_path / "y.nc") as scaled:
        assert scaled["t"].dtype == "float32" and "scale_factor" not in scaled["t"].ncattrs()
        numpy.testing.assert_array_equal(scaled["t"][:], stored["t"][:])


def test_nifti_says_a_scaling_only_where_it_is_true(tmp_path):
    image = nibabel.Nifti1Image(numpy.linspace(-3, 7, 60).reshape(3, 4, 5), numpy.eye(4))
    image.set_data_dtype("int16")
    nibabel.save(image, tmp_path / "x.nii")
    meant = nibabel.load(tmp_path / "x.nii").get_fdata()
    torch.convert(tmp_path / "x.nii", "x.float()", tmp_path / "y.nii")
    numpy.testing.assert_allclose(nibabel.load(tmp_path / "y.nii").get_fdata(), meant, rtol=1e-6)
    scaled = torch.convert(tmp_path / "x.nii", "x", tmp_path / "z.nii", dtype="float32", scale=0.01)
    assert {one["reason"] for one in scaled.dropped} == {"the elements are others now"}
    assert scaled.dropped[0]["fact"].startswith("scl_slope ")
    assert nibabel.load(tmp_path / "z.nii").header.get_slope_inter() == (None, None)


def test_attributes_of_nifti_are_its_fields(tmp_path):
    rows = {"srow_x": [2, 0, 0, -9], "srow_y": [0, 3, 0, 8], "srow_z": [0, 0, 4, 7]}
    torch.save(tmp_path / "x.nii", numbers("int16"), attributes={**rows, "sform_code": 1, "descrip": "a brain"})
    image = nibabel.load(tmp_path / "x.nii")
    assert image.affine.tolist() == [*rows.values(), [0, 0, 0, 1]]
    assert image.header["descrip"] == b"a brain"
    (info,) = torch.file_info(tmp_path / "x.nii")
    assert {name: info.attributes[name] for name in rows} == rows


def test_a_permuted_nifti_file_shows_the_same_places(tmp_path):
    affine = numpy.array([[0.5, 2, 0, -9], [3, -0.5, 1, 8], [0, 0.25, 4, 7], [0, 0, 0, 1.0]])
    array = numbers("int16")
    image = nibabel.Nifti1Image(array, None)
    image.set_sform(affine, 1)
    nibabel.save(image, tmp_path / "x.nii")
    for axes in itertools.permutations(range(3)):
        torch.convert(tmp_path / "x.nii", f"x.permute{axes}", tmp_path / "y.nii", overwrite=True)
        found = nibabel.load(tmp_path / "y.nii")
        assert_same(numpy.asarray(found.dataobj), array.transpose(axes))
        for index in ((0, 0, 0), (1, 2, 3), (2, 3, 4)):
            moved = [index[axis] for axis in axes]
            numpy.testing.assert_allclose(found.affine @ [*moved, 1], affine @ [*index, 1])


def test_a_gzip_file_is_told_by_its_content(tmp_path):
    array = numbers("float32")
    torch.save(tmp_path / "x.nii", array)
    (tmp_path / "y.bin").write_bytes(gzip.compress((tmp_path / "x.nii").read_bytes()))
    assert_same(torch.load(tmp_path / "y.bin"), array)


@pytest.mark.parametrize("kind", [nibabel.Nifti1Pair, nibabel.Nifti2Pair])
@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("dtype", ["uint8", "int16", "float64", "complex64"])
def test_pairs_of_nibabel_are_read_by_either_name(tmp_path, dtype, order, kind):
    array = numbers(dtype)
    header = kind.header_class(endianness=order)
    header.set_data_dtype(dtype)
    for packed in ("", ".gz"):
        name = "packed" if packed else "plain"
        nibabel.save(kind(array, numpy.diag([2, 3, 4, 1]), header), tmp_path / f"{name}.img{packed}")
        for half in ("hdr", "img"):
            path = tmp_path / f"{name}.{half}{packed}"
            assert numpy.array_equal(nibabel.load(path).dataobj, array)
            assert_same(torch.load(path), array)
            (info,) = torch.file_info(path)
            assert (info.shape, info.attributes["pixdim"]) == ((3, 4, 5), [2, 3, 4])
            torch.convert(path, "x.permute(2, 0, 1)", tmp_path / "y.npy", verify=True, overwrite=True)
            assert_same(numpy.load(tmp_path / "y.npy"), array.transpose(2, 0, 1))


@pytest.mark.parametrize("packed_header", [False, True])
@pytest.mark.parametrize("packed_elements", [False, True])
@pytest.mark.parametrize("offset", [0, 352])
def test_each_half_of_a_pair_may_be_packed(tmp_path, packed_header, packed_elements, offset):
    array = numbers("int16")
    image = nibabel.Nifti1Pair(array, numpy.eye(4))
    image.header.set_data_offset(offset)
    nibabel.save(image, tmp_path / "x.img")
    assert_same(numpy.asarray(nibabel.load(tmp_path / "x.img").dataobj), array)
    names = []
    for half, is_packed in (("hdr", packed_header), ("img", packed_elements)):
        path = tmp_path / f"x.{half}"
        names.append(f"{path}.gz" if is_packed else str(path))
        if is_packed:
            (tmp_path / f"x.{half}.gz").write_bytes(gzip.compress(path.read_bytes()))
            path.unlink()
    for name in names:
        assert_same(torch.load(name), array)


@pytest.mark.parametrize("dtype", TIFF_DTYPES)
def test_tifffile_reads_what_is_saved(tmp_path, dtype):
    array = numbers(dtype)
    for name, view in {"x": array, "p": array.transpose(2, 0, 1), "s": array[::-1, 1:, ::2], "m": array[0]}.items():
        path = tmp_path / f"{name}.tif"
        torch.save(path, view)
        assert_same(tifffile.imread(path), view)
        assert_same(torch.load(path), view)


@pytest.mark.parametrize("byteorder", ["<", ">"])
@pytest.mark.parametrize("bigtiff", [False, True])
@pytest.mark.parametrize("dtype", TIFF_DTYPES)
def test_stacks_of_tifffile_are_read(tmp_path, dtype, bigtiff, byteorder):
    path = tmp_path / "x.tif"
    array = numbers(dtype, (3, 20, 30))
    tifffile.imwrite(path, array, bigtiff=bigtiff, byteorder=byteorder, photometric="minisblack")
    assert_same(torch.load(path), array)
    (info,) = torch.file_info(path)
    if info.is_mapped:
        assert_same(torch.memmap(path), array)


KEPT = [
    {"compression": "zlib"},
    {"tile": (16, 32)},
    {"tile": (16, 16), "compression": "zlib"},
    {"rowsperstrip": 7},
    {"rowsperstrip": 7, "compression": "zlib"},
]
# tifffile does not bring the library that the predictor of floats needs; Pillow writes it, below.
PREDICTED = [
    ({"compression": "zlib", "predictor": True}, dtype) for dtype in ("uint8", "int16", "uint16", "int32", "uint32")
]


@pytest.mark.parametrize("byteorder", ["<", ">"])
@pytest.mark.parametrize(
    ("options", "dtype"),
    [(options, dtype) for options in KEPT for dtype in ("uint8", "int16", "uint16", "float32")] + PREDICTED,
    ids=str,
)
def test_compressed_and_tiled_stacks_are_read(tmp_path, options, dtype, byteorder):
    path = tmp_path / "x.tif"
    array = numbers(dtype, (3, 50, 70))
    tifffile.imwrite(path, array, byteorder=byteorder, photometric="minisblack", **options)
    assert_same(torch.load(path), array)


@pytest.mark.parametrize(
    ("mode", "predictor"), [("L", 2), ("RGB", 2), ("I;16", 2), ("I", 2), ("F", 1), ("F", 2), ("F", 3)]
)
def test_predictors_of_libtiff_are_read(tmp_path, mode, predictor):
    dtype, shape = {
        "L": ("uint8", (50, 70)),
        "RGB": ("uint8", (50, 70, 3)),
        "I;16": ("uint16", (50, 70)),
        "I": ("int32", (50, 70)),
        "F": ("float32", (50, 70)),
    }[mode]
    array = numbers(dtype, shape)
    image = PIL.Image.frombytes(mode, (70, 50), array.tobytes())
    path = tmp_path / "x.tif"
    # Predictor, rows per strip.
    image.save(path, compression="tiff_adobe_deflate", tiffinfo={317: predictor, 278: 16})
    with tifffile.TiffFile(path) as file:
        assert (file.pages[0].predictor, file.pages[0].compression) == (predictor, 8)
    assert_same(torch.load(path), array)


@pytest.mark.parametrize("byteorder", ["<", ">"])
def test_complex_numbers_with_a_predictor(tmp_path, byteorder):
    array = numbers("complex64", (20, 30)) * (1 + 2j)
    whole = array.view("uint64")
    differences = whole.copy()
    differences[:, 1:] -= whole[:, :-1]
    path = tmp_path / "x.tif"
    # tifffile writes no predictor of complex numbers: another tag becomes it.
    options = {"byteorder": byteorder, "compression": "zlib", "extratags": [(316, "H", 1, 2, True)]}
    tifffile.imwrite(path, differences.view("complex64"), photometric="minisblack", **options)
    with tifffile.TiffFile(path) as file, path.open("r+b") as out:
        out.seek(file.pages[0].tags[316].offset)
        out.write((317).to_bytes(2, "little" if byteorder == "<" else "big"))
    if byteorder == "<":
        assert_same(torch.load(path), array)
        return
    with pytest.raises(
        torch.FileError, match="complex numbers with a predictor, which must be in this machine's byte order"
    ):
        torch.load(path)


def with_last_strip_of(path, rows):
    """A copy of a TIFF file whose last strip is deflated again, with other bytes, behind the others."""
    with tifffile.TiffFile(path) as file:
        page = file.pages[0]
        offsets, counts = page.tags["StripOffsets"], page.tags["StripByteCounts"]
        packed = zlib.compress(rows)
        end = path.stat().st_size
        with path.open("r+b") as out:
            out.seek(end)
            out.write(packed)
            last = len(offsets.value) - 1
            for tag, value in ((offsets, end), (counts, len(packed))):
                width = {3: 2, 4: 4, 16: 8}[int(tag.dtype)]
                out.seek(tag.valueoffset + last * width)
                out.write(value.to_bytes(width, "little"))


def test_a_last_strip_may_be_padded(tmp_path):
    path = tmp_path / "x.tif"
    array = numbers("uint16", (50, 70))
    tifffile.imwrite(path, array, compression="zlib", rowsperstrip=32, photometric="minisblack")
    padded = array[32:].tobytes() + b"\xff" * (14 * 140)
    with_last_strip_of(path, padded)
    assert_same(torch.load(path), array)
    with_last_strip_of(path, padded + b"\xff")
    with pytest.raises(torch.FileError, match="strip 1 has more than 2520 bytes when decoded, which must be that many"):
        torch.load(path)


@pytest.mark.parametrize("axes", ["YX", "TX", "XY", "TZX", "ZXY", "QYX", "YXS", "TXS"])
def test_axes_of_tifffile(tmp_path, axes):
    is_rgb = axes.endswith("S")
    array = numbers("uint8", (5, 6, 3) if is_rgb else (2, 5, 6)[-len(axes) :])
    path = tmp_path / "x.tif"
    tifffile.imwrite(path, array, metadata={"axes": axes}, photometric="rgb" if is_rgb else "minisblack")
    with tifffile.TiffFile(path) as file:
        assert file.series[0].axes == axes
    (info,) = torch.file_info(path)
    names = {"Q": "page", "S": "c"}
    assert list(info.axes) == [names.get(letter, letter.lower()) for letter in axes]


def test_axes_of_ome_tiff(tmp_path):
    path = tmp_path / "x.ome.tif"
    array = numbers("uint16", (2, 3, 4, 20, 30))
    tifffile.imwrite(path, array, metadata={"axes": "TCZYX"}, ome=True, photometric="minisblack")
    (info,) = torch.file_info(path)
    assert info.shape == array.shape and [axis.lower() for axis in info.axes] == list("tczyx")
    assert_same(torch.load(path), array)


def test_colours_are_the_last_axis(tmp_path):
    array = numbers("uint8", (20, 30, 3))
    tifffile.imwrite(tmp_path / "x.tif", array, photometric="rgb")
    assert_same(torch.load(tmp_path / "x.tif"), array)
