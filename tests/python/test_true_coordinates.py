# SPDX-License-Identifier: Apache-2.0
"""Coordinates label the elements that they labelled, by xarray: they go through what their axes go through. A chain is
for the tensors of a file that it fits."""

from __future__ import annotations

import json

import h5py
import numpy
import pytest
import tenstride as torch
import xarray
import zarr
from running import run_program


def dataset():
    """t2m and its error on time, lat, lon; an area on lat, lon; a 2-D height that t2m names."""
    rng = numpy.random.default_rng(0)
    return xarray.Dataset(
        {
            "t2m": (("time", "lat", "lon"), rng.random((10, 4, 5)).astype("f4"), {"cell_methods": "time: mean"}),
            "area": (("lat", "lon"), rng.random((4, 5)).astype("f4")),
        },
        coords={
            "time": ("time", numpy.arange(10.0)),
            "lat": ("lat", [10.0, 20, 30, 40], {"stored_direction": "increasing"}),
            "lon": ("lon", numpy.arange(5.0)),
            "height": (("lat", "lon"), rng.random((4, 5)).astype("f4")),
        },
    )


def write(source, path):
    for name in source.variables:
        source[name].encoding["_FillValue"] = None
    if path.suffix == ".nc":
        source.to_netcdf(path)
    else:
        source.to_zarr(path, zarr_format=2 if path.stem.endswith("2") else 3, consolidated=False)


def read(path):
    return xarray.open_dataset(path) if path.suffix == ".nc" else xarray.open_zarr(path, consolidated=False)


# What is done with t2m, the same by xarray, the axes of the result, whether "coordinates" still holds.
COORDINATE_CHAINS = [
    ("x", lambda t: t, ("time", "lat", "lon"), True),
    ("x.permute(2, 0, 1)", lambda t: t.transpose("lon", "time", "lat"), ("lon", "time", "lat"), True),
    ("x[2:]", lambda t: t[2:], ("time", "lat", "lon"), True),
    ("x.flip(0)", lambda t: t[::-1], ("time", "lat", "lon"), True),
    ("x.flip(1)", lambda t: t[:, ::-1], ("time", "lat_4", "lon"), False),
    ("x[:, ::2, 1:4]", lambda t: t[:, ::2, 1:4], ("time", "lat_2", "lon_3"), False),
    ("x[::3, 1:3].permute(2, 1, 0)", lambda t: t[::3, 1:3].T, ("lon", "lat_2", "time"), False),
    ("x[3]", lambda t: t[3], ("lat", "lon"), True),
    ("x.mean(0)", lambda t: t.mean("time"), ("lat", "lon"), True),
    ("x.mean(1)", lambda t: t.mean("lat"), ("time", "lon"), False),
    ("x.reshape(2, 5, 4, 5)", lambda t: t, (None, None, "lat", "lon"), True),
]


COORDINATE_CASES = [
    (names, *row)
    for names in ("x.nc y.nc", "x.nc y.zarr", "x.zarr y.nc", "x.zarr y.zarr", "x2.zarr y.nc")
    for row in COORDINATE_CHAINS
    # From file to file, chunks are neither reduced nor split.
    if not ("zarr" in names and ("mean" in row[0] or "reshape" in row[0]))
]


@pytest.mark.parametrize(
    "names, chain, same, axes, has_height", COORDINATE_CASES, ids=[f"{row[0]} {row[1]}" for row in COORDINATE_CASES]
)
def test_labels_are_those_of_their_elements(tmp_path, names, chain, same, axes, has_height):
    source, destination = (tmp_path / name for name in names.split())
    write(dataset(), source)
    bill = run_program("convert", f"{source}::t2m", chain, "-o", destination, "--keep-others", "--verify")
    wanted = same(dataset()["t2m"])
    with read(destination) as found:
        assert len(found["t2m"].dims) == len(axes)
        for name, wanted_name in zip(found["t2m"].dims, axes, strict=True):
            assert name == wanted_name or wanted_name is None
        numpy.testing.assert_allclose(found["t2m"].values.reshape(wanted.shape), wanted, rtol=1e-6)
        # Each label is that of its elements, by whatever name, and those of the others are as they were.
        for name, own in zip(axes, wanted.dims):
            if None not in axes:
                numpy.testing.assert_array_equal(found[name], wanted[own])
        numpy.testing.assert_array_equal(found["lat"], dataset()["lat"])
        xarray.testing.assert_equal(found["area"].drop_vars("height"), dataset()["area"].drop_vars("height"))
        assert ("height" in found["t2m"].coords) == has_height
    assert ("dropped  of time: the tensor: axis time is reduced\n" in bill) == (chain == "x.mean(0)")
    renamed = [name for name in axes if name not in ("time", "lat", "lon", None)]
    for name in renamed:
        assert f"the axis is called {name}\n" in bill
    assert ("dropped  of t2m: coordinates: " in bill) == (not has_height), bill


def bounded():
    """Latitudes with bounds, which go along with them."""
    bounds = numpy.array([[5.0, 15], [15, 25], [25, 35], [35, 45]])
    return dataset().drop_vars("area").assign(lat_bnds=(("lat", "nv"), bounds))


@pytest.mark.parametrize("suffix", ["nc", "zarr"])
def test_what_only_one_tensor_has_is_cut_with_it(tmp_path, suffix):
    source = bounded()
    source["lat"].attrs["bounds"] = "lat_bnds"
    write(source, tmp_path / f"x.{suffix}")
    chain = "x[1:, 1:].flip(1)"
    run_program("convert", tmp_path / f"x.{suffix}::t2m", chain, "-o", tmp_path / "y.zarr", "--keep-others")
    wanted = source.isel(time=slice(1, None), lat=slice(3, 0, -1))
    with read(tmp_path / "y.zarr") as found:
        xarray.testing.assert_equal(found.compute(), wanted.compute())
        assert found["lat"].attrs["bounds"] == "lat_bnds" and "height" in found["t2m"].coords
    if suffix == "zarr":
        return
    bill = run_program("convert", tmp_path / "x.nc::t2m", "x.mean(1)", "-o", tmp_path / "z.nc", "--keep-others")
    with read(tmp_path / "z.nc") as found:  # the height has all latitudes
        numpy.testing.assert_array_equal(found["lat"], source["lat"])
    write(source.drop_vars("height"), tmp_path / "w.nc")
    bill = run_program("convert", tmp_path / "w.nc::t2m", "x.mean(1)", "-o", tmp_path / "v.nc", "--keep-others")
    with read(tmp_path / "v.nc") as found:
        assert set(found.variables) == {"t2m", "time", "lon"}
    for name in ("lat", "lat_bnds"):
        assert f"dropped  of {name}: the tensor: axis lat is reduced\n" in bill
    call = ("convert", tmp_path / "w.nc::t2m", "x.mean(1)", "-o", tmp_path / "u.nc", "--keep-others", "--json")
    assert json.loads(run_program(*call))["left_out"] == dict.fromkeys(("lat", "lat_bnds"), "axis lat is reduced")


def test_a_chain_is_for_the_tensors_that_it_fits(tmp_path):
    write(dataset()[["t2m", "area"]].drop_vars("height"), tmp_path / "x.zarr")
    for chain in ("time lat lon -> lon lat time", "x.permute(2, 1, 0)"):
        run_program("convert", tmp_path / "x.zarr", chain, "-o", tmp_path / "y.zarr", "--force")
        with read(tmp_path / "y.zarr") as found:
            assert found["t2m"].dims == ("lon", "lat", "time")
            xarray.testing.assert_equal(found.compute().transpose("time", "lat", "lon"), dataset().drop_vars("height"))
        torch.convert(tmp_path / "x.zarr", chain, tmp_path / "z.zarr", overwrite=True)
        with read(tmp_path / "z.zarr") as found:
            assert found["t2m"].dims == ("lon", "lat", "time") and found["area"].dims == ("lat", "lon")
    # Chunks and shards are for tensors of as many axes as they have, the codec is for all.
    chain = "time lat lon -> lon lat time"
    options = ("--chunks", "5,2,5", "--shards", "5,4,10", "--codec", "gzip:1")
    run_program("convert", tmp_path / "x.zarr", chain, "-o", tmp_path / "c.zarr", *options)
    group = zarr.open(tmp_path / "c.zarr")
    assert group["t2m"].chunks == (5, 2, 5) and group["t2m"].shards == (5, 4, 10)
    assert group["area"].chunks == (4, 5) and group["time"].chunks == (10,) and group["time"].shards is None
    assert all("Gzip" in str(array.compressors) for array in (group["t2m"], group["area"], group["lat"]))
    torch.convert(tmp_path / "x.zarr", chain, tmp_path / "c.h5", chunks=(5, 2, 5), codec="gzip:1")
    with h5py.File(tmp_path / "c.h5") as file:
        assert file["t2m"].chunks == (5, 2, 5) and file["area"].chunks == (4, 5) and file["lat"].chunks == (4,)
    with pytest.raises(ValueError, match=r"\(2,2\) must have as many axes as the tensor \(10,4,5\)"):
        torch.convert(f"{tmp_path}/x.zarr::t2m", "x", tmp_path / "d.h5", chunks=(2, 2))
    # Coordinates go through what their axes go through: latitudes keep theirs, whatever is done to times.
    write(dataset()[["t2m"]].drop_vars("height"), tmp_path / "w.nc")
    run_program("convert", tmp_path / "w.nc", "x.flip(0)", "-o", tmp_path / "v.zarr")
    with read(tmp_path / "v.zarr") as found:
        wanted = dataset()[["t2m"]].drop_vars("height").isel(time=slice(None, None, -1))
        xarray.testing.assert_equal(found.compute(), wanted)
    with pytest.raises(ValueError, match=r'\(name one, as ".*w.nc::t2m" does\); of "t2m" \(10,4,5\): '):
        torch.convert(tmp_path / "w.nc", "x.permute(3, 0, 1, 2)", tmp_path / "u.zarr")


def test_axes_of_one_name_have_one_set_of_indices_without_coordinates_too(tmp_path):
    array = numpy.arange(24.0).reshape(4, 6)
    plain = xarray.Dataset({"a": (("y", "x"), array), "b": (("y", "x"), array)})
    write(plain, tmp_path / "x.zarr")
    run_program("convert", tmp_path / "x.zarr::a", "x.flip(0)", "-o", tmp_path / "y.zarr", "--keep-others")
    with read(tmp_path / "y.zarr") as found:
        assert found["a"].dims == ("y_4", "x") and found["b"].dims == ("y", "x")
    # Alone, or all in the same way, they keep their names.
    run_program("convert", tmp_path / "x.zarr", "x[1:]", "-o", tmp_path / "z.zarr")
    with read(tmp_path / "z.zarr") as found:
        assert found["a"].dims == found["b"].dims == ("y", "x")
