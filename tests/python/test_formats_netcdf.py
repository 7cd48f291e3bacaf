# SPDX-License-Identifier: Apache-2.0
"""Classic netCDF files beside netCDF4: all versions and types, any records, and what netCDF-4 says of the same."""

from __future__ import annotations

import numpy
import pytest
import tenstride as torch

netcdf4 = pytest.importorskip("netCDF4")
xarray = pytest.importorskip("xarray")

#: The versions with the types of each.
CDF2 = ["i1", "i2", "i4", "f4", "f8"]
CDF5 = [*CDF2, "u1", "u2", "u4", "i8", "u8"]
VERSIONS = {"NETCDF3_CLASSIC": CDF2, "NETCDF3_64BIT_OFFSET": CDF2, "NETCDF3_64BIT_DATA": CDF5}
NUMBERS = {"NETCDF3_CLASSIC": 1, "NETCDF3_64BIT_OFFSET": 2, "NETCDF3_64BIT_DATA": 5}


def numbers(code, shape):
    """Other numbers in each element, negative ones and large ones among them."""
    count = int(numpy.prod(shape))
    high = numpy.arange(count) * 2654435761 % (1 << 62)
    values = high.astype(code) if code[0] in "iu" else (high / 3).astype(code)
    return values.reshape(shape)


def write(path, version, variables, attributes=()):
    """`variables`: the type and dimensions of each, of which "time" counts 5 records."""
    sizes = {"time": None, "y": 3, "x": 5}
    with netcdf4.Dataset(path, "w", format=version) as file:
        for name, size in sizes.items():
            file.createDimension(name, size)
        for name, (code, axes) in variables.items():
            variable = file.createVariable(name, code, axes)
            variable.set_auto_mask(False)
            variable[...] = numbers(code, [sizes[axis] or 5 for axis in axes])
            for key, value in dict(attributes).items():
                variable.setncattr(key, value)


def by_netcdf4(path):
    with netcdf4.Dataset(path) as file:
        file.set_auto_maskandscale(False)
        return {
            name: numpy.asarray(variable[...]) for name, variable in file.variables.items() if variable.dtype != "S1"
        }


def assert_same(found, wanted):
    array = numpy.asarray(found)
    assert array.dtype == wanted.dtype.newbyteorder("=") and array.shape == wanted.shape
    assert array.tobytes() == numpy.ascontiguousarray(wanted.astype(array.dtype)).tobytes()


def assert_read(path):
    wanted = by_netcdf4(path)
    infos = {info.name: info for info in torch.file_info(path)}
    for name, array in wanted.items():
        assert infos[name].shape == array.shape
        assert_same(torch.load(f"{path}::{name}"), array)
        for chain in ("x", "x.flip(0)") if array.ndim else ("x",):
            torch.convert(f"{path}::{name}", chain, path.with_suffix(".npy"), overwrite=True, max_memory="4M")
            assert_same(numpy.load(path.with_suffix(".npy")), array[::-1] if "flip" in chain else array)


@pytest.mark.parametrize("version", VERSIONS)
def test_all_types_and_records_are_read(tmp_path, version):
    path = tmp_path / "x.nc"
    variables = {}
    for code in VERSIONS[version]:
        for axes in ((), ("x",), ("y", "x"), ("time",), ("time", "y", "x"), ("time", "x")):
            variables["_".join([code, *axes])] = (code, axes)
    write(path, version, variables)
    assert_read(path)
    assert {info.format for info in torch.file_info(path)} == {f"netCDF, CDF-{NUMBERS[version]}"}


@pytest.mark.parametrize("code", CDF5)
@pytest.mark.parametrize("axes", [("time",), ("time", "y"), ("time", "y", "x")])
def test_a_single_variable_with_records_has_no_padding(tmp_path, code, axes):
    write(tmp_path / "x.nc", "NETCDF3_64BIT_DATA", {"v": (code, axes), "fixed": ("i1", ("x",))})
    assert_read(tmp_path / "x.nc")


def test_records_that_lie_no_whole_number_of_elements_apart(tmp_path):
    variables = {"time": ("f8", ("time",)), "a": ("f4", ("time", "y", "x")), "b": ("f8", ("time", "y"))}
    write(tmp_path / "x.nc", "NETCDF3_64BIT_OFFSET", variables)
    infos = {info.name: info for info in torch.file_info(tmp_path / "x.nc")}
    assert {name: info.chunk for name, info in infos.items()} == {"time": [5], "a": [], "b": [5, 3]}
    assert infos["a"].strides == (23, 5, 1)
    assert_read(tmp_path / "x.nc")


def test_a_variable_among_many_is_loaded_without_the_others(tmp_path):
    variables = {f"v{number}": ("f4", ("time", "y", "x")) for number in range(6)} | {"b": ("i1", ("time", "x"))}
    write(tmp_path / "x.nc", "NETCDF3_64BIT_OFFSET", variables)
    for name, array in by_netcdf4(tmp_path / "x.nc").items():
        found = torch.load(f"{tmp_path / 'x.nc'}::{name}")
        assert_same(found, array)
        assert found.is_contiguous()


def test_records_of_several_megabytes_are_read_in_parts(tmp_path):
    wanted = numbers("f8", (3, 700, 1001))
    with netcdf4.Dataset(tmp_path / "x.nc", "w", format="NETCDF3_64BIT_OFFSET") as file:
        for name, size in zip("tyx", (None, 700, 1001)):
            file.createDimension(name, size)
        file.createVariable("odd", "f4", ("t",))[:] = numpy.arange(3)
        file.createVariable("v", "f8", ("t", "y", "x"))[:] = wanted
    (info,) = torch.file_info(f"{tmp_path / 'x.nc'}::v")
    assert info.chunk == [1, 523, 1001]
    assert_same(torch.load(f"{tmp_path / 'x.nc'}::v"), wanted)
    torch.convert(f"{tmp_path / 'x.nc'}::v", "x.permute(2, 0, 1)", tmp_path / "y.npy", max_memory="16M")
    assert_same(numpy.load(tmp_path / "y.npy"), wanted.transpose(2, 0, 1))


@pytest.mark.parametrize("version", VERSIONS)
def test_a_file_of_no_records(tmp_path, version):
    with netcdf4.Dataset(tmp_path / "x.nc", "w", format=version) as file:
        file.createDimension("time", None)
        file.createDimension("y", 3)
        file.createVariable("a", "f8", ("time", "y"))
        file.createVariable("b", "i2", ("time",))
        file.createVariable("c", "i2", ())[...] = 7
    assert [torch.load(f"{tmp_path / 'x.nc'}::{name}").shape for name in "abc"] == [(0, 3), (0,), ()]
    assert torch.load(f"{tmp_path / 'x.nc'}::c").item() == 7
    torch.convert(f"{tmp_path / 'x.nc'}::a", "x.t()", tmp_path / "y.npy")
    assert numpy.load(tmp_path / "y.npy").shape == (3, 0)


def test_records_that_no_one_has_counted(tmp_path):
    """An interrupted writer leaves all ones as the number of records."""
    path = tmp_path / "x.nc"
    write(path, "NETCDF3_CLASSIC", {"a": ("f8", ("time",)), "b": ("i2", ("time", "y")), "c": ("i4", ("x",))})
    wanted = by_netcdf4(path)
    data = path.read_bytes()
    path.write_bytes(data[:4] + b"\xff" * 4 + data[8:])
    assert_same(torch.load(f"{path}::b"), wanted["b"])
    # The padding of the last record belongs to nothing; of a record that is cut off no variable is read.
    path.write_bytes(data[:4] + b"\xff" * 4 + data[8:-2])
    assert_same(torch.load(f"{path}::a"), wanted["a"])
    path.write_bytes(data[:4] + b"\xff" * 4 + data[8:-3])
    for name in "ab":
        assert_same(torch.load(f"{path}::{name}"), wanted[name][:-1])


@pytest.mark.parametrize("version", VERSIONS)
def test_text_is_an_obstacle_and_blocks_nothing(tmp_path, version):
    with netcdf4.Dataset(tmp_path / "x.nc", "w", format=version) as file:
        file.createDimension("n", 4)
        file.createVariable("label", "S1", ("n",))[:] = list("abcd")
        file.createVariable("v", "f4", ("n",))[:] = numpy.arange(4)
    path = f"{tmp_path / 'x.nc'}"
    obstacles = {info.name: info.obstacle for info in torch.file_info(path)}
    assert obstacles == {"label": "have elements of a type that tenstride has, not characters (text)", "v": None}
    assert torch.load(path + "::v").tolist() == [0, 1, 2, 3]
    with pytest.raises(RuntimeError) as raised:
        torch.load(path + "::label")
    assert (
        str(raised.value)
        == f'load: "{path}::label" must have elements of a type that tenstride has, not characters (text)'
    )


def facts(path):
    """What is said of all tensors, but for the format."""
    keys = ["dtype", "shape", "axes", "attributes", "scale", "shift", "obstacle"]
    return {info.name: {key: getattr(info, key) for key in keys} for info in torch.file_info(path)}


def fill(file, unsigned):
    file.setncatts({"title": "a title", "version": numpy.int16(3), "levels": numpy.array([1, 2.5], "f4"), "none": ""})
    for name, size in (("time", None), ("lat", 3), ("lon", 4)):
        file.createDimension(name, size)
    for name, size in (("time", 5), ("lat", 3), ("lon", 4)):
        variable = file.createVariable(name, "f8", (name,))
        variable[:] = numpy.arange(size)
        variable.units = "days since 2000-01-01" if name == "time" else f"degrees of {name}"
    t2m = file.createVariable("t2m", "i2", ("time", "lat", "lon"), fill_value=-99)
    t2m.set_auto_maskandscale(False)
    t2m[:] = numpy.arange(60).reshape(5, 3, 4)
    t2m.setncatts({"scale_factor": numpy.float32(0.1), "add_offset": 273.15, "valid_range": numpy.array([0, 99], "i2")})
    t2m.setncatts({"coordinates": "time lat lon", "flags": numpy.array([1, 2, 3], "i4"), "long_name": "Wärme"})
    plain = file.createVariable("plain", "f4", ("lat", "lon"))
    plain[:] = numpy.ones((3, 4))
    plain[0, 0] = numpy.ma.masked
    if unsigned:
        file.createVariable("wide", "u8", ("lat",))[:] = [1, 2, (1 << 64) - 5]


@pytest.fixture(params=VERSIONS)
def twins(request, tmp_path):
    """The same in a classic file and in netCDF-4."""
    for name, version in (("classic.nc", request.param), ("four.nc", "NETCDF4")):
        with netcdf4.Dataset(tmp_path / name, "w", format=version) as file:
            fill(file, request.param.endswith("DATA"))
    return tmp_path / "classic.nc", tmp_path / "four.nc"


def test_netcdf_4_says_the_same(twins):
    classic, four = twins
    assert facts(classic) == facts(four)


@pytest.mark.parametrize("chain", ["x.permute(2, 0, 1)", "x[1:, :, ::2]", "x.flip(1)"])
def test_what_becomes_of_it_is_the_same(twins, tmp_path, chain):
    results = []
    for path in twins:
        result = torch.convert(f"{path}::t2m", chain, tmp_path / "y.zarr", overwrite=True, rescale=True, verify=True)
        results.append((result.dropped, facts(tmp_path / "y.zarr"), torch.load(tmp_path / "y.zarr").tolist()))
    assert results[0] == results[1]


def said(path):
    """Of a file: attributes with their types, dimensions, variables, elements."""

    def attributes(thing):
        values = {name: thing.getncattr(name) for name in thing.ncattrs()}
        return {name: (str(value), getattr(value, "dtype", type(value))) for name, value in values.items()}

    with netcdf4.Dataset(path) as file:
        file.set_auto_maskandscale(False)
        variables = {
            name: (variable.dtype.newbyteorder("="), variable.dimensions, attributes(variable), variable[...].tolist())
            for name, variable in file.variables.items()
        }
        return attributes(file), variables, {name: len(dimension) for name, dimension in file.dimensions.items()}


@pytest.mark.parametrize("suffix", [".cdf", ".nc3", ".NC3"])
@pytest.mark.parametrize("source", [0, 1])
def test_netcdf4_reads_what_is_written(twins, tmp_path, source, suffix):
    torch.convert(twins[source], "x", tmp_path / f"y{suffix}", verify=True)
    attributes, variables, dimensions = said(tmp_path / f"y{suffix}")
    wanted = said(twins[0])
    assert (attributes, variables, dimensions) == wanted
    with netcdf4.Dataset(tmp_path / f"y{suffix}") as file:
        assert file.data_model == ("NETCDF3_64BIT_DATA" if "wide" in variables else "NETCDF3_64BIT_OFFSET")
    # And back to netCDF-4, types of attributes included.
    torch.convert(tmp_path / f"y{suffix}", "x", tmp_path / "z.nc")
    assert said(tmp_path / "z.nc")[:2] == wanted[:2]


@pytest.mark.parametrize("code", CDF5)
@pytest.mark.parametrize("chain", ["x", "x.permute(2, 0, 1)", "x.mT.flip(0)"])
def test_any_type_is_written_in_any_order(tmp_path, code, chain):
    array = numbers(code, (3, 37, 41))
    wanted = {"x": array, "x.permute(2, 0, 1)": array.transpose(2, 0, 1), "x.mT.flip(0)": array.swapaxes(1, 2)[::-1]}[
        chain
    ]
    numpy.save(tmp_path / "x.npy", array)
    torch.save(tmp_path / "s.cdf", torch.from_numpy(numpy.ascontiguousarray(wanted)))
    torch.convert(tmp_path / "x.npy", chain, tmp_path / "c.cdf", verify=True)
    torch.save(tmp_path / "x.zarr", torch.from_numpy(array), chunks=(2, 20, 20))
    torch.convert(tmp_path / "x.zarr", chain, tmp_path / "z.cdf", verify=True, max_memory="8M")
    assert (tmp_path / "s.cdf").read_bytes() == (tmp_path / "c.cdf").read_bytes() == (tmp_path / "z.cdf").read_bytes()
    assert_same(by_netcdf4(tmp_path / "c.cdf")["data"], wanted)
    assert_read(tmp_path / "c.cdf")


def test_the_bytes_are_those_that_netcdf_writes(tmp_path):
    with netcdf4.Dataset(tmp_path / "wanted.nc", "w", format="NETCDF3_64BIT_OFFSET") as file:
        file.createDimension("lat", 4)  # bytes between variables would be fill values there, and are zero here
        file.createDimension("lon", 5)
        file.title = "a title"
        variable = file.createVariable("t2m", "i2", ("lat", "lon"), fill_value=-99)
        variable.units = "K"
        variable.factor = numpy.float64(0.5)
        variable.set_auto_maskandscale(False)
        variable[:] = numpy.arange(20).reshape(4, 5)
        file.createVariable("lat", "f8", ("lat",))[:] = numpy.arange(4)
    torch.convert(tmp_path / "wanted.nc", "x", tmp_path / "y.cdf")
    assert (tmp_path / "y.cdf").read_bytes() == (tmp_path / "wanted.nc").read_bytes()


@pytest.mark.parametrize(
    "dtype, fix", [("bool", ".to(int8)"), ("float16", ".to(float32)"), ("bfloat16", ".to(float32)")]
)
def test_types_that_netcdf_lacks(tmp_path, dtype, fix):
    with pytest.raises(TypeError) as raised:
        torch.save(tmp_path / "x.cdf", torch.zeros(3, dtype=getattr(torch, dtype)))
    assert str(raised.value) == (
        f"save: elements of {dtype} must be of a type that classic netCDF has; use {fix}, or write netCDF-4 (.nc)"
    )
    with pytest.raises(TypeError, match="view_as_real"):
        torch.save(tmp_path / "x.cdf", torch.zeros(3, dtype=torch.complex64))
    assert not list(tmp_path.iterdir())


def test_names_and_axes_that_netcdf_lacks(tmp_path):
    for name in ("a/b", ""):
        with pytest.raises(ValueError) as raised:
            torch.save(tmp_path / "x.cdf", {name: torch.zeros(3), "other": torch.zeros(3)})
        assert str(raised.value) == (
            f'save: the name "{name}" must be UTF-8 without / and zero bytes: a classic netCDF file has no groups; '
            "give another name, or write netCDF-4 (.nc)"
        )
    torch.save(tmp_path / "x.cdf", {"a": torch.zeros(0, 3), "b": torch.zeros(2)})
    assert {name: array.shape for name, array in by_netcdf4(tmp_path / "x.cdf").items()} == {"a": (0, 3), "b": (2,)}
    with pytest.raises(ValueError) as raised:
        torch.save(tmp_path / "y.cdf", {"a": torch.zeros(3, 0)})
    assert str(raised.value) == (
        'save: shape (3,0) ("a") must have no axis of size 0 but the first, and that by one name in all tensors, in a '
        "classic netCDF file; write netCDF-4 (.nc)"
    )


def test_attributes_of_any_kind_are_written(tmp_path):
    attributes = {
        "text": "Wärme",
        "empty": "",
        "none": None,
        "list": [],
        "true": True,
        "truths": [True, False],
        "int": 3,
        "long": 1 << 40,
        "huge": (1 << 64) - 1,
        "half": 0.5,
        "mixed": [1, 2.5],
        "nan": float("nan"),
        "texts": ["a", "b"],
        "object": {"a": 1},
        "_FillValue": -99,
        "valid_range": [0, 9],
        "missing_value": 1e20,
        "a/b": 1,
    }
    torch.save(tmp_path / "x.cdf", {"v": torch.zeros(3, dtype=torch.int16)}, attributes=attributes)
    with netcdf4.Dataset(tmp_path / "x.cdf") as file:
        found = {name: file["v"].getncattr(name) for name in file["v"].ncattrs()}
    types = {name: value.dtype.str[1:] for name, value in found.items() if not isinstance(value, str)}
    assert types == {
        "true": "i1",
        "truths": "i1",
        "int": "i4",
        "long": "f8",
        "half": "f8",
        "mixed": "f8",
        "nan": "f8",
        "_FillValue": "i2",
        "valid_range": "i2",
        "missing_value": "f8",
    }
    texts = {name: value for name, value in found.items() if isinstance(value, str)}
    assert texts == {
        "text": "Wärme",
        "empty": "",
        "huge": "18446744073709551615",
        "texts": '["a","b"]',
        "object": '{"a":1}',
    }


def test_xarray_sees_the_same(twins, tmp_path):
    torch.convert(twins[0], "x", tmp_path / "y.cdf")
    with xarray.open_dataset(twins[0]) as wanted, xarray.open_dataset(tmp_path / "y.cdf", engine="netcdf4") as found:
        xarray.testing.assert_identical(found.load(), wanted.load())


def test_a_dropped_record_dimension_is_told(twins, tmp_path):
    dropped = torch.plan_convert(f"{twins[0]}::t2m", "x", tmp_path / "y.cdf").dropped
    assert {
        "tensor": "",
        "fact": "unlimited axis time",
        "reason": "a classic netCDF file does not say that an axis may grow",
    } in dropped


@pytest.mark.parametrize("version", ["NETCDF3_CLASSIC", "NETCDF4"])
def test_more_attributes_than_netcdf_promises_are_told(tmp_path, version):
    """To look up each of many more would take minutes."""
    path = tmp_path / "x.nc"
    for count in (8192, 8193):
        with netcdf4.Dataset(path, "w", format=version) as file:
            file.createDimension("x", 3)
            variable = file.createVariable("v", "i2", ("x",))
            variable[:] = [1, 2, 3]
            variable.setncatts({f"a{i}": numpy.int16(i) for i in range(count)})
        (info,) = [info for info in torch.file_info(path) if info.name == "v"]
        assert len(info.attributes) == (count if count == 8192 else 0)
        assert torch.load(f"{path}::v").tolist() == [1, 2, 3]
    assert {"tensor": "", "fact": "attributes", "reason": "they are more than 8192 at one place"} in torch.plan_convert(
        f"{path}::v", "x", tmp_path / "y.h5"
    ).dropped
