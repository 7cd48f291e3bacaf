# SPDX-License-Identifier: Apache-2.0
"""What files say about positions is true of what is made of them, by the libraries that read them: places and sizes of
voxels, coordinates along axes, spacing; what is not true is left out and told."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys

import nibabel
import numpy
import pytest
import tenstride as torch
import tifffile
import xarray
import zarr

SHAPE = (4, 5, 6, 7)
SIZES = (1.5, 2.5, 3.5, 2.0)
AFFINE = numpy.array([[1.2, 0.9, 0, -9], [-0.9, 2.0, 1, 8], [0, 0.5, 3.3, 7], [0, 0, 0, 1.0]])


def places(shape):
    """For each element a number that tells its place in the first three axes, whatever its others are."""
    space = numpy.arange(int(numpy.prod(shape[:3])), dtype="int16").reshape(shape[:3])
    return numpy.broadcast_to(space.reshape(*shape[:3], *[1] * (len(shape) - 3)), shape)


def nifti_source(path, shape=SHAPE, **fields):
    image = nibabel.Nifti1Image(numpy.ascontiguousarray(places(shape)), None)
    image.set_sform(AFFINE, 1)
    image.header["pixdim"][1 : len(shape) + 1] = SIZES[: len(shape)]
    image.header.set_qform(nibabel.affines.from_matvec(numpy.diag(SIZES[:3]), [3, 4, 5]), 2)
    image.header.set_xyzt_units("mm", "sec")
    for name, value in fields.items():
        image.header[name] = value
    nibabel.save(image, path)
    return nibabel.load(path)


def facts(plan):
    return [entry["fact"] for entry in plan.dropped]


def assert_places(found, source):
    """Each voxel of `found` is where the voxel of the source with its elements is."""
    numbers = numpy.asarray(found.dataobj)
    for name in ("get_sform", "get_qform"):
        matrix, code = getattr(found, name)(coded=True)
        if code == 0:
            continue
        wanted, wanted_code = getattr(source, name)(coded=True)
        assert code == wanted_code
        for index in itertools.islice(numpy.ndindex(numbers.shape), 0, None, 7):
            place = (*index, 0, 0)[:3]
            origin = numpy.unravel_index(int(numbers[index]), source.shape[:3])
            numpy.testing.assert_allclose(matrix @ [*place, 1], wanted @ [*origin, 1], atol=1e-4)


def run_program(*arguments):
    command = [sys.executable, "-m", "tenstride", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, encoding="utf-8", check=True).stdout


# The chain, sform_code and qform_code, sizes of voxels, units of space and time, what is dropped.
MM_SEC = ("mm", "sec")
NIFTI_CHAINS = [
    ("x", (1, 2), SIZES, MM_SEC, []),
    ("x[0:4]", (1, 2), SIZES, MM_SEC, []),
    ("x.contiguous().to(torch.float32)", (1, 2), SIZES, MM_SEC, []),
    ("x.flip(0)", (0, 0), SIZES, MM_SEC, ["sform", "qform"]),
    ("x[2:]", (0, 0), SIZES, MM_SEC, ["sform", "qform"]),
    ("x[:, ::2]", (0, 0), (1.5, 5.0, 3.5, 2.0), MM_SEC, ["sform", "qform"]),
    ("x[:, :, 2:3]", (0, 0), SIZES, MM_SEC, ["sform", "qform"]),
    ("x.permute(1, 0, 2, 3)", (1, 0), (2.5, 1.5, 3.5, 2.0), MM_SEC, ["qform"]),
    ("x.permute(2, 0, 1, 3).flip(3)", (1, 0), (3.5, 1.5, 2.5, 2.0), MM_SEC, ["qform"]),
    ("x.permute(3, 0, 1, 2)", (0, 0), (1, 1.5, 2.5, 1), ("unknown", "unknown"), None),
    ("x[..., 1:3]", (1, 2), SIZES, MM_SEC, []),
    ("x[..., ::3]", (1, 2), (1.5, 2.5, 3.5, 6.0), MM_SEC, []),
    ("x[..., 4]", (1, 2), SIZES[:3], MM_SEC, []),
    ("x.float().mean(-1)", (1, 2), SIZES[:3], MM_SEC, []),
    ("x.float().mean(2)", (0, 0), (1.5, 2.5, 1), ("unknown", "sec"), None),
    ("x[:, :, 3]", (0, 0), (1.5, 2.5, 1), ("unknown", "sec"), None),
    ("x[:, :, 3, 2]", (0, 0), (1.5, 2.5), MM_SEC, ["sform", "qform"]),
    ("x.unsqueeze(0)", (0, 0), (1, 1.5, 2.5, 1, 1), ("unknown", "unknown"), None),
    ("x.unsqueeze(-1)", (1, 2), (*SIZES, 1), MM_SEC, []),
    ("x.reshape(4, 5, 6, 7, 1)", (1, 2), (*SIZES, 1), MM_SEC, []),
    ("x.reshape(20, 6, 7)", (0, 0), (1, 3.5, 1), ("unknown", "sec"), None),
    ("x.reshape(-1)", (0, 0), (1,), ("unknown", "sec"), None),
    ("x * 2", (0, 0), (1, 1, 1, 1), ("unknown", "unknown"), None),
]


@pytest.mark.parametrize("chain, codes, sizes, units, dropped", NIFTI_CHAINS, ids=[row[0] for row in NIFTI_CHAINS])
def test_voxels_are_where_they_were(tmp_path, chain, codes, sizes, units, dropped):
    source = nifti_source(tmp_path / "x.nii")
    if chain == "x * 2":
        run_program("convert", tmp_path / "x.nii", chain, "-o", tmp_path / "y.nii")
    else:
        plan = torch.plan_convert(tmp_path / "x.nii", chain, tmp_path / "y.nii")
        result = torch.convert(tmp_path / "x.nii", chain, tmp_path / "y.nii")
        assert result.dropped == plan.dropped
        if dropped is not None:
            assert facts(plan) == dropped
        else:
            assert facts(plan)[:1] and {"sform", "qform"} <= set(facts(plan))
    found = nibabel.load(tmp_path / "y.nii")
    assert (int(found.header["sform_code"]), int(found.header["qform_code"])) == codes
    numpy.testing.assert_allclose(found.header.get_zooms(), sizes, rtol=1e-6)
    assert found.header.get_xyzt_units() == units
    assert_places(found, source)


def test_fields_that_speak_of_an_axis_go_along_with_it(tmp_path):
    # Frequency along x, phase along y, slices along z, in which they were acquired one after the other.
    timing = {"slice_code": 1, "slice_end": 5, "slice_duration": 0.3, "toffset": 1.5}
    nifti_source(tmp_path / "x.nii", dim_info=0b111001, cal_max=9, intent_code=3, intent_p1=7, **timing)

    def header(chain, **options):
        plan = torch.plan_convert(tmp_path / "x.nii", chain, tmp_path / "y.nii", **options)
        torch.convert(tmp_path / "x.nii", chain, tmp_path / "y.nii", overwrite=True, **options)
        return nibabel.load(tmp_path / "y.nii").header, set(facts(plan)) - {"sform", "qform", "pixdim", "xyzt_units"}

    def fields(found, names):
        return [round(float(found[name]), 3) for name in names]

    found, dropped = header("x.permute(2, 0, 1, 3)")
    assert found.get_dim_info() == (1, 2, 0)
    assert fields(found, timing) == list(timing.values()) and dropped == set()
    found, dropped = header("x.flip(2)")
    assert found.get_dim_info() == (0, 1, 2) and fields(found, timing) == [0, 0, 0, 1.5]
    assert dropped == {"slice_code", "slice_end", "slice_duration"}
    found, dropped = header("x[..., 2:]")
    assert fields(found, timing) == [1, 5, 0.3, 0] and dropped == {"toffset"}
    found, dropped = header("x[:, 2]")
    assert found.get_dim_info() == (0, None, 1) and "dim_info" in dropped
    # Elements that are others: a mean of statistics has another distribution, and the same range.
    found, dropped = header("x.flip(0)")
    assert fields(found, ["intent_code", "intent_p1", "cal_max"]) == [3, 7, 9]
    found, dropped = header("x.float().mean(-1)")
    assert fields(found, ["intent_code", "intent_p1", "cal_max"]) == [0, 0, 9]
    assert {"intent_code", "intent_p1"} <= dropped
    found, dropped = header("x", scale=2)
    assert fields(found, ["intent_code", "cal_max"]) == [0, 0] and "cal_max" in dropped
    assert found["sform_code"] == 1
    found, dropped = header("x.sum(-1)")
    assert fields(found, ["intent_code", "cal_max"]) == [0, 0] and "cal_max" in dropped


def test_an_array_without_attributes_lies_nowhere(tmp_path):
    """As nibabel writes an array without an affine transform."""
    torch.save(tmp_path / "x.nii", torch.zeros(2, 3, 4))
    nibabel.save(nibabel.Nifti1Image(numpy.zeros((2, 3, 4), "f4"), None), tmp_path / "n.nii")
    ours, theirs = nibabel.load(tmp_path / "x.nii").header, nibabel.load(tmp_path / "n.nii").header
    for name in ("sform_code", "qform_code", "pixdim", "xyzt_units", "srow_x", "srow_y", "srow_z"):
        assert ours[name].tolist() == theirs[name].tolist(), name


def test_colours_are_no_axis_of_space(tmp_path):
    pixels = numpy.zeros((3, 5, 6), [("R", "u1"), ("G", "u1"), ("B", "u1")])
    pixels["R"], pixels["B"] = 1, places((3, 5, 6))
    image = nibabel.Nifti1Image(pixels, None)
    image.set_sform(AFFINE, 1)
    image.header["pixdim"][1:4] = SIZES[:3]
    nibabel.save(image, tmp_path / "x.nii")
    torch.convert(tmp_path / "x.nii", "x.permute(0, 3, 1, 2)", tmp_path / "y.nii")
    found = nibabel.load(tmp_path / "y.nii")
    assert found.get_data_dtype() == pixels.dtype and found.shape == (6, 3, 5)
    assert found.header.get_zooms() == (3.5, 1.5, 2.5)
    numpy.testing.assert_allclose(found.affine, AFFINE[:, [2, 0, 1, 3]], rtol=1e-6)
    # Without an axis of colours of their own, elements are no colours: 3 voxels along x are not red, green, blue.
    plan = torch.plan_convert(tmp_path / "x.nii", "x.permute(1, 2, 3, 0)", tmp_path / "z.nii")
    torch.convert(tmp_path / "x.nii", "x.permute(1, 2, 3, 0)", tmp_path / "z.nii")
    found = nibabel.load(tmp_path / "z.nii")
    assert found.shape == (3, 5, 6, 3) and found.get_data_dtype() == "uint8" and facts(plan) == ["datatype"]
    assert numpy.asarray(found.dataobj)[..., 2].tolist() == pixels["B"].tolist()
    numpy.testing.assert_allclose(found.affine, AFFINE, rtol=1e-6)
    assert found.header.get_zooms() == (*SIZES[:3], 1)


def test_fields_in_another_file_hold_there_too(tmp_path):
    nifti_source(tmp_path / "x.nii")
    torch.convert(tmp_path / "x.nii", "x.permute(1, 0, 2, 3)", tmp_path / "a.zarr")
    rows = zarr.open(tmp_path / "a.zarr").attrs["srow_x"]
    numpy.testing.assert_allclose(rows, AFFINE[0, [1, 0, 2, 3]], rtol=1e-6)
    plan = torch.plan_convert(tmp_path / "a.zarr", "x.flip(1)", tmp_path / "b.zarr")
    torch.convert(tmp_path / "a.zarr", "x.flip(1)", tmp_path / "b.zarr")
    assert "sform" in facts(plan) and "srow_x" not in zarr.open(tmp_path / "b.zarr").attrs
    torch.convert(tmp_path / "a.zarr", "x.permute(2, 1, 0, 3)", tmp_path / "c.zarr", metadata_only=True)
    attributes = dict(zarr.open(tmp_path / "c.zarr").attrs)
    numpy.testing.assert_allclose(attributes["srow_x"], AFFINE[0, [2, 0, 1, 3]], rtol=1e-6)
    assert attributes["pixdim"] == [3.5, 1.5, 2.5, 2.0]


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
    ("x[2:]", lambda t: t[2:], ("time_8", "lat", "lon"), True),
    ("x.flip(0)", lambda t: t[::-1], ("time_10", "lat", "lon"), True),
    ("x.flip(1)", lambda t: t[:, ::-1], ("time", "lat_4", "lon"), False),
    ("x[:, ::2, 1:4]", lambda t: t[:, ::2, 1:4], ("time", "lat_2", "lon_3"), False),
    ("x[3]", lambda t: t[3], ("lat", "lon"), True),
    ("x.mean(0)", lambda t: t.mean("time"), ("lat", "lon"), True),
    ("x.mean(1)", lambda t: t.mean("lat"), ("time", "lon"), False),
]


COORDINATE_CASES = [
    (names, *row)
    for names in ("x.nc y.nc", "x.nc y.zarr", "x.zarr y.nc", "x.zarr y.zarr", "x2.zarr y.nc")
    for row in COORDINATE_CHAINS
    if "mean" not in row[0] or "zarr" not in names  # chunks are not reduced from file to file
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
        assert found["t2m"].dims == axes
        numpy.testing.assert_allclose(found["t2m"], wanted, rtol=1e-6)
        for name in ("time", "lat", "lon"):
            numpy.testing.assert_array_equal(found[name], dataset()[name])
            # Whoever selects by a label gets what it labelled.
            if name in axes:
                numpy.testing.assert_allclose(found["t2m"].isel({name: 1}), wanted.isel({name: 1}), rtol=1e-6)
        assert ("height" in found["t2m"].coords) == has_height
        numpy.testing.assert_array_equal(found["area"], dataset()["area"])
    renamed = [name for name in axes if name not in ("time", "lat", "lon")]
    for name in renamed:
        assert f"the axis is called {name}\n" in bill
    assert ("dropped  of t2m: coordinates: " in bill) == (not has_height), bill


def test_all_that_is_flipped_together_stays_together(tmp_path):
    write(dataset()[["t2m"]].drop_vars("height"), tmp_path / "x.nc")
    # Of t2m the time is flipped, of each coordinate itself: lat and lon are no longer those of t2m.
    run_program("convert", tmp_path / "x.nc", "x.flip(0)", "-o", tmp_path / "y.zarr")
    with read(tmp_path / "y.zarr") as found:
        assert found["t2m"].dims == ("time", "lat_4", "lon_5")
        flipped = dataset()["t2m"][::-1]
        numpy.testing.assert_array_equal(found["time"], flipped["time"])
        numpy.testing.assert_array_equal(found["t2m"], flipped)


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


def test_attributes_of_positions_are_kept_where_they_are_true(tmp_path):
    array = zarr.create_array(tmp_path / "x.zarr", shape=(4, 6), chunks=(2, 3), dtype="f4")
    array[:] = numpy.arange(24).reshape(4, 6)
    positions = {
        "multiscales": [{"axes": [{"name": "y"}, {"name": "x"}]}],
        "coordinateTransformations": [{"type": "scale", "scale": [0.5, 0.25]}],
        "GeoTransform": "0 1 0 0 0 -1",
        "element_size_um": [0.5, 0.25],
    }
    others = {"units": "K", "offset": 3, "valid_range": [0, 24]}
    array.attrs.update({**positions, **others, "actual_range": [0, 23]})
    for chain, kept in {
        "x": {*positions, *others, "actual_range"},
        "x.double()": {*positions, *others, "actual_range"},
        "x.t()": {*others, "actual_range"},
        "x.flip(1)": {*others, "actual_range"},
        "x[1:]": {*others},
    }.items():
        result = torch.convert(tmp_path / "x.zarr", chain, tmp_path / "y.zarr", overwrite=True)
        attributes = dict(zarr.open(tmp_path / "y.zarr").attrs)
        assert set(attributes) == kept, chain
        assert {entry["fact"] for entry in result.dropped} == {*positions, *others, "actual_range"} - kept
    run_program("convert", tmp_path / "x.zarr", "x.t()", "-o", tmp_path / "m.zarr", "--metadata-only")
    assert set(zarr.open(tmp_path / "m.zarr").attrs) == {*others, "actual_range"}


def test_an_array_whose_group_says_its_axes_is_not_permuted_in_place(tmp_path):
    for version in (2, 3):
        group = zarr.open_group(tmp_path / f"{version}.zarr", mode="w", zarr_format=version)
        group.create_array("0", shape=(2, 3), chunks=(2, 3), dtype="u1")
        group.attrs["multiscales"] = [{"axes": [{"name": "y"}, {"name": "x"}], "datasets": [{"path": "0"}]}]
        path = tmp_path / f"{version}.zarr/0"
        with pytest.raises(ValueError, match=r"says what its axes are \(multiscales\), which would become wrong"):
            torch.convert(path, "x.t()", path, metadata_only=True, overwrite=True)
        assert torch.file_info(path)[0].shape == (2, 3)


def test_what_tiff_files_say_of_pixels(tmp_path):
    stack = numpy.arange(2 * 4 * 6, dtype="u1").reshape(2, 4, 6)
    tifffile.imwrite(tmp_path / "x.tif", stack, imagej=True, resolution=(4, 2), metadata={"spacing": 3, "axes": "ZYX"})
    for chain, kept in {
        "x": {"description", "resolution"},
        "x.flip(1)": {"resolution"},
        "x[:, 1:]": {"resolution"},
        "x[0]": {"resolution"},
        "x[:, ::2]": set(),
        "x[:, :, 3]": set(),
    }.items():
        result = torch.convert(tmp_path / "x.tif", chain, tmp_path / "y.zarr", overwrite=True)
        attributes = set(zarr.open(tmp_path / "y.zarr").attrs)
        assert attributes & {"description", "resolution"} == kept, chain
        assert {entry["fact"] for entry in result.dropped} == {"description", "resolution"} - kept
    bill = run_program("convert", tmp_path / "x.tif", "x[:, ::2]", "-o", tmp_path / "y.tif")
    (told,) = (line for line in bill.splitlines() if line.startswith("dropped"))
    assert "description" in told and told.endswith(": attributes are not written to a TIFF file")
    with tifffile.TiffFile(tmp_path / "y.tif") as file:
        assert file.imagej_metadata is None and file.asarray().tolist() == stack[:, ::2].tolist()
        assert "XResolution" not in file.pages[0].tags


def test_what_is_dropped_is_told_before_and_after(tmp_path):
    nifti_source(tmp_path / "x.nii")
    told = "dropped  sform, qform: axis x is flipped\n"
    call = ("convert", tmp_path / "x.nii", "x.flip(0)", "-o", tmp_path / "y.nii")
    wanted = [{"fact": name, "reason": "axis x is flipped"} for name in ("sform", "qform")]
    for options in ((), ("--max-mem", "512M")):
        assert told in run_program(*call, "--dry-run", *options)
        assert json.loads(run_program(*call, "--dry-run", "--json", *options))["dropped"] == wanted
        assert not (tmp_path / "y.nii").exists()
        assert told in run_program(*call, *options)
        assert json.loads(run_program(*call, "--force", "--json", *options))["dropped"] == wanted
        (tmp_path / "y.nii").unlink()
    # A file that has no place for them has lost nothing that one would look for in it.
    assert "dropped  " not in run_program(*call[:-1], tmp_path / "y.npy")
    plan = torch.plan_convert(tmp_path / "x.nii", "x.flip(0)", tmp_path / "y.nii")
    assert plan.dropped == [{"tensor": "", **entry} for entry in wanted]
    assert told in str(plan)
