# SPDX-License-Identifier: Apache-2.0
"""Fill values and attributes of Zarr arrays, as zarr-python, xarray, tensorstore and a strict parser read them."""

from __future__ import annotations

import itertools
import json
import math
import pathlib

import ml_dtypes
import numpy
import pytest
import tenstride as torch

zarr = pytest.importorskip("zarr")
h5py = pytest.importorskip("h5py")
xarray = pytest.importorskip("xarray")
tensorstore = pytest.importorskip("tensorstore")
pytest.importorskip("netCDF4")

NAN, INF = math.nan, math.inf
INTEGERS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
# What netCDF-4 has; Zarr also has bool, float16 and complex types.
NETCDF_TYPES = [*INTEGERS, "float32", "float64"]
NUMPY_TYPES = [*NETCDF_TYPES, "bool", "float16", "complex64", "complex128"]
# Those that zarr-python, and so xarray, does not know; tensorstore does.
SMALL_FLOATS = ["bfloat16", "float8_e4m3fn", "float8_e5m2"]
FORMATS = {"zarr2": ".zarr", "zarr3": ".zarr", "netcdf": ".nc"}
VERSIONS = {"zarr2": 2, "zarr3": 3, "netcdf": None}
PAIRS = list(itertools.product(FORMATS, FORMATS))
# Version 2 has no float8.
TYPES_OF_VERSIONS = [(dtype, 2) for dtype in [*NUMPY_TYPES, "bfloat16"]]
TYPES_OF_VERSIONS += [(dtype, 3) for dtype in [*NUMPY_TYPES, *SMALL_FLOATS]]
TYPED_PAIRS = [
    (dtype, *pair) for dtype in NUMPY_TYPES for pair in PAIRS if dtype in NETCDF_TYPES or "netcdf" not in pair
]

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning", "ignore::RuntimeWarning")


def refuse(word):
    raise AssertionError(f"{word} is no JSON")


def texts_of(folder):
    """The files of metadata by their names, read by the letter of JSON."""
    paths = sorted(pathlib.Path(folder).rglob("*"))
    names = ("zarr.json", ".zarray", ".zattrs", ".zgroup", ".zmetadata")
    return {
        str(path.relative_to(folder)): json.loads(path.read_text(), parse_constant=refuse)
        for path in paths
        if path.name in names
    }


def number_of(element):
    """As it stands among attributes: float32 with the fewest digits."""
    return float(str(element)) if element.dtype == "float32" else element.item()


def fills_of(dtype):
    """No fill value, 0, and those that a text, a double or a signed integer would lose."""
    kind = numpy.dtype(dtype).kind
    if kind == "b":
        return [None, False, True]
    if kind == "c":
        return [None, complex(NAN, 0), complex(0.1, -INF), 0j]
    if kind == "f":
        return [None, NAN, INF, -INF, 0.0, -999.0, 0.1, float(numpy.finfo(dtype).max)]
    limits = numpy.iinfo(dtype)
    return [None, 0, limits.min, limits.max, limits.max - 2]


def data_of(dtype, fill):
    """The fill value, zeros and others."""
    values = numpy.arange(12).astype(dtype)
    values[[0, 7]] = 0 if fill is None else fill
    if numpy.dtype(dtype).kind in "fc":
        values[3] = NAN
    return values.reshape(3, 4)


def variables_of(dtype, extra=()):
    """A variable for each fill value, as xarray writes them."""
    dataset = xarray.Dataset()
    for number, fill in enumerate(fills_of(dtype)):
        attributes = {"units": "K", "big": 2**53 + 1, **dict(extra)}
        if fill is not None:
            attributes["_FillValue"] = numpy.array(fill, dtype)[()]
        dataset[f"v{number}"] = (("y", "x"), data_of(dtype, fill), attributes)
        if fill is None:
            dataset[f"v{number}"].encoding["_FillValue"] = None
    return dataset


def write(dataset, path, kind):
    if kind == "netcdf":
        dataset.to_netcdf(path, engine="netcdf4")
    else:
        dataset.to_zarr(path, zarr_format=VERSIONS[kind], consolidated=True)


def shown(path, kind, **options):
    """What xarray shows: missing elements masked, packed ones scaled, times decoded."""
    engine = {"engine": "netcdf4"} if kind == "netcdf" else {"engine": "zarr", "consolidated": False}
    with xarray.open_dataset(path, **engine, **options) as dataset:
        return dataset.load()


def assert_shown_alike(found, wanted):
    xarray.testing.assert_identical(found, wanted)
    for name, variable in wanted.variables.items():
        assert found[name].dtype == variable.dtype
        fills = [one.encoding.get("_FillValue") for one in (found[name], variable)]
        numpy.testing.assert_array_equal(*fills) if None not in fills else numpy.testing.assert_equal(*fills)


def with_encoding_of_values(dataset):
    """Without chunks and codecs, which are not those of the other format."""
    kept = ("_FillValue", "missing_value", "scale_factor", "add_offset", "dtype", "_Unsigned", "units", "calendar")
    for variable in dataset.variables.values():
        old = variable.encoding
        variable.encoding = {"_FillValue": None, **{name: old[name] for name in kept if name in old}}
    return dataset


def converted(source, tmp_path, kind, chain="x", **options):
    destination = tmp_path / f"to_{kind}{FORMATS[kind]}"
    if VERSIONS[kind]:
        options["zarr_format"] = VERSIONS[kind]
    torch.convert(source, chain, destination, verify=True, **options)
    if kind != "netcdf":
        texts_of(destination)
    return destination


@pytest.mark.parametrize(("dtype", "kind", "to"), TYPED_PAIRS)
def test_xarray_shows_the_same_of_source_and_result(tmp_path, dtype, kind, to):
    source = tmp_path / f"from{FORMATS[kind]}"
    write(variables_of(dtype), source, kind)
    assert_shown_alike(shown(converted(source, tmp_path, to), to), shown(source, kind))


@pytest.mark.parametrize("dtype", ["int16", "float32"])
@pytest.mark.parametrize(("kind", "to"), PAIRS)
def test_xarray_writes_again_what_was_converted(tmp_path, dtype, kind, to):
    source, again = tmp_path / f"from{FORMATS[kind]}", tmp_path / f"again{FORMATS[kind]}"
    write(variables_of(dtype), source, kind)
    result = shown(converted(source, tmp_path, to), to)
    write(with_encoding_of_values(result), again, kind)
    assert_shown_alike(shown(again, kind), shown(source, kind))


@pytest.mark.parametrize(("kind", "to"), PAIRS)
def test_packed_unsigned_and_time_variables_are_shown_alike(tmp_path, kind, to):
    x = ("x",)
    packed = {"scale_factor": 0.5, "add_offset": 273.15, "_FillValue": numpy.int16(-999)}
    packed |= {"missing_value": numpy.int16(-999), "valid_range": numpy.array([0, 9], "int16")}
    unsigned = {"_Unsigned": "true", "_FillValue": numpy.int8(-1), "scale_factor": 0.5}
    days = {"units": "days since 2000-01-01", "calendar": "proleptic_gregorian"}
    dataset = xarray.Dataset(
        {
            "packed": (x, numpy.array([-999, 0, 3], "int16"), packed),
            "unsigned": (x, numpy.array([-1, -56, 0], "int8"), unsigned),
            "both": (
                x,
                numpy.array([NAN, 0, INF], "float32"),
                {"_FillValue": numpy.float32(NAN), "missing_value": NAN},
            ),
            "two": (x, numpy.array([NAN, -999, 0], "float32"), {"missing_value": numpy.array([-999, NAN], "float32")}),
            "infinite": (x, numpy.array([INF, -999, 0], "float32"), {"missing_value": numpy.float32(INF)}),
            "flags": (x, numpy.array([0, 1, 2], "uint8"), {"flag_values": numpy.array([0, 1, 2], "uint8")}),
            "truth": (x, numpy.array([0, 1, 0], "int8"), {"dtype": "bool"}),
        },
        {"t": (x, numpy.array([0, 1, 2]), days), "crs": ((), numpy.int32(0), {"grid_mapping_name": "unknown"})},
    )
    for name in ("two", "infinite"):
        dataset[name].encoding["_FillValue"] = None
    source = tmp_path / f"from{FORMATS[kind]}"
    write(dataset, source, kind)
    wanted, found = shown(source, kind), shown(converted(source, tmp_path, to), to)
    assert sorted(found.variables) == sorted(wanted.variables)
    for name, variable in wanted.variables.items():
        xarray.testing.assert_equal(found[name].variable, variable)
        assert found[name].dtype == variable.dtype
    # xarray writes no list of missing values, wherever it read it.
    write(with_encoding_of_values(found.drop_vars("two")), tmp_path / f"again{FORMATS[to]}", to)


@pytest.mark.parametrize("dtype", ["bool", "complex64", "complex128"])
def test_types_that_netcdf_lacks_are_marked_where_xarray_can_read_it(tmp_path, dtype):
    # netCDF4 reads h5py's bool as int8, and a fill value of complex types it cannot have.
    write(variables_of(dtype), tmp_path / "a.zarr", "zarr3")
    wanted = shown(tmp_path / "a.zarr", "zarr3", mask_and_scale=dtype == "bool")
    found = shown(converted(tmp_path / "a.zarr", tmp_path, "netcdf"), "netcdf", auto_complex=True)
    for name, variable in wanted.items():
        numpy.testing.assert_array_equal(found[name].astype(dtype[:7]), variable.astype(dtype[:7]))
        if dtype != "bool":
            assert "_FillValue" not in {*found[name].attrs, *found[name].encoding}


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_16_bit_floats_are_marked_for_h5py(tmp_path, dtype):
    # netCDF-C crashes when it opens a float of 16 bits.
    tensor = torch.tensor([1.5, NAN, 0]).to(getattr(torch, dtype))
    torch.save(tmp_path / "a.zarr", tensor, attributes={"_FillValue": NAN, "valid_min": -INF}, axes=["x"])
    torch.convert(tmp_path / "a.zarr", "x", tmp_path / "a.h5")
    with h5py.File(tmp_path / "a.h5") as file:
        (dataset,) = [each for each in file.values() if "_FillValue" in each.attrs]
        assert dataset.attrs["_FillValue"].dtype == dataset.dtype
        assert numpy.isnan(dataset.attrs["_FillValue"]).all() and dataset.attrs["valid_min"].tolist() == [-INF]


@pytest.mark.parametrize("version", [2, 3])
def test_zeros_of_arrays_that_are_no_variables_stay_numbers(tmp_path, version):
    # zarr-python gives every array the fill value 0. xarray opens no array of version 2 without names of axes.
    array = zarr.create_array(tmp_path / "a.zarr", shape=(4,), chunks=(2,), dtype="int16", zarr_format=version)
    array[2:] = [5, 0]
    for kind, suffix in FORMATS.items():
        destination = converted(tmp_path / "a.zarr", tmp_path, kind)
        (info,) = torch.file_info(destination)
        assert not info.attributes
        assert torch.load(f"{destination}::{info.name}" if info.name else destination).tolist() == [0, 0, 5, 0], suffix


@pytest.mark.parametrize("to", FORMATS)
@pytest.mark.parametrize(("dtype", "fill"), [("int16", NAN), ("int16", 1e20), ("uint8", -999), ("int8", 0.5)])
def test_a_fill_value_that_no_element_can_have_marks_none(tmp_path, to, dtype, fill):
    # Cast to the type it would be 0, 32767, 25 or 0, and mask those.
    data = numpy.array([0, 25, 127, 1], "float32")
    dataset = xarray.Dataset({name: (("x",), data, {"_FillValue": numpy.float32(fill)}) for name in ("v", "w")})
    write(dataset, tmp_path / "from.nc", "netcdf")
    found = shown(converted(tmp_path / "from.nc", tmp_path, to, dtype=dtype), to)
    assert found["v"].dtype == dtype and found["v"].values.tolist() == data.tolist()


@pytest.mark.parametrize("to", FORMATS)
@pytest.mark.parametrize(("before", "after", "fill"), [("float64", "float32", 1e20), ("int16", "float64", -999)])
def test_a_fill_value_goes_along_with_a_conversion(tmp_path, to, before, after, fill):
    data, attributes = numpy.array([fill, 0, 1], before), {"_FillValue": numpy.array(fill, before)[()]}
    write(xarray.Dataset(dict.fromkeys("vw", (("x",), data, attributes))), tmp_path / "from.nc", "netcdf")
    found = shown(converted(tmp_path / "from.nc", tmp_path, to, dtype=after), to)
    assert found["v"].encoding["dtype"] == after and numpy.array_equal(found["v"], [NAN, 0, 1], equal_nan=True)


@pytest.mark.parametrize(("version", "described_by"), [(2, 2), (2, 3), (3, 3)])
def test_a_permutation_of_metadata_keeps_what_xarray_shows(tmp_path, version, described_by):
    integers = variables_of("int16")
    dataset = xarray.merge([variables_of("float32"), integers.rename({name: f"i{name}" for name in integers})])
    dataset["v1"].attrs |= {"missing_value": NAN, "valid_range": [-INF, INF], "nested": {"a": [NAN]}}
    kind = f"zarr{version}"
    encoding = {"chunks": (2, 2), "compressors": zarr.codecs.ZstdCodec() if version == 3 else None}
    dataset.to_zarr(
        tmp_path / "a.zarr", zarr_format=version, consolidated=False, encoding=dict.fromkeys(dataset, encoding)
    )
    torch.convert(tmp_path / "a.zarr", "x.T", tmp_path / "b.zarr", metadata_only=True, zarr_format=described_by)
    texts_of(tmp_path / "b.zarr")
    wanted, found = shown(tmp_path / "a.zarr", kind), shown(tmp_path / "b.zarr", f"zarr{described_by}")
    for name, variable in wanted.items():
        xarray.testing.assert_equal(found[name].transpose(*variable.dims), variable)
        assert found[name].dims == variable.dims[::-1]
    assert found["v1"].attrs["valid_range"] == ["-Infinity", "Infinity"]


def attributes_of(fill):
    """NaN and infinities at any depth, and integers that no double holds."""
    given = {"valid_min": NAN, "valid_range": [-INF, INF], "actual_range": [NAN, 1.5], "units": "NaN"}
    given |= {"nested": {"a": [{"b": [INF, 1]}], "c": {"d": [[-INF], [NAN, 2]]}}}
    given |= {"big": 2**53 + 1, "huge": 2**64 - 1, "least": -(2**63), "small": 0.1}
    return given if fill is None else {"_FillValue": fill, "missing_value": fill, **given}


WRITTEN = {"valid_min": "NaN", "valid_range": ["-Infinity", "Infinity"], "actual_range": ["NaN", 1.5], "units": "NaN"}
WRITTEN |= {"nested": {"a": [{"b": ["Infinity", 1]}], "c": {"d": [["-Infinity"], ["NaN", 2]]}}}
WRITTEN |= {name: value for name, value in attributes_of(None).items() if name not in WRITTEN}


@pytest.mark.parametrize("dtype", ["float8_e4m3fn", "float8_e5m2"])
def test_version_2_has_no_float8(tmp_path, dtype):
    with pytest.raises(ValueError, match=f"must have elements that version 2 of Zarr has, not {dtype}"):
        torch.save(tmp_path / "x.zarr", torch.zeros(2).to(getattr(torch, dtype)), zarr_format=2)


@pytest.mark.parametrize(("dtype", "version"), TYPES_OF_VERSIONS)
def test_each_reader_opens_what_is_saved(tmp_path, dtype, version):
    kind = getattr(ml_dtypes, dtype) if dtype in SMALL_FLOATS else numpy.dtype(dtype)
    fills = [None, 0.0, NAN, -2.0] if dtype in SMALL_FLOATS else fills_of(dtype)
    zarr.create_group(tmp_path / "g.zarr", zarr_format=version)
    for number, fill in enumerate(fills):
        path = tmp_path / "g.zarr" / f"{number}.zarr"
        data = numpy.array([0 if fill is None else fill, 0, 1, 2], kind)
        numbers = data.astype("float32").tolist() if dtype in SMALL_FLOATS else data
        attributes = attributes_of([fill.real, fill.imag] if isinstance(fill, complex) else fill)
        tensor = torch.tensor(numbers).to(getattr(torch, dtype))
        torch.save(path, tensor, attributes=attributes, axes=["x"], zarr_format=version)
        # The parser of JSON
        texts = texts_of(path)
        found = texts[".zattrs"] if version == 2 else texts["zarr.json"]["attributes"]
        assert {name: found[name] for name in WRITTEN} == WRITTEN
        # tensorstore
        driver = {"driver": "zarr3" if version == 3 else "zarr", "kvstore": {"driver": "file", "path": str(path)}}
        store = tensorstore.open(driver, read=True).result()
        numpy.testing.assert_array_equal(store.read().result().astype("complex128"), data.astype("complex128"))
        wanted = numpy.zeros((), kind) if fill is None else data[0]
        if fill is None and version == 2:
            assert store.fill_value is None
        else:
            numpy.testing.assert_array_equal(complex(store.fill_value), complex(wanted))
        # tenstride
        (info,) = torch.file_info(path)
        if isinstance(fill, float):
            attributes["_FillValue"] = number_of(data[0])
            if not numpy.isfinite(fill):
                del attributes["missing_value"]  # _FillValue says it
        assert repr(info.attributes) == repr(dict(sorted(attributes.items())))
        # zarr-python
        if dtype in SMALL_FLOATS:
            with pytest.raises((TypeError, ValueError), match=dtype):
                zarr.open_array(path, mode="r")
            continue
        array = zarr.open_array(path, mode="r")
        assert array[...].tobytes() == data.tobytes()
        if fill is None and version == 2:
            assert array.fill_value is None
        else:
            numpy.testing.assert_array_equal(array.fill_value, wanted)
    if dtype not in SMALL_FLOATS:
        found = shown(tmp_path / "g.zarr", f"zarr{version}", mask_and_scale=False)
        fills_shown = [found[f"{number}.zarr"].attrs.get("_FillValue") for number in range(len(fills))]
        for fill, of_xarray in zip(fills, fills_shown):
            numpy.testing.assert_array_equal(of_xarray, None if fill is None else numpy.array(fill, kind))


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("dtype", NUMPY_TYPES)
def test_attributes_of_xarray_are_numbers(tmp_path, dtype, version):
    dataset = variables_of(dtype, {"valid_range": [-INF, NAN], "nested": {"a": [NAN]}, "text": "NaN"}.items())
    write(dataset, tmp_path / "a.zarr", f"zarr{version}")
    for info, fill in zip(torch.file_info(tmp_path / "a.zarr"), fills_of(dtype)):
        wanted = {"valid_range": [-INF, NAN], "nested": {"a": [NAN]}, "text": "NaN", "units": "K", "big": 2**53 + 1}
        if fill is not None:
            value = numpy.array(fill, dtype)
            number = [value.real, value.imag] if isinstance(fill, complex) else [value]
            number = [number_of(part) for part in number]
            wanted["_FillValue"] = number if isinstance(fill, complex) else number[0]
        assert repr(info.attributes) == repr(dict(sorted(wanted.items())))


@pytest.mark.parametrize(("dtype", "version"), TYPES_OF_VERSIONS)
def test_missing_chunks_of_others_are_the_fill_value(tmp_path, dtype, version):
    kind = getattr(ml_dtypes, dtype) if dtype in SMALL_FLOATS else numpy.dtype(dtype)
    fills = [None, 0.0, NAN, INF, -2.0] if dtype in SMALL_FLOATS else fills_of(dtype)
    for number, fill in enumerate(fills):
        wanted = numpy.array(0 if fill is None else fill, kind)
        path = tmp_path / f"{number}.zarr"
        driver = {"driver": "zarr3" if version == 3 else "zarr", "kvstore": {"driver": "file", "path": str(path)}}
        value = {} if fill is None else {"fill_value": wanted}
        store = tensorstore.open(driver, create=True, dtype=dtype, shape=[4], **value).result()
        expected = store.read().result().astype("complex128")
        numpy.testing.assert_array_equal(expected, numpy.full(4, wanted).astype("complex128"))
        loaded = torch.load(path)
        assert str(loaded.dtype).endswith(dtype)
        numpy.testing.assert_array_equal(loaded.to(torch.complex128).tolist(), expected)
        if dtype in SMALL_FLOATS:
            continue
        path = tmp_path / f"{number}_of_zarr.zarr"
        value = {} if fill is None else {"fill_value": wanted[()]}
        array = zarr.create_array(path, shape=(4,), dtype=dtype, zarr_format=version, **value)
        assert array[...].tobytes() == numpy.full(4, wanted).tobytes()
        assert numpy.asarray(torch.load(path)).tobytes() == array[...].tobytes()
