# SPDX-License-Identifier: Apache-2.0
"""What files say beside elements is in what is made of them, by the libraries that read them: types and shapes of
attributes, attributes of groups, unlimited dimensions, extensions of NIfTI; what has no place is told."""

from __future__ import annotations

import gzip
import json
import struct

import h5py
import netCDF4
import nibabel
import numpy
import pytest
import tenstride as torch
import xarray
import zarr
from running import run_program

NUMBERS = ["i1", "u1", "i2", "u2", ">i2", "i4", "u4", "i8", "u8", "f2", "f4", ">f4", "f8", "c8", "c16", "?"]
ATTRIBUTES = {
    f"{code} {shape}": numpy.ones(shape, code) for code in NUMBERS for shape in [(), (1,), (3,), (2, 3), (3, 0)]
}
ATTRIBUTES |= {
    "one row": numpy.arange(4, dtype="i2").reshape(1, 4),
    "one column": numpy.arange(3, dtype="u1").reshape(3, 1, 1),
    "nan": numpy.array([1, numpy.nan, numpy.inf], "f4"),
    "null": h5py.Empty("f4"),
    "null text": h5py.Empty("S1"),
    "text": "äöü",
    "bytes": numpy.bytes_("abc"),
    "padded": numpy.array("abc", "S10"),
    "ascii": numpy.array("abc", dtype=h5py.string_dtype("ascii")),
    "fixed": numpy.array("äb".encode(), dtype=h5py.string_dtype("utf-8", 5)),
    "texts": ["a", "bcd"],
    "fixed texts": numpy.array([b"a", b"bcd"]),
    "table of texts": numpy.array([["a", "b"], ["c", "dd"]], dtype=h5py.string_dtype()),
    "long text": "x" * 100000,
    "many": numpy.arange(50000, dtype="i4"),
    "large table": numpy.linspace(0, 1, 30000).reshape(300, 100),
    "_FillValue": numpy.int16(-5),
    "valid_range": numpy.array([0, 100], "i2"),
    "valid_min": numpy.float64(1.0),
}


def facts(plan):
    return [entry["fact"] for entry in plan.dropped]


def converted(*arguments):
    return json.loads(run_program("convert", *arguments, "--json"))


def assert_same_attributes(found, wanted, left_out=()):
    """Of types, shapes and values, bit for bit."""
    assert set(found) == set(wanted) - set(left_out)
    for name in found:
        ours, theirs = (h5py.h5a.open(attributes._id, name.encode()) for attributes in (found, wanted))
        assert ours.get_type().equal(theirs.get_type()), name
        assert ours.get_space().get_simple_extent_type() == theirs.get_space().get_simple_extent_type(), name
        assert ours.shape == theirs.shape, name
        if not isinstance(wanted[name], h5py.Empty):
            assert numpy.asarray(found[name]).tolist() == numpy.asarray(wanted[name]).tolist() or name == "nan"


@pytest.fixture
def hdf5(tmp_path):
    with h5py.File(tmp_path / "x.h5", "w", libver=("v108", "v108")) as file:
        data = file.create_dataset("outer/inner/x", data=numpy.arange(24, dtype="i2").reshape(2, 3, 4))
        for name, value in ATTRIBUTES.items():
            data.attrs[name] = value
            if name not in ("_FillValue", "valid_range"):
                file.attrs[name] = value
        file["outer/inner"].attrs["table"] = numpy.array([[1, 2], [3, 4]], "i2")
        file["plain"] = numpy.arange(5.0)
    return tmp_path / "x.h5"


@pytest.mark.parametrize("options", [{}, {"chunks": (2, 2, 2)}], ids=["flat", "chunks"])
def test_attributes_keep_their_types_and_shapes(hdf5, tmp_path, options):
    torch.convert(f"{hdf5}::outer/inner/x", "x.permute(2, 0, 1)", tmp_path / "y.h5", **options)
    with h5py.File(hdf5) as source, h5py.File(tmp_path / "y.h5") as found:
        assert_same_attributes(found["outer/inner/x"].attrs, source["outer/inner/x"].attrs)
        for group in ("/", "outer", "outer/inner"):
            assert_same_attributes(found[group].attrs, source[group].attrs)
        assert numpy.array_equal(found["outer/inner/x"], source["outer/inner/x"][()].transpose(2, 0, 1))


def test_attributes_of_elements_are_of_their_type(hdf5, tmp_path):
    torch.convert(f"{hdf5}::outer/inner/x", "x.to(torch.float32)", tmp_path / "y.h5")
    with h5py.File(tmp_path / "y.h5") as found:
        attributes = found["outer/inner/x"].attrs
        assert attributes["_FillValue"].dtype == attributes["valid_range"].dtype == "f4"
        assert attributes["valid_min"].dtype == "f8" and attributes["i2 (2, 3)"].dtype == "i2"


def test_attributes_without_a_counterpart_are_told(tmp_path):
    pair = numpy.zeros((), [("a", "i4"), ("b", "f4")])
    with h5py.File(tmp_path / "x.h5", "w", libver=("v108", "v108")) as file:
        file["x"] = numpy.arange(3.0)
        file["x"].attrs["pair"] = file.attrs["pair"] = pair
        file.attrs["huge"] = numpy.zeros((1 << 20) + 1, "u1")
    reason = "attributes must be numbers or texts, not a compound {a, b}"
    assert torch.plan_convert(tmp_path / "x.h5", "x", tmp_path / "y.h5").dropped == [
        {"tensor": "", "fact": "pair", "reason": reason},
        {"tensor": "", "fact": "global attribute huge", "reason": "it is longer than 1048576 elements or 16 MiB"},
        {"tensor": "", "fact": "global attribute pair", "reason": reason},
    ]


@pytest.mark.parametrize("nested", [False, True])
def test_more_attributes_than_are_looked_up_are_told(tmp_path, nested):
    reason = "they are more than 8192 at one place"
    for count in (8192, 8193):
        given = {f"key {number}": number for number in range(count)}
        group = zarr.open_group(tmp_path / "x.zarr", mode="w", attributes={"nested": given} if nested else given)
        array = group.create_array("a", shape=(3,), dtype="i2", attributes={"nested": given} if nested else given)
        array[...] = [1, 2, 3]
        (info,) = torch.file_info(tmp_path / "x.zarr")
        assert info.attributes == ({} if count == 8193 else array.attrs.asdict())
        assert torch.load(f"{tmp_path / 'x.zarr'}::a").tolist() == [1, 2, 3]
    assert torch.plan_convert(tmp_path / "x.zarr", "x", tmp_path / "y.h5").dropped == [
        {"tensor": "", "fact": "attributes", "reason": reason},
        {"tensor": "", "fact": "global attribute attributes", "reason": reason},
    ]


def test_metadata_that_would_be_copied_for_too_many_tensors_are_told(tmp_path):
    path = tmp_path / "x.safetensors"
    for keys, nbytes, tensors, reason in (
        (8192, 1, 1, None),
        (8193, 1, 1, "they are more than 8192 at one place"),
        (1, 1000000, 260, None),
        (1, 1000000, 300, "their 1000009 bytes, which each of 300 tensors has, are more than 256 MiB"),
    ):
        header = {"__metadata__": {f"k{number}": "x" * nbytes for number in range(keys)}}
        header |= {f"t{number}": {"dtype": "U8", "shape": [0], "data_offsets": [0, 0]} for number in range(tensors)}
        text = json.dumps(header).encode()
        path.write_bytes(struct.pack("<Q", len(text)) + text)
        assert len(torch.file_info(f"{path}::t0")[0].attributes) == (keys if reason is None else 0)
        dropped = torch.plan_convert(f"{path}::t0", "x", tmp_path / "y.safetensors").dropped
        assert dropped == ([] if reason is None else [{"tensor": "", "fact": "attributes", "reason": reason}])


@pytest.fixture
def netcdf(tmp_path):
    with netCDF4.Dataset(tmp_path / "x.nc", "w") as file:
        file.setncatts({"title": "a title", "version": numpy.int16(3), "levels": numpy.array([1, 2.5], "f4")})
        for name, size in (("time", None), ("lat", 3), ("member", None)):
            file.createDimension(name, size)
        time = file.createVariable("time", "f8", ("time",))
        time[:] = numpy.arange(4.0)
        time.units = "days since 2000-01-01"
        t2m = file.createVariable("t2m", "i2", ("time", "lat"), fill_value=-99)
        t2m.set_auto_maskandscale(False)
        t2m[:] = numpy.arange(12).reshape(4, 3)
        t2m.setncatts({"scale_factor": numpy.float32(0.5), "flag": numpy.uint8(7)})
        t2m.setncattr_string("names", ["a", "b"])
        group = file.createGroup("runs")
        group.setncatts({"about": "a group", "count": numpy.array([1, 2], "i8")})
        group.createVariable("spread", "f4", ("member", "time"))[:] = numpy.ones((2, 4))
    return tmp_path / "x.nc"


def said(group):
    """Of a group and all below: attributes with their types, dimensions, and variables without their chunks."""

    def attributes(thing):
        values = {name: thing.getncattr(name) for name in thing.ncattrs()}
        return {name: (str(value), getattr(value, "dtype", type(value))) for name, value in values.items()}

    return {
        "attributes": attributes(group),
        "variables": {
            name: (variable.dtype, set(variable.dimensions), attributes(variable))
            for name, variable in group.variables.items()
        },
        "groups": {name: said(inner) for name, inner in group.groups.items()},
    }


def unlimited(group):
    return {name for name, dimension in group.dimensions.items() if dimension.isunlimited()}


@pytest.mark.parametrize("chain", ["x", "x.permute(1, 0)", "x[1:].mT"])
def test_netcdf_files_say_the_same_afterwards(netcdf, tmp_path, chain):
    moves = {"t2m": chain, "time": "x", "runs/spread": "x"}
    if chain == "x":
        torch.convert(netcdf, "x", tmp_path / "y.nc")
    else:
        converted(f"{netcdf}::t2m", chain, "-o", tmp_path / "y.nc", "--keep-others")
    with netCDF4.Dataset(netcdf) as source, netCDF4.Dataset(tmp_path / "y.nc", "a") as found:
        assert {*moves, "time_3"} >= set(found.variables)
        if "1:" not in chain:
            assert said(found) == said(source)
        assert unlimited(found) >= {"time", "member"} and not found.dimensions["lat"].isunlimited()
        axis = found["t2m"].dimensions.index("time" if "1:" not in chain else "time_3")
        found["t2m"][(slice(None), 9) if axis == 1 else 9] = 7
        assert found["t2m"].shape[axis] == 10
    with netCDF4.Dataset(tmp_path / "y.nc") as again:
        assert again["t2m"].shape[axis] == 10


@pytest.mark.parametrize("chain, axes", [("x.permute(2, 0, 1)", (2, 0, 1)), ("x.flip(0)", (0, 1, 2))])
def test_axes_without_names_may_grow(tmp_path, chain, axes):
    most = (None, 3, None)
    with h5py.File(tmp_path / "x.h5", "w") as file:
        file.create_dataset("x", data=numpy.arange(24).reshape(2, 3, 4), maxshape=most, compression="gzip")
    for options in ({}, {"chunks": (1, 2, 2), "codec": "gzip:1"}):
        torch.convert(tmp_path / "x.h5", chain, tmp_path / "y.h5", overwrite=True, **options)
        with h5py.File(tmp_path / "y.h5") as found:
            assert found["x"].maxshape == tuple(most[axis] for axis in axes)
            assert found["x"].compression == ("gzip" if options else None)


def test_what_a_reader_of_zarr_sees_is_what_xarray_writes(netcdf, tmp_path):
    for version in (2, 3):
        with xarray.open_dataset(netcdf) as source:
            source.to_zarr(tmp_path / f"wanted{version}.zarr", zarr_format=version, consolidated=False)
        torch.convert(netcdf, "x", tmp_path / f"y{version}.zarr", zarr_format=version)
        found, wanted = (zarr.open(tmp_path / f"{name}{version}.zarr") for name in ("y", "wanted"))
        assert dict(found.attrs) == dict(wanted.attrs) == {"title": "a title", "version": 3, "levels": [1.0, 2.5]}
        assert dict(found["runs"].attrs) == {"about": "a group", "count": [1, 2]}
        assert dict(found["t2m"].attrs)["flag"] == 7
    torch.convert(tmp_path / "y3.zarr", "x", tmp_path / "z.zarr", metadata_only=True)
    assert dict(zarr.open(tmp_path / "z.zarr")["runs"].attrs) == {"about": "a group", "count": [1, 2]}
    torch.convert(tmp_path / "y3.zarr", "x", tmp_path / "z.nc")
    with netCDF4.Dataset(tmp_path / "z.nc") as back:
        assert back.title == "a title" and back.version.dtype == "i4" and back.levels.dtype == "f8"
        assert back["runs"].about == "a group" and back["t2m"].flag == 7


def test_what_has_no_place_is_told(netcdf, tmp_path):
    reasons = {
        entry["fact"]: entry["reason"] for entry in torch.plan_convert(netcdf, "x", tmp_path / "y.safetensors").dropped
    }
    lost = "attributes of groups are not written to a safetensors file"
    assert reasons["global attribute title"] == reasons["attribute about of group runs"] == lost
    assert reasons["unlimited axis time"] == "a safetensors file does not say that an axis may grow"
    alone = torch.plan_convert(f"{netcdf}::t2m", "x", tmp_path / "y.zarr")
    assert facts(alone)[1:] == ["global attribute title", "global attribute version", "global attribute levels"]
    assert alone.dropped[1]["reason"].startswith("a tensor without a name is in no group")
    named = converted(f"{netcdf}::runs/spread", "x", "-o", f"{tmp_path / 'y.nc'}::spread")["dropped"]
    reason = "nothing is written to that group"
    assert named == [{"fact": f"attribute {name} of group runs", "reason": reason} for name in ("about", "count")]
    computed = converted(f"{netcdf}::t2m", "x * 2", "-o", tmp_path / "z.nc")["dropped"]
    assert {"fact": "unlimited axis time", "reason": "elements are computed"} in computed
    assert torch.plan_convert(f"{netcdf}::t2m", "x", tmp_path / "y.npy").dropped == []


def test_attributes_of_a_group_that_speak_of_axes_are_kept_where_they_are_true(tmp_path):
    group = zarr.open_group(tmp_path / "x.zarr", mode="w")
    group.attrs.update({"multiscales": [{"axes": ["y", "x"]}], "title": "a title"})
    group.create_array("0", data=numpy.arange(6).reshape(2, 3))
    converted(f"{tmp_path / 'x.zarr'}::0", "x", "-o", f"{tmp_path / 'same.zarr'}::0")
    bill = converted(f"{tmp_path / 'x.zarr'}::0", "x.mT", "-o", f"{tmp_path / 'permuted.zarr'}::0")
    assert dict(zarr.open(tmp_path / "same.zarr").attrs) == dict(group.attrs)
    assert dict(zarr.open(tmp_path / "permuted.zarr").attrs) == {"title": "a title"}
    assert bill["dropped"] == [{"fact": "global attribute multiscales", "reason": "axes are permuted"}]


@pytest.mark.parametrize("packed", ["", ".gz"])
@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("kind", ["Nifti1Image", "Nifti2Image", "Nifti1Pair", "Nifti2Pair"])
def test_extensions_of_nifti_are_kept(tmp_path, kind, order, packed):
    of_kind = getattr(nibabel, kind)
    data = numpy.arange(24, dtype="i2").reshape(2, 3, 4)
    image = of_kind(data, numpy.eye(4), of_kind.header_class(endianness=order))
    for code, content in ((6, b"a comment"), (44, bytes(range(250)) * 300)):
        image.header.extensions.append(nibabel.nifti1.Nifti1Extension(code, content))
    source = tmp_path / f"x.{'hdr' if kind.endswith('Pair') else 'nii'}{packed}"
    nibabel.save(image, source)
    torch.convert(source, "x.permute(2, 0, 1)", tmp_path / "y.nii")
    found, wanted = nibabel.load(tmp_path / "y.nii"), nibabel.load(source)
    assert len(found.header.extensions) == 2 and found.header.extensions == wanted.header.extensions
    assert numpy.array_equal(numpy.asarray(found.dataobj), numpy.asarray(wanted.dataobj).transpose(2, 0, 1))
    assert facts(torch.plan_convert(source, "x", tmp_path / "y.zarr")) == ["header extensions"]


def test_space_before_the_elements_without_extensions_is_none(tmp_path):
    nibabel.save(nibabel.Nifti1Image(numpy.arange(24, dtype="u1").reshape(2, 3, 4), None), tmp_path / "x.nii")
    content = bytearray((tmp_path / "x.nii").read_bytes())
    content[108:112] = numpy.float32(384).tobytes()
    for flag in (0, 1):
        content[348] = flag
        with gzip.open(tmp_path / f"{flag}.nii.gz", "wb") as file:
            file.write(content[:352] + bytes(32) + content[352:])
        torch.convert(tmp_path / f"{flag}.nii.gz", "x", tmp_path / f"{flag}.nii")
        assert (tmp_path / f"{flag}.nii").read_bytes()[348:] == bytes(4) + content[352:]
