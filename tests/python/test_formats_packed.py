# SPDX-License-Identifier: Apache-2.0
"""NIfTI files that are packed or pairs, ANALYZE 7.5 pairs, packed .npy files, and names in letters of either case."""

from __future__ import annotations

import gzip
import itertools
import zlib

import nibabel
import numpy
import pytest
import tenstride as torch

PACKED = [".nii.gz", ".hdr", ".img", ".hdr.gz", ".img.gz", ".NII.GZ", ".HDR"]


def numbers(dtype="int16", shape=(3, 4, 5)):
    return numpy.arange(int(numpy.prod(shape))).astype(dtype).reshape(shape)


def assert_same(found, wanted):
    """Element for element, with the type; `found` is an array or a Tensor."""
    array = numpy.asarray(found)
    native = wanted.astype(wanted.dtype.newbyteorder("="))
    assert array.dtype == native.dtype and array.shape == wanted.shape
    assert array.tobytes() == numpy.ascontiguousarray(native).tobytes()


def names_in(folder, stem):
    return sorted(path.name for path in folder.iterdir() if path.name.startswith(stem))


@pytest.mark.parametrize("suffix", PACKED)
@pytest.mark.parametrize("dtype", ["uint8", "int16", "float64", "complex64"])
def test_nibabel_reads_what_is_written(tmp_path, suffix, dtype):
    array = numbers(dtype)
    views = {"x": array, "p": array.transpose(2, 0, 1), "s": array[::-1, 1:, ::2]}
    for name, view in views.items():
        path = tmp_path / (name + suffix)
        torch.save(path, view)
        assert_same(torch.load(path), view)
        lower = tmp_path / (name + suffix.lower())
        for written in (tmp_path / other for other in names_in(tmp_path, f"{name}.")):
            written.rename(str(written).lower() if suffix.isupper() else written)
        assert_same(numpy.asarray(nibabel.load(lower).dataobj), view)
    end = suffix.lower()
    pair = {".nii.gz": [".nii.gz"]}.get(end, [".hdr", ".img"] if not end.endswith(".gz") else [".hdr.gz", ".img.gz"])
    assert names_in(tmp_path, "x.") == [f"x{half}" for half in pair]


@pytest.mark.parametrize("suffix", [".nii.gz", ".hdr", ".img.gz"])
def test_fields_and_extensions_come_along(tmp_path, suffix):
    image = nibabel.Nifti1Image(numbers(), numpy.array([[0, 2, 0, 5], [3, 0, 0, 6], [0, 0, -4, 7], [0, 0, 0, 1]]))
    image.header["descrip"] = b"a scan"
    image.header.set_xyzt_units("mm", "sec")
    image.header.extensions.append(nibabel.nifti1.Nifti1Extension("comment", b"some words"))
    nibabel.save(image, tmp_path / "x.nii")
    for chain, axes in (("x", (0, 1, 2)), ("x.permute(2, 0, 1)", (2, 0, 1))):
        torch.convert(tmp_path / "x.nii", chain, tmp_path / "plain.nii", overwrite=True)
        torch.convert(tmp_path / "x.nii", chain, tmp_path / f"y{suffix}", overwrite=True)
        wanted, found = nibabel.load(tmp_path / "plain.nii"), nibabel.load(tmp_path / f"y{suffix}")
        assert_same(numpy.asarray(found.dataobj), numbers().transpose(axes))
        assert numpy.array_equal(found.affine, wanted.affine)
        assert found.header.extensions == wanted.header.extensions and len(found.header.extensions) == 1
        assert found.header["descrip"].item() == b"a scan"
        # Of a pair only what says so differs.
        told = [torch.file_info(path)[0].attributes for path in (tmp_path / "plain.nii", tmp_path / f"y{suffix}")]
        assert told[0] == told[1]


def test_a_packed_file_is_one_gzip_stream(tmp_path):
    array = numbers("int32", (100, 200, 150)) // 4096
    torch.save(tmp_path / "x.nii", array)
    torch.save(tmp_path / "x.nii.gz", array)
    data = (tmp_path / "x.nii.gz").read_bytes()
    assert gzip.decompress(data) == (tmp_path / "x.nii").read_bytes()
    unpacking = zlib.decompressobj(wbits=31)
    assert unpacking.decompress(data) and unpacking.eof and not unpacking.unused_data
    assert data[4:8] == bytes(4)  # no time: equal tensors give equal files
    assert len(data) < array.nbytes / 2


def test_a_packed_header_is_unpacked_as_far_as_extensions_are_read(tmp_path):
    """It may unpack to a thousand times its size, which takes as long."""
    path = tmp_path / "x.hdr.gz"
    torch.save(path, numbers())
    header = gzip.decompress(path.read_bytes())
    for nbytes in (1 << 20, 65 << 20):
        path.write_bytes(gzip.compress(header + bytes(nbytes), 1)[:-8] + b"damaged.")
        if nbytes > 1 << 26:
            assert_same(torch.load(path), numbers())
            continue
        with pytest.raises(torch.FileError, match="gzip"):
            torch.load(path)


@pytest.mark.parametrize("suffix", [".hdr", ".hdr.gz"])
def test_neither_half_of_a_pair_is_replaced(tmp_path, suffix):
    other = tmp_path / ("x" + suffix.replace("hdr", "img"))
    other.write_bytes(b"mine")
    with pytest.raises(torch.FileError, match="exists already"):
        torch.save(tmp_path / f"x{suffix}", numbers())
    assert names_in(tmp_path, "") == [other.name] and other.read_bytes() == b"mine"
    torch.save(tmp_path / f"x{suffix}", numbers(), overwrite=True)
    assert_same(torch.load(other), numbers())


def test_types_and_shapes_that_nifti_lacks_leave_no_file(tmp_path):
    for path, tensor in (("x.nii.gz", torch.zeros(3, dtype=torch.bool)), ("x.hdr", torch.zeros(3, 0))):
        with pytest.raises((TypeError, RuntimeError), match="NIfTI"):
            torch.save(tmp_path / path, tensor)
    assert not names_in(tmp_path, "")


def test_analyze_pairs_are_read(tmp_path):
    for kind in (nibabel.AnalyzeImage, nibabel.Spm99AnalyzeImage, nibabel.Spm2AnalyzeImage):
        for order, packed, dtype in itertools.product(
            "<>", ("", ".gz"), ("uint8", "int16", "int32", "float32", "float64")
        ):
            header = kind.header_class(endianness=order)
            header.set_data_dtype(dtype)
            header["smin"] = 5  # where NIfTI has its mark
            header["descrip"] = b"a scan"
            header["glmax"] = 59
            header["orient"] = b"\2"
            image = kind(numbers(dtype), None, header)
            image.header.set_zooms((2, 3, 4))
            nibabel.save(image, tmp_path / f"x.img{packed}")
            for half in ("hdr", "img"):
                path = tmp_path / f"x.{half}{packed}"
                assert_same(torch.load(path), numbers(dtype))
                (info,) = torch.file_info(path)
                assert info.format == "ANALYZE 7.5" and info.axes == ["x", "y", "z"] and info.scale == 1
                told = info.attributes
                assert told["pixdim"] == [2, 3, 4] and told["smin"] == 5 and told["descrip"] == "a scan"
                assert told["glmax"] == 59 and told["orient"] == 2
                # Nothing says which way the axes go.
                assert not {"sform_code", "qform_code", "srow_x", "quatern_b", "qfac", "xyzt_units"} & set(told)


def test_an_analyze_pair_becomes_nifti_without_a_transform(tmp_path):
    image = nibabel.AnalyzeImage(numbers(), None)
    image.header["descrip"] = b"a scan"
    image.header["glmax"] = 59
    image.header.set_zooms((2, 3, 4))
    nibabel.save(image, tmp_path / "x.img")
    dropped = {fact["fact"] for fact in torch.plan_convert(tmp_path / "x.img", "x", tmp_path / "y.nii").dropped}
    assert {"glmax", "glmin", "orient", "originator"} <= dropped
    for name in ("y.nii", "y.nii.gz"):
        torch.convert(tmp_path / "x.img", "x.permute(2, 0, 1)", tmp_path / name)
        found = nibabel.load(tmp_path / name)
        assert_same(numpy.asarray(found.dataobj), numbers().transpose(2, 0, 1))
        assert found.header["qform_code"] == found.header["sform_code"] == 0
        assert found.header.get_zooms() == (4, 2, 3) and found.header["descrip"].item() == b"a scan"


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("code", ["u1", "<i2", ">f4", "<c16"])
def test_packed_npy_files(tmp_path, order, code):
    array = numpy.asarray(numbers("int16").astype(code), order=order)
    with gzip.open(tmp_path / "x.npy.gz", "wb") as file:
        numpy.save(file, array)
    (info,) = torch.file_info(tmp_path / "x.npy.gz")
    assert (info.format, info.codec, info.is_mapped) == ("npy 1.0", "gzip", False)
    assert_same(torch.load(tmp_path / "x.npy.gz"), array)
    for chain, wanted in (("x", array), ("x.permute(2, 0, 1)", array.transpose(2, 0, 1))):
        torch.convert(tmp_path / "x.npy.gz", chain, tmp_path / "y.npy", overwrite=True, verify=True)
        assert_same(numpy.load(tmp_path / "y.npy"), wanted)


@pytest.mark.parametrize("change", [-3, 2])
def test_a_packed_npy_file_of_another_length(tmp_path, change):
    path = tmp_path / "x.npy.gz"
    for shape in ((3, 4, 5), (100, 400)):  # all is read with the header; not all
        numpy.save(tmp_path / "x.npy", numbers("int16", shape))
        data = (tmp_path / "x.npy").read_bytes()
        path.write_bytes(gzip.compress(data[:change] if change < 0 else data + bytes(change)))
        with pytest.raises(torch.FileError) as raised:
            torch.load(path)
        nbytes, held = len(data), len(data) + change
        if len(shape) == 3:
            wrong = "3 are missing" if change < 0 else "2 too many"
            text = (
                f'npy: "{path}" holds {held - 128} bytes of elements and must hold 120 (shape (3,4,5), int16): {wrong}'
            )
        else:
            text = f'load: "{path}" has a compressed part of {held} bytes, which must be {nbytes} as its header says'
        assert str(raised.value) == text


SUFFIXES = [".npy", ".NPY", ".NPZ", ".TIF", ".Tiff", ".SafeTensors", ".NII", ".PNG", ".ZARR", ".hdf5", ".h5ad", ".H5"]
SUFFIXES += [".nc4", ".NC", ".cdf", ".CDF", ".nc3"]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_names_end_in_letters_of_either_case(tmp_path, suffix):
    array = numbers("uint8", (4, 5))
    torch.save(tmp_path / f"x{suffix}", array)
    array = array[..., None] if suffix == ".PNG" else array
    found = torch.load(tmp_path / f"x{suffix}")
    assert_same(next(iter(found.values())) if isinstance(found, dict) else found, array)
    if suffix not in (".PNG", ".NPZ", ".TIF", ".Tiff"):  # these are not written from file to file
        torch.convert(tmp_path / f"x{suffix}", "x.t()", tmp_path / f"y{suffix}", max_memory="8M")
        found = torch.load(tmp_path / f"y{suffix}")
        assert_same(next(iter(found.values())) if isinstance(found, dict) else found, array.T)
