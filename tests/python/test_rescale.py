# SPDX-License-Identifier: Apache-2.0
"""What stored elements mean (scaled, shifted, missing, unsigned), with netCDF4, xarray and zarr as the others."""

from __future__ import annotations

import itertools
import json
import pathlib
import shutil
import subprocess
import warnings

import numpy
import pytest
import tenstride as torch

netcdf4 = pytest.importorskip("netCDF4")
xarray = pytest.importorskip("xarray")
zarr = pytest.importorskip("zarr")

PROGRAM = pathlib.Path(torch.__file__).parents[2] / "bin" / "tenstride"
INTEGERS = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"]
SCALINGS = [{}, {"scale_factor": 0.5}, {"add_offset": -3.0}, {"scale_factor": 0.25, "add_offset": 10.0}]


def ends(dtype):
    kind = numpy.dtype(dtype)
    return numpy.iinfo(kind) if kind.kind in "iu" else numpy.finfo(kind)


def top(dtype):
    """netCDF4 masks 255 where bytes have no fill value, which the users' guide of netCDF calls data."""
    return 254 if dtype == "u1" else ends(dtype).max


def elements(dtype):
    """The ends of the type, small numbers, what stands for missing ones below, and netCDF's own fill value."""
    numbers = [0, 1, 5, 7, 100, top(dtype), ends(dtype).min, 20, 21]
    if numpy.dtype(dtype).itemsize > 1:
        numbers.append(netcdf4.default_fillvals[dtype])
    return numpy.array(numbers, dtype)


def marks(dtype):
    """Attributes that say what is missing, as numbers of the type."""

    def of_type(value):
        return numpy.array(value, dtype)[()]

    unsigned = numpy.dtype(dtype).kind == "u"
    low, high = (1, 100) if unsigned else (-5, 100)
    return [
        {},
        {"_FillValue": of_type(7)},
        {"_FillValue": of_type(top(dtype))},
        {"missing_value": of_type(5)},
        {"missing_value": of_type([5, 20])},
        {"_FillValue": of_type(7), "missing_value": of_type(1)},
        {"_FillValue": of_type(7), "valid_range": of_type([low, high])},
        {"_FillValue": of_type(7), "valid_min": of_type(low)},
        {"_FillValue": of_type(7), "valid_max": of_type(high)},
        {"_FillValue": of_type(7), "valid_range": of_type([low, high]), "valid_min": of_type(20)},
        {"valid_range": numpy.array([float(low), float(high)])},
        {"valid_max": numpy.float64(50.5)},  # none of an integer type
    ]


def write_variables(path, dtype, cases, data=None):
    """A netCDF-4 file with a variable v0, v1, … for each dict of attributes."""
    values = elements(dtype) if data is None else numpy.array(data, dtype)
    with netcdf4.Dataset(path, "w") as file:
        file.createDimension("n", values.size)
        for number, attributes in enumerate(cases):
            given = dict(attributes)
            variable = file.createVariable(f"v{number}", dtype, ("n",), fill_value=given.pop("_FillValue", None))
            for name, value in given.items():
                variable.setncattr(name, value)
            variable.set_auto_maskandscale(False)
            variable[:] = values


def all_by_netcdf4(path):
    """Of each variable: float64 with NaN for what netCDF4 masks."""
    found = {}
    with warnings.catch_warnings(), netcdf4.Dataset(path) as file:
        warnings.simplefilter("ignore")
        for name, variable in file.variables.items():
            variable.set_auto_maskandscale(True)
            if variable.dtype.kind in "iuf":
                found[name] = numpy.ma.filled(numpy.ma.asarray(variable[:]).astype("f8"), numpy.nan)
    return found


def by_netcdf4(path, name="v0"):
    return all_by_netcdf4(path)[name]


def convert(*arguments, **options):
    """Its warnings are of attributes, which tests of their own look at."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return torch.convert(*arguments, **options)


def load(path):
    """The elements of the one tensor that is no axis."""
    found = torch.load(path)
    return (found if hasattr(found, "numpy") else found[max(found, key=lambda name: name[0] in "tv")]).numpy()


def cases_of(dtype, unsigned):
    cases = [{**mark, **scaling} for mark, scaling in itertools.product(marks(dtype), SCALINGS)]
    if unsigned:
        cases = [{**case, "_Unsigned": "true"} for case in cases]
        # Without one netCDF4 fails at a range of unsigned numbers, and does not find its own fill value among them.
        cases = [case for case in cases if "_FillValue" in case]
    return cases


STORED = [(dtype, False) for dtype in (*INTEGERS, "f4", "f8")]
STORED += [(dtype, True) for dtype in INTEGERS if numpy.dtype(dtype).kind == "i"]


@pytest.mark.parametrize("dtype, unsigned", STORED)
def test_all_types_are_what_netcdf4_makes_of_them(tmp_path, dtype, unsigned):
    cases = cases_of(dtype, unsigned)
    source = tmp_path / "x.nc"
    write_variables(source, dtype, cases)
    result = convert(source, "x", tmp_path / "y.nc", rescale=True, dtype="float64", verify=True)
    meant, written = all_by_netcdf4(source), all_by_netcdf4(tmp_path / "y.nc")
    missing = 0
    with xarray.open_dataset(tmp_path / "y.nc") as again:
        for number, case in enumerate(cases):
            name = f"v{number}"
            found = torch.load(f"{tmp_path / 'y.nc'}::{name}").numpy()
            for values in (found, written[name], again[name].values):
                numpy.testing.assert_array_equal(values, meant[name], err_msg=str(case))
            missing += int(numpy.isnan(meant[name]).sum())
    assert result.missing == missing > 0


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2", "i4", "u4", "f4"])
def test_float32_is_near_what_xarray_makes_of_it(tmp_path, dtype):
    """xarray does not look at ranges, nor at netCDF's own fill values: only cases without. Of 64 bits it compares fill
    values as floats, and so masks others, too.
    """
    cases = [
        case
        for case in cases_of(dtype, numpy.dtype(dtype).kind == "i")
        if "_FillValue" in case and not any(name.startswith("valid") for name in case)
    ]
    write_variables(tmp_path / "x.nc", dtype, cases)
    convert(tmp_path / "x.nc", "x", tmp_path / "y.nc", rescale=True, dtype="float32")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # several fill values
        with xarray.open_dataset(tmp_path / "x.nc") as file:
            for number, case in enumerate(cases):
                found = torch.load(f"{tmp_path / 'y.nc'}::v{number}").numpy()
                wanted = file[f"v{number}"].values.astype("f8")
                numpy.testing.assert_allclose(found, wanted, rtol=2e-6, atol=2e-6, err_msg=str(case))


@pytest.mark.parametrize("stored", ["i1", "u2", "i4", "f4"])
@pytest.mark.parametrize("wanted", INTEGERS)
def test_missing_elements_of_integers_are_a_fill_value_that_is_stated(tmp_path, stored, wanted):
    cases = [
        {"_FillValue": numpy.array(7, stored)[()], "scale_factor": 2.0},
        {"_FillValue": numpy.array(7, stored)[()], "valid_range": numpy.array([0, 20], stored)},
        {"missing_value": numpy.array([0, 20], stored), "add_offset": 3.0},
    ]
    write_variables(tmp_path / "x.nc", stored, cases, [0, 7, 20, 5, 1, 21])
    name = numpy.dtype(wanted).name
    result = convert(tmp_path / "x.nc", "x", tmp_path / "y.nc", rescale=True, dtype=name, verify=True)
    missing = 0
    source = all_by_netcdf4(tmp_path / "x.nc")
    with netcdf4.Dataset(tmp_path / "y.nc") as file:
        for number in range(len(cases)):
            meant = source[f"v{number}"]
            variable = file[f"v{number}"]
            assert variable.dtype == wanted and variable.getncattr("_FillValue").dtype == wanted
            assert set(variable.ncattrs()) == {"_FillValue"}
            found = variable[:]
            numpy.testing.assert_array_equal(numpy.ma.getmaskarray(found), numpy.isnan(meant))
            numpy.testing.assert_array_equal(found.compressed(), meant[~numpy.isnan(meant)])
            missing += int(numpy.isnan(meant).sum())
    assert result.missing == missing


def test_an_element_that_becomes_the_fill_value_is_refused(tmp_path):
    write_variables(tmp_path / "x.nc", "i2", [{"_FillValue": numpy.int16(7)}], [0, 7, 263, 5])
    with pytest.raises(torch.FileError) as refusal:
        convert(tmp_path / "x.nc", "x", tmp_path / "y.nc", rescale=True, dtype="uint8")
    assert str(refusal.value) == (
        f'permute_file: "{tmp_path}/x.nc::v0" must have no element that becomes 7 in uint8, which stands for missing '
        "ones: 1 do (take a larger type, or a floating one)"
    )
    assert [path.name for path in tmp_path.iterdir()] == ["x.nc"]


def test_the_instances_of_the_issue(tmp_path):
    unsigned = {"_Unsigned": "true", "scale_factor": 0.5}
    write_variables(tmp_path / "u.nc", "i1", [unsigned], [0, 100, -56, -1])
    convert(tmp_path / "u.nc", "x", tmp_path / "u.npy", rescale=True)
    assert numpy.load(tmp_path / "u.npy").tolist() == [0, 50, 100, 127.5]
    packed = {"_FillValue": numpy.int16(-999), "scale_factor": 0.01, "add_offset": 273.15}
    write_variables(tmp_path / "t.nc", "i2", [packed], [0, 100, -999])
    convert(tmp_path / "t.nc", "x", tmp_path / "t.npy", rescale=True)
    found = numpy.load(tmp_path / "t.npy")
    numpy.testing.assert_allclose(found, [273.15, 274.15, numpy.nan], rtol=1e-6)
    # What elements are no longer is not said of them.
    convert(tmp_path / "t.nc", "x", tmp_path / "m.nc", scale=0.01, dtype="float32")
    with netcdf4.Dataset(tmp_path / "m.nc") as file:
        assert file["v0"].ncattrs() == []


@pytest.mark.parametrize(
    ("attributes", "rule"),
    [
        ({"scale_factor": "0.5"}, 'scale_factor "0.5", which must be a number, not text'),
        ({"add_offset": "abc"}, 'add_offset "abc", which must be a number, not text'),
        ({"scale_factor": [0.5, 0.25]}, "scale_factor [0.5,0.25], which must be one finite number"),
        ({"scale_factor": numpy.nan}, "scale_factor NaN, which must be one finite number"),
        ({"missing_value": "-999"}, 'missing_value "-999", which must be a number, not text'),
        ({"valid_range": "0 2"}, 'valid_range "0 2", which must be a number, not text'),
    ],
)
def test_what_is_no_number_is_refused(tmp_path, attributes, rule):
    """netCDF4 and xarray fail at a factor that is text; other texts netCDF4 warns of and does not use."""
    write_variables(tmp_path / "x.nc", "i2", [attributes])
    with pytest.raises(ValueError) as refusal:
        torch.convert(tmp_path / "x.nc", "x", tmp_path / "y.nc", rescale=True)
    assert str(refusal.value) == (
        f'permute_file: "{tmp_path}/x.nc::v0" says {rule} (give scale and shift as numbers of your own)'
    )
    if attributes == {"scale_factor": "0.5"}:
        with pytest.raises(TypeError):
            by_netcdf4(tmp_path / "x.nc")
        with xarray.open_dataset(tmp_path / "x.nc") as file, pytest.raises(TypeError):
            file["v0"].load()


def test_a_bool_cannot_be_missing(tmp_path):
    write_variables(tmp_path / "x.nc", "i2", [{"_FillValue": numpy.int16(7)}])
    with pytest.raises(ValueError, match=r"may be missing \(7\), so the result must not be bool"):
        torch.convert(tmp_path / "x.nc", "x", tmp_path / "y.npy", rescale=True, dtype="bool")


def test_a_range_that_is_not_of_the_type_is_told(tmp_path):
    write_variables(tmp_path / "x.nc", "i2", [{"valid_range": [0.5, 50.0], "missing_value": 1e20}])
    told = [
        "missing_value 1e+20 is not used: it must be of int16",
        "valid_range [0.5,50.0] is not used: it must be of int16",
    ]
    assert torch.plan_convert(tmp_path / "x.nc", "x", tmp_path / "y.nc", rescale=True).notes == told
    with pytest.warns(UserWarning) as warned:
        torch.convert(tmp_path / "x.nc", "x", tmp_path / "y.nc", rescale=True)
    assert [str(warning.message) for warning in warned] == ["convert: " + text for text in told]


def test_false_says_that_unsigned_bytes_have_a_sign(tmp_path):
    """As xarray has it; netCDF4 does not know it."""
    write_variables(tmp_path / "x.nc", "u1", [{"_Unsigned": "false", "scale_factor": 0.5}], [0, 100, 200, 254])
    convert(tmp_path / "x.nc", "x", tmp_path / "y.npy", rescale=True)
    with xarray.open_dataset(tmp_path / "x.nc") as file:
        assert numpy.load(tmp_path / "y.npy").tolist() == file["v0"].values.tolist() == [0, 50, -28, -1]


@pytest.mark.parametrize("version", [2, 3])
def test_zarr_says_the_same_as_netcdf(tmp_path, version):
    cases = [
        {**case, "missing_value": 100} for case in cases_of("i1", True) if "missing_value" not in case and len(case) > 1
    ]
    write_variables(tmp_path / "x.nc", "i1", cases)
    meant = all_by_netcdf4(tmp_path / "x.nc")
    with netcdf4.Dataset(tmp_path / "x.nc") as file:
        for number in range(len(cases)):
            variable = file[f"v{number}"]
            variable.set_auto_maskandscale(False)
            attributes = {
                name: getattr(value, "tolist", lambda value=value: value)() for name, value in variable.__dict__.items()
            }
            folder = tmp_path / f"{number}.zarr"
            zarr.create_array(folder, data=variable[:], chunks=(3,), zarr_format=version, attributes=attributes)
            convert(folder, "x", tmp_path / f"{number}.npy", rescale=True, dtype="float64")
            wanted = meant[f"v{number}"]
            numpy.testing.assert_array_equal(numpy.load(tmp_path / f"{number}.npy"), wanted, err_msg=str(attributes))
            convert(folder, "x", tmp_path / f"y{number}.zarr", rescale=True, dtype="float64", zarr_format=version)
            (info,) = torch.file_info(tmp_path / f"y{number}.zarr")
            assert list(info.attributes) == ["_FillValue"] and numpy.isnan(info.attributes["_FillValue"])


# Large files: by tiles of flat elements and by chunks, in parts, and again.


def packed_grid(path, shape, chunks=None):
    """int16 with every 97th element missing; what they mean, and how many are missing."""
    values = (numpy.arange(numpy.prod(shape)) % 5000).astype("i2").reshape(shape)
    values.reshape(-1)[::97] = -999
    with netcdf4.Dataset(path, "w") as file:
        for axis, size in enumerate(shape):
            file.createDimension(f"d{axis}", size)
        names = tuple(f"d{axis}" for axis in range(len(shape)))
        variable = file.createVariable("t", "i2", names, fill_value=-999, chunksizes=chunks, contiguous=chunks is None)
        variable.scale_factor, variable.add_offset = 0.25, -3.0
        variable.set_auto_maskandscale(False)
        variable[:] = values
    meant = numpy.where(values == -999, numpy.nan, values * 0.25 - 3)
    return meant, int((values == -999).sum())


@pytest.mark.parametrize("chunks", [None, (16, 64, 40)])
@pytest.mark.parametrize("suffix", ["npy", "nc", "zarr"])
@pytest.mark.parametrize("dtype", ["float32", "int32"])
def test_large_files_are_rescaled_in_parts(tmp_path, chunks, suffix, dtype):
    meant, missing = packed_grid(tmp_path / "x.nc", (64, 256, 120), chunks)
    in_chunks = chunks is not None or suffix != "npy"
    options = {"rescale": True, "dtype": dtype, "verify": True, "max_memory": "12M" if in_chunks else "2M"}
    if suffix == "zarr":
        options["chunks"] = (120, 16, 16)
    result = convert(tmp_path / "x.nc", "x.permute(2, 0, 1)", tmp_path / f"y.{suffix}", **options)
    assert result.missing == missing and result.is_checked
    found = load(tmp_path / f"y.{suffix}")
    wanted = meant.transpose(2, 0, 1)
    if dtype == "int32":  # int16 elements may mean -999, too
        wanted = numpy.where(numpy.isnan(wanted), netcdf4.default_fillvals["i4"], numpy.trunc(wanted))
    numpy.testing.assert_array_equal(found, wanted.astype(dtype))


@pytest.mark.parametrize("suffix", ["npy", "zarr"])
def test_a_resumed_run_counts_what_an_earlier_one_found(tmp_path, suffix):
    shape, chunks = ((64, 256, 120), None) if suffix == "npy" else ((256, 256, 120), (16, 64, 40))
    meant, missing = packed_grid(tmp_path / "x.nc", shape, chunks)
    destination = tmp_path / f"y.{suffix}"

    def stop(progress):
        if 0 < progress.tiles_done < progress.tiles:
            raise KeyboardInterrupt

    options = {"rescale": True, "max_memory": "2M" if suffix == "npy" else "12M"}
    is_stopped = False
    while not is_stopped:  # a run may be through before it is told of
        try:
            convert(tmp_path / "x.nc", "x.permute(2, 1, 0)", destination, progress=stop, overwrite=True, **options)
        except KeyboardInterrupt:
            is_stopped = True
    if destination.is_dir():  # of a run that was through
        shutil.rmtree(destination)
    destination.unlink(missing_ok=True)
    result = convert(tmp_path / "x.nc", "x.permute(2, 1, 0)", destination, resume=True, **options)
    assert result.is_resumed and result.missing == missing
    numpy.testing.assert_array_equal(load(destination), meant.transpose(2, 1, 0).astype("f4"))


def test_tasks_count_together(tmp_path):
    meant, missing = packed_grid(tmp_path / "x.nc", (64, 256, 120), (16, 64, 40))
    for task in ((1, 3), (3, 3), (2, 3)):
        result = convert(tmp_path / "x.nc", "x", tmp_path / "y.zarr", rescale=True, task=task)
    assert result.tasks_left == 0 and result.missing == missing
    numpy.testing.assert_array_equal(torch.load(tmp_path / "y.zarr").numpy(), meant.astype("f4"))


# Without rescaling: what is said of elements stays true of them, or is left out and told.


def attributes_after(tmp_path, chain, dtype=None, stored="i2", attributes=None, **options):
    given = attributes or {"scale_factor": 0.5, "_FillValue": numpy.int16(-999), "valid_range": numpy.int16([0, 300])}
    write_variables(tmp_path / "x.nc", stored, [{**given, "units": "K"}], [0, -999, 300, 4])
    plan = torch.plan_convert(tmp_path / "x.nc", chain, tmp_path / "y.nc", dtype=dtype, **options)
    convert(tmp_path / "x.nc", chain, tmp_path / "y.nc", dtype=dtype, overwrite=True, **options)
    with netcdf4.Dataset(tmp_path / "y.nc") as file:
        variable = file["v0"]
        found = {name: variable.getncattr(name) for name in variable.ncattrs()}
        assert found.pop("units") == "K"
        for name in found.keys() & {"_FillValue", "valid_range"}:
            assert found[name].dtype == variable.dtype
    told = [f"{one['fact']}: {one['reason']}" for one in plan.dropped] + plan.notes
    return {name: numpy.asarray(value).tolist() for name, value in found.items()}, told


ALL = {"scale_factor": 0.5, "_FillValue": -999, "valid_range": [0, 300]}


def test_conversions_convert_what_is_said_of_elements(tmp_path):
    for dtype in ("int32", "int64", "float32", "float64"):
        assert attributes_after(tmp_path, "x.flip(0)", dtype) == (ALL, [])
        wanted = by_netcdf4(tmp_path / "x.nc")[::-1]
        numpy.testing.assert_array_equal(by_netcdf4(tmp_path / "y.nc"), wanted, err_msg=dtype)
    found, told = attributes_after(tmp_path, "x", "uint8")
    assert found == {"scale_factor": 0.5}
    assert told == [
        "_FillValue -999: the elements that it speaks of are others in uint8",
        "valid_range [0,300]: the elements that it speaks of are others in uint8",
    ]


@pytest.mark.parametrize(
    ("stored", "fill"), [("f4", 1e20), ("f4", 9.969209968386869e36), ("f8", -999.9), ("f8", 1e300)]
)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_fill_values_of_floats_stay_those_of_the_elements(tmp_path, stored, fill, dtype):
    attributes = {"_FillValue": numpy.array(fill, stored)[()]}
    write_variables(tmp_path / "x.nc", stored, [attributes], [0.5, fill, -2])
    convert(tmp_path / "x.nc", "x", tmp_path / "y.nc", dtype=dtype)
    found = by_netcdf4(tmp_path / "y.nc")
    if fill == 1e300 and dtype == "float32":
        assert numpy.isinf(found[1])  # as a plain conversion has it; no fill value says anything of it
        return
    numpy.testing.assert_array_equal(found, [0.5, numpy.nan, -2])


def test_arithmetic_is_told(tmp_path):
    others = "the elements are others now"
    computed = (
        "elements that x says are missing (-999, below 0, above 300) were computed with as any others; "
        "--rescale alone makes them NaN"
    )
    left_out = [
        "scale_factor 0.5: " + others,
        "_FillValue -999: " + others,
        "valid_range [0,300]: " + others,
        computed,
    ]
    assert attributes_after(tmp_path, "x", "float32", scale=0.5) == ({}, left_out)
    assert attributes_after(tmp_path, "x.flip(0).float()") == (ALL, [])


@pytest.mark.parametrize(
    ("dtype", "wanted"),
    [
        (None, {"_Unsigned": "true", "scale_factor": 0.5, "_FillValue": -1}),
        ("uint8", {"scale_factor": 0.5, "_FillValue": 255}),
        ("int16", {}),
        ("float32", {}),
    ],
)
def test_unsigned_bytes_that_are_converted_say_only_what_is_true(tmp_path, dtype, wanted):
    attributes = {"_Unsigned": "true", "scale_factor": 0.5, "_FillValue": numpy.int8(-1)}
    write_variables(tmp_path / "x.nc", "i1", [attributes], [0, 100, -56, -1])
    plan = torch.plan_convert(tmp_path / "x.nc", "x", tmp_path / "y.nc", dtype=dtype)
    convert(tmp_path / "x.nc", "x", tmp_path / "y.nc", dtype=dtype)
    with netcdf4.Dataset(tmp_path / "y.nc") as file:
        found = {name: file["v0"].getncattr(name) for name in file["v0"].ncattrs()}
    assert {name: getattr(value, "tolist", lambda value=value: value)() for name, value in found.items()} == wanted
    if wanted:
        numpy.testing.assert_array_equal(by_netcdf4(tmp_path / "y.nc"), by_netcdf4(tmp_path / "x.nc"))
    assert bool(plan.dropped) == (not wanted)


# By the program: in memory, and from file to file.


def run_program(*arguments):
    command = [str(PROGRAM), "convert", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, encoding="utf-8", check=False)


@pytest.mark.skipif(not PROGRAM.exists(), reason="the program stands beside a package that was built, not installed")
def test_the_bill_says_how_many_are_missing(tmp_path):
    packed = {"_FillValue": numpy.int16(-999), "scale_factor": 0.5, "valid_range": numpy.int16([0, 300])}
    write_variables(tmp_path / "x.nc", "i2", [packed], [0, 100, -999, 301])
    line = "2 of 4 elements are missing in x (-999, below 0, above 300), {} in the result\n"
    for output, options in (("y.npy", ()), ("z.npy", ("--max-mem", "512M")), ("y.nc", ()), ("y.zarr", ())):
        result = run_program(tmp_path / "x.nc", "x", "-o", tmp_path / output, "--rescale", "--verify", *options)
        assert result.returncode == 0, result.stderr
        assert line.format("NaN") in result.stdout and "verified" in result.stdout
        numpy.testing.assert_array_equal(load(tmp_path / output), [0, 50, numpy.nan, numpy.nan])
    options = ("--rescale", "--dtype", "int16", "--json", "--force", "--verify")
    result = run_program(tmp_path / "x.nc", "x", "-o", tmp_path / "y.nc", *options)
    bill = json.loads(result.stdout.splitlines()[-1])
    assert bill["missing"] == 2 and bill["output"]["fill_value"] == -999 and bill["output"]["scale"] == [0.5]
    assert load(tmp_path / "y.nc").tolist() == [0, 50, -999, -999]


@pytest.mark.skipif(not PROGRAM.exists(), reason="the program stands beside a package that was built, not installed")
def test_the_bill_tells_what_is_no_longer_said(tmp_path):
    packed = {"_FillValue": numpy.int16(-999), "scale_factor": 0.5}
    write_variables(tmp_path / "x.nc", "i2", [packed], [0, 100, -999, 301])
    for chain in ("x.to(torch.float32) * 0.01", "x.float().abs()", "x > 3", "x.masked_fill(x < 0, 0)"):
        result = run_program(tmp_path / "x.nc", chain, "-o", tmp_path / "y.nc", "--force")
        assert result.returncode == 0, result.stderr
        assert "dropped  scale_factor 0.5, _FillValue -999: the elements are others now\n" in result.stdout
        assert "elements that x says are missing (-999) were computed with as any others" in result.stdout
        with netcdf4.Dataset(tmp_path / "y.nc") as file:
            assert not {"scale_factor", "_FillValue"} & set(file["v0"].ncattrs()), chain
    result = run_program(tmp_path / "x.nc", "x.float().mean(0)", "-o", tmp_path / "y.nc", "--force")
    assert "note: mean takes elements that x says are missing (-999) as any others" in result.stdout
    with netcdf4.Dataset(tmp_path / "y.nc") as file:
        assert "scale_factor" in file["v0"].ncattrs() and "_FillValue" not in file["v0"].ncattrs()
    # Elements that are only moved keep what is said of them.
    result = run_program(tmp_path / "x.nc", "x.roll(1, 0)", "-o", tmp_path / "y.nc", "--force")
    assert "note" not in result.stdout
    numpy.testing.assert_array_equal(by_netcdf4(tmp_path / "y.nc"), [150.5, 0, 50, numpy.nan])
