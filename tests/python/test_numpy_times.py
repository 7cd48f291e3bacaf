# SPDX-License-Identifier: Apache-2.0
"""Dates and spans of time in .npy, .npz, Zarr and netCDF files, as NumPy, zarr-python and xarray read them."""

from __future__ import annotations

import json

import numpy
import pytest
import tenstride as torch
import xarray
import zarr
from running import run_program

TYPES = ["M8[ns]", "M8[us]", "M8[D]", "M8[25s]", "M8[Y]", "M8", "m8[ns]", "m8[s]", "m8[7D]", "m8"]
CF_TYPES = ["M8[D]", "M8[h]", "M8[m]", "M8[s]", "M8[ms]", "M8[us]", "M8[ns]", "m8[s]", "m8[ms]", "m8[us]", "m8[ns]"]

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning", "ignore::RuntimeWarning", "ignore::FutureWarning")


def times(code):
    """NaT is among them."""
    numbers = numpy.arange(24).reshape(2, 3, 4) * 100 - 50
    numbers[1, 2, 3] = numpy.iinfo("int64").min
    return numbers.view(code)


def name_of(code):
    return numpy.dtype(code).name


def convert(*arguments):
    return json.loads(run_program("convert", *arguments, "--json"))


def dropped(*arguments):
    return [(one["fact"], one["reason"]) for one in convert(*arguments)["dropped"]]


@pytest.mark.parametrize("code", TYPES)
@pytest.mark.parametrize("order", "<>")
def test_npy(tmp_path, code, order):
    given = times(code)
    numpy.save(tmp_path / "x.npy", given.astype(given.dtype.newbyteorder(order)))
    (info,) = torch.file_info(tmp_path / "x.npy")
    assert (info.dtype, info.attributes) == (torch.int64, {"numpy_dtype": name_of(code)})
    found = torch.load(tmp_path / "x.npy").numpy()
    assert found.dtype == "int64"
    numpy.testing.assert_array_equal(found.view(code), given)
    for chain, wanted in (
        ("x", given),
        ("x.permute(2, 0, 1)", given.transpose(2, 0, 1)),
        ("x[1].flip(0)[:, 1:]", given[1][::-1, 1:]),
    ):
        assert dropped(tmp_path / "x.npy", chain, "-o", tmp_path / "y.npy", "--force") == []
        numpy.save(tmp_path / "z.npy", numpy.ascontiguousarray(wanted))
        assert (tmp_path / "y.npy").read_bytes() == (tmp_path / "z.npy").read_bytes()


@pytest.mark.parametrize("code", TYPES)
@pytest.mark.parametrize("save", [numpy.savez, numpy.savez_compressed])
def test_npz(tmp_path, code, save):
    save(tmp_path / "x.npz", t=times(code), n=numpy.arange(5))
    convert(tmp_path / "x.npz::t", "x.permute(1, 2, 0)", "-o", tmp_path / "y.npz", "--keep-others")
    with numpy.load(tmp_path / "y.npz") as archive:
        assert (archive["t"].dtype, archive["n"].dtype) == (numpy.dtype(code), "int64")
        numpy.testing.assert_array_equal(archive["t"], times(code).transpose(1, 2, 0))
    convert(tmp_path / "x.npz::t", "x", "-o", tmp_path / "y.npy")
    assert numpy.load(tmp_path / "y.npy").dtype == numpy.dtype(code)


# zarr-python reads neither dates without a unit nor big-endian spans without one.
@pytest.mark.parametrize(
    ("code", "order"), [(code, order) for code in TYPES[:-1] for order in "<>" if code != "M8"] + [("m8", "<")]
)
@pytest.mark.parametrize("version", [2, 3])
def test_zarr(tmp_path, code, order, version):
    given = times(code)
    dtype = given.dtype.newbyteorder(order)
    array = zarr.create_array(
        tmp_path / "x.zarr", shape=given.shape, chunks=(2, 2, 3), dtype=dtype, zarr_format=version, attributes={"k": 1}
    )
    array[...] = given
    (info,) = torch.file_info(tmp_path / "x.zarr")
    assert (info.dtype, info.attributes) == (torch.int64, {"k": 1, "numpy_dtype": name_of(code)})
    numpy.testing.assert_array_equal(torch.load(tmp_path / "x.zarr").numpy().view(code), given)
    for other in (2, 3):
        options = ["--zarr-format", other, "--chunks", "3,2,2"]
        assert dropped(tmp_path / "x.zarr", "x.permute(1, 2, 0)", "-o", tmp_path / f"{other}.zarr", *options) == []
        found = zarr.open_array(tmp_path / f"{other}.zarr", mode="r")
        assert (found.dtype, found.attrs.asdict()) == (numpy.dtype(code), {"k": 1})
        assert numpy.isnat(found.fill_value)
        numpy.testing.assert_array_equal(found[...], given.transpose(1, 2, 0))
    convert(tmp_path / "x.zarr", "x.permute(2, 1, 0)", "-o", tmp_path / "m.zarr", "--metadata-only")
    found = zarr.open_array(tmp_path / "m.zarr", mode="r")
    assert (found.dtype.newbyteorder("="), found.attrs.asdict()) == (numpy.dtype(code), {"k": 1})
    numpy.testing.assert_array_equal(found[...], given.transpose(2, 1, 0))
    convert(tmp_path / "x.zarr", "x", "-o", tmp_path / "y.npy")
    assert numpy.load(tmp_path / "y.npy").dtype == numpy.dtype(code)


@pytest.mark.parametrize("version", [2, 3])
def test_the_fill_value_of_zarr(tmp_path, version):
    for number, fill in enumerate(["NaT", numpy.datetime64("2020-01-01", "ns")]):
        path = tmp_path / f"{number}.zarr"
        zarr.create_array(path, shape=(3,), dtype="M8[ns]", zarr_format=version, fill_value=numpy.datetime64(fill))
        wanted = zarr.open_array(path, mode="r")[...]
        numpy.testing.assert_array_equal(torch.load(path).numpy().view("M8[ns]"), wanted)
        name = "zarr.json" if version == 3 else ".zarray"
        metadata = json.loads((path / name).read_text())
        metadata["fill_value"] = "NaT"
        (path / name).write_text(json.dumps(metadata))
        assert torch.load(path).tolist() == [numpy.iinfo("int64").min] * 3


@pytest.mark.parametrize("dtype", ["M8[ns]", "m8[s]"])
def test_a_fill_value_of_zarr_that_is_not_named(tmp_path, dtype):
    zarr.create_array(tmp_path / "x.zarr", shape=(3,), dtype=dtype, zarr_format=2, fill_value=None)
    wanted = zarr.open_array(tmp_path / "x.zarr", mode="r")[...]
    assert numpy.isnat(wanted).all()
    numpy.testing.assert_array_equal(torch.load(tmp_path / "x.zarr").numpy().view(dtype), wanted)


@pytest.mark.parametrize("code", CF_TYPES)
@pytest.mark.parametrize("source", ["x.npy", "x.zarr"])
def test_netcdf_has_units(tmp_path, code, source):
    given = times(code)
    if source == "x.npy":
        numpy.save(tmp_path / source, given)
    else:
        zarr.create_array(tmp_path / source, data=given)
    convert(tmp_path / source, "x.permute(2, 1, 0)", "-o", tmp_path / "y.nc")
    with xarray.open_dataset(tmp_path / "y.nc", decode_times=True) as data:
        (found,) = data.data_vars.values()
        assert found.dtype.kind == given.dtype.kind
        exact = given.transpose(2, 1, 0)
        numpy.testing.assert_array_equal(found.values, exact.astype(found.dtype))
    (info,) = torch.file_info(tmp_path / "y.nc")
    word = {"D": "days", "h": "hours", "m": "minutes", "s": "seconds", "ms": "milliseconds"}
    word |= {"us": "microseconds", "ns": "nanoseconds"}
    unit = word[numpy.datetime_data(code)[0]]
    assert info.attributes["units"] == (unit if code[0] == "m" else f"{unit} since 1970-01-01")


@pytest.mark.parametrize("code", ["M8[Y]", "M8[25s]", "m8", "m8[ps]"])
def test_units_that_cf_does_not_have_stay_as_they_are(tmp_path, code):
    numpy.save(tmp_path / "x.npy", times(code))
    convert(tmp_path / "x.npy", "x", "-o", tmp_path / "y.nc")
    (info,) = torch.file_info(tmp_path / "y.nc")
    assert info.attributes == {"numpy_dtype": name_of(code)}
    convert(tmp_path / "y.nc", "x", "-o", tmp_path / "z.npy")
    numpy.testing.assert_array_equal(numpy.load(tmp_path / "z.npy"), times(code))


NO_DATES = [
    ("x.to(torch.float32)", (), "elements of float32 are no dates"),
    ("x.to(torch.int32).to(torch.int64)", (), "elements of int64 are no dates"),
    ("x.sum(0)", (), "it is not true of reduced elements"),
    ("x + 1", (), "the elements are others now"),
    ("x", ("--scale", "2"), "the elements are others now"),
]


@pytest.mark.parametrize("name", ["x.npy", "x.zarr"])
@pytest.mark.parametrize(("chain", "options", "reason"), NO_DATES)
def test_what_is_no_date_is_told(tmp_path, name, chain, options, reason):
    given = times("M8[s]")[:, :, :2]
    if name == "x.npy":
        numpy.save(tmp_path / name, given)
    else:
        zarr.create_array(tmp_path / name, data=given)
    found = dropped(tmp_path / name, chain, "-o", tmp_path / ("y" + name[1:]), *options)
    assert found == [('numpy_dtype "datetime64[s]"', reason)]
    assert torch.file_info(tmp_path / ("y" + name[1:]))[0].attributes == {}


def test_the_least_and_the_greatest_are_dates(tmp_path):
    given = times("M8[s]")[0]
    numpy.save(tmp_path / "x.npy", given)
    for reduction in ("amin", "amax"):
        assert dropped(tmp_path / "x.npy", f"x.{reduction}(1)", "-o", tmp_path / "y.npy", "--force") == []
        wanted = given.min(1) if reduction == "amin" else given.max(1)
        numpy.testing.assert_array_equal(numpy.load(tmp_path / "y.npy"), wanted)


def test_python_writes_times_by_the_attribute(tmp_path):
    numbers = torch.arange(3)
    torch.save(tmp_path / "x.zarr", numbers, attributes={"numpy_dtype": "datetime64[D]"})
    assert zarr.open_array(tmp_path / "x.zarr", mode="r").dtype == numpy.dtype("M8[D]")
    torch.save(tmp_path / "x.npy", numbers, attributes={"numpy_dtype": "timedelta64[s]"})
    assert numpy.load(tmp_path / "x.npy").dtype == numpy.dtype("m8[s]")
    torch.save(tmp_path / "y.npy", numbers, attributes={"numpy_dtype": "nonsense"})
    assert numpy.load(tmp_path / "y.npy").dtype == numpy.dtype("int64")
