# SPDX-License-Identifier: Apache-2.0
"""What files say about positions is true of what is made of them, by the libraries that read them: places and sizes of
voxels, coordinates along axes, spacing; what is not true is left out and told."""

from __future__ import annotations

import itertools
import json

import nibabel
import numpy
import pytest
import tenstride as torch
import tifffile
import zarr
from running import run_program

SHAPE = (4, 5, 6, 7)
SIZES = (1.5, 2.5, 3.5, 2.0)
#: Rotated about an oblique axis and mirrored.
ROTATION = nibabel.quaternions.quat2mat([0.8, 0.36, -0.48, 0.0]) @ numpy.diag([1, 1, -1])
AFFINE = numpy.array([[1.2, 0.9, 0, -9], [-0.9, 2.0, 1, 8], [0, 0.5, 3.3, 7], [0, 0, 0, 1.0]])


def places(shape):
    """For each element a number that tells its place in the first three axes, whatever its others are."""
    space = numpy.arange(int(numpy.prod(shape[:3])), dtype="int16").reshape(shape[:3])
    return numpy.broadcast_to(space.reshape(*shape[:3], *[1] * (len(shape) - 3)), shape)


def nifti_source(path, shape=SHAPE, **fields):
    image = nibabel.Nifti1Image(numpy.ascontiguousarray(places(shape)), None)
    image.set_sform(AFFINE, 1)
    image.header["pixdim"][1 : len(shape) + 1] = SIZES[: len(shape)]
    image.header.set_qform(nibabel.affines.from_matvec(ROTATION * SIZES[:3], [3, 4, 5]), 2)
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
            numpy.testing.assert_allclose(matrix @ [*place, 1], wanted @ [*origin, 1], atol=1e-4, err_msg=name)


# The chain, sform_code and qform_code, sizes of voxels, units of space and time, what is dropped.
MM_SEC = ("mm", "sec")
NIFTI_CHAINS = [
    ("x", (1, 2), SIZES, MM_SEC, []),
    ("x[0:4]", (1, 2), SIZES, MM_SEC, []),
    ("x.contiguous().to(torch.float32)", (1, 2), SIZES, MM_SEC, []),
    ("x.flip(0)", (1, 2), SIZES, MM_SEC, []),
    ("x[2:]", (1, 2), SIZES, MM_SEC, []),
    ("x[:, ::2]", (1, 2), (1.5, 5.0, 3.5, 2.0), MM_SEC, []),
    ("x[:, :, 2:3]", (1, 2), SIZES, MM_SEC, []),
    ("x.permute(1, 0, 2, 3)", (1, 2), (2.5, 1.5, 3.5, 2.0), MM_SEC, []),
    ("x.permute(2, 0, 1, 3).flip(3)", (1, 2), (3.5, 1.5, 2.5, 2.0), MM_SEC, []),
    ("x.flip([0, 2])[1:, ::3].permute(1, 2, 0, 3)", (1, 2), (7.5, 3.5, 1.5, 2.0), MM_SEC, []),
    ("x.permute(3, 0, 1, 2)", (0, 0), (1, 1.5, 2.5, 1), ("unknown", "unknown"), None),
    ("x[..., 1:3]", (1, 2), SIZES, MM_SEC, []),
    ("x[..., ::3]", (1, 2), (1.5, 2.5, 3.5, 6.0), MM_SEC, []),
    ("x[..., 4]", (1, 2), SIZES[:3], MM_SEC, []),
    ("x.float().mean(-1)", (1, 2), SIZES[:3], MM_SEC, []),
    ("x.float().mean(2)", (0, 0), (1.5, 2.5, 1), ("unknown", "sec"), None),
    ("x[:, :, 3]", (0, 0), (1.5, 2.5, 1), ("unknown", "sec"), None),
    ("x[:, :, 3, 2]", (1, 2), (1.5, 2.5), MM_SEC, []),
    ("x[1, :, 3, 2]", (1, 2), (2.5,), MM_SEC, []),
    ("x[:, 1:2].squeeze(1)[..., 2]", (1, 2), (1.5, 3.5), MM_SEC, []),
    ("x.unsqueeze(0)", (0, 0), (1, 1.5, 2.5, 1, 1), ("unknown", "unknown"), None),
    ("x[:, :, 3:4, 2].permute(2, 0, 1)", (1, 2), (3.5, 1.5, 2.5), MM_SEC, []),
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


# nibabel takes a slice without a beginning to begin at 0, also where it walks backwards.
SLICES = ["2:, 1:4", "::2, :, ::3", "3::-1", "3:0:-2, 4::-1, 5:1:-3", "1:2, :, 5:"]


@pytest.mark.parametrize("index", SLICES)
def test_slices_lie_where_nibabel_says(tmp_path, index):
    wanted = nifti_source(tmp_path / "x.nii").slicer[eval(f"numpy.s_[{index}]")]
    torch.convert(tmp_path / "x.nii", f"x[{index}]", tmp_path / "y.nii")
    found = nibabel.load(tmp_path / "y.nii")
    numpy.testing.assert_array_equal(found.dataobj, wanted.dataobj)
    numpy.testing.assert_allclose(found.affine, wanted.affine, rtol=1e-6, atol=1e-5)


def test_an_average_lies_in_the_middle_of_what_it_is_of(tmp_path):
    nifti_source(tmp_path / "x.nii", SHAPE[:3])
    slab = AFFINE @ [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 4, 3.5], [0, 0, 0, 1]]
    for chain, shape in {"x[:, :, 2:].float().mean(2)": (4, 5), "x[:, :, 2:].float().sum(2, True)": (4, 5, 1)}.items():
        torch.convert(tmp_path / "x.nii", chain, tmp_path / "y.nii", overwrite=True)
        found = nibabel.load(tmp_path / "y.nii")
        assert found.shape == shape
        numpy.testing.assert_allclose(found.get_sform(), slab, rtol=1e-6, atol=1e-5)
        assert found.header["pixdim"][1:4].tolist() == [1.5, 2.5, 14.0]
        numpy.testing.assert_allclose(found.get_qform()[:3, 2], (ROTATION * SIZES[:3])[:, 2] * 4, atol=1e-5)


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
    assert fields(found, timing) == [1, 5, 0.3, 5.5] and dropped == set()
    found, dropped = header("x.flip(3)")
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
    torch.convert(tmp_path / "a.zarr", "x.flip(1)", tmp_path / "b.zarr")
    flipped = [AFFINE[0, 1], -AFFINE[0, 0], AFFINE[0, 2], AFFINE[0, 3] + 3 * AFFINE[0, 0]]
    numpy.testing.assert_allclose(zarr.open(tmp_path / "b.zarr").attrs["srow_x"], flipped, rtol=1e-6)
    plan = torch.plan_convert(tmp_path / "a.zarr", "x.unsqueeze(0)", tmp_path / "d.zarr")
    torch.convert(tmp_path / "a.zarr", "x.unsqueeze(0)", tmp_path / "d.zarr")
    assert "sform" in facts(plan) and "srow_x" not in zarr.open(tmp_path / "d.zarr").attrs
    torch.convert(tmp_path / "a.zarr", "x.permute(2, 1, 0, 3)", tmp_path / "c.zarr", metadata_only=True)
    attributes = dict(zarr.open(tmp_path / "c.zarr").attrs)
    numpy.testing.assert_allclose(attributes["srow_x"], AFFINE[0, [2, 0, 1, 3]], rtol=1e-6)
    assert attributes["pixdim"] == [3.5, 1.5, 2.5, 2.0]


def test_attributes_of_positions_are_kept_where_they_are_true(tmp_path):
    array = zarr.create_array(tmp_path / "x.zarr", shape=(4, 6), chunks=(2, 3), dtype="f4")
    array[:] = numpy.arange(24).reshape(4, 6)
    positions = {
        "multiscales": [{"axes": [{"name": "y"}, {"name": "x"}]}],
        "coordinateTransformations": [{"type": "scale", "scale": [0.5, 0.25]}],
        "GeoTransform": "100 2 0 50 0 -1",
        "transform": [2.0, 0.0, 100.0, 0.0, -1.0, 50.0],
        "element_size_um": [0.5, 0.25],
        "axes": [{"name": "y", "type": "space"}, {"name": "x", "type": "space"}],
        "origin": [7, 8],
    }
    others = {"units": "K", "offset": 3, "valid_range": [0, 24], "actual_range": [0, 23]}
    array.attrs.update({**positions, **others})
    y, x = positions["axes"]

    def scaled(scale, *translation):
        steps = [{"type": "scale", "scale": scale}]
        return steps + [{"type": "translation", "translation": list(translation)}] * bool(translation)

    transposed = {
        "coordinateTransformations": scaled([0.25, 0.5]),
        "GeoTransform": "100 0 2 50 -1 0",
        "transform": [0.0, 2.0, 100.0, -1.0, 0.0, 50.0],
        "element_size_um": [0.25, 0.5],
        "axes": [x, y],
        "origin": [8, 7],
    }
    flipped = {
        "coordinateTransformations": scaled([0.5, -0.25], 0.0, 1.25),
        "GeoTransform": "112 -2 0 50 0 -1",
        "transform": [-2.0, 0.0, 112.0, 0.0, -1.0, 50.0],
        "element_size_um": [0.5, 0.25],
        "axes": [y, x],
    }
    # Pixels of which every second one is left reach half a pixel beyond their middles.
    stepped = {
        "coordinateTransformations": scaled([0.5, 0.5], 0.5, 0.25),
        "GeoTransform": "101 4 0 49 0 -1",
        "transform": [4.0, 0.0, 101.0, 0.0, -1.0, 49.0],
        "element_size_um": [0.5, 0.5],
        "axes": [y, x],
    }
    row = {"coordinateTransformations": scaled([0.25]), "element_size_um": [0.25], "axes": [x], "origin": [8]}
    for chain, moved in {
        "x": positions,
        "x.double()": positions,
        "x.t()": transposed,
        "x.flip(1)": flipped,
        "x[1:, 1::2]": stepped,
        "x.unsqueeze(0)": {"GeoTransform": positions["GeoTransform"], "transform": positions["transform"]},
        "x[1]": row,
    }.items():
        result = torch.convert(tmp_path / "x.zarr", chain, tmp_path / "y.zarr", overwrite=True)
        attributes = dict(zarr.open(tmp_path / "y.zarr").attrs)
        is_all = "1" not in chain or chain == "x.flip(1)"
        wanted = {**moved, **{key: value for key, value in others.items() if is_all or key != "actual_range"}}
        assert attributes == wanted, chain
        assert {entry["fact"] for entry in result.dropped} == {*positions, *others} - set(wanted)
    run_program("convert", tmp_path / "x.zarr", "x.t()", "-o", tmp_path / "m.zarr", "--metadata-only")
    assert dict(zarr.open(tmp_path / "m.zarr").attrs) == {**transposed, **others}


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
    both = {"description", "resolution"}
    for chain, resolution, dropped in (
        ("x", [4, 2], set()),
        ("x.flip(1)", [4, 2], set()),
        ("x[0, 1:]", [4, 2], {"description spacing"}),
        ("x[:, ::2]", [4, 1], set()),
        ("x.mT", [2, 4], {"description"}),
        ("x[:, :, 3]", None, both),
    ):
        result = torch.convert(tmp_path / "x.tif", chain, tmp_path / "y.zarr", overwrite=True)
        attributes = zarr.open(tmp_path / "y.zarr").attrs
        assert attributes.get("resolution") == resolution, chain
        assert both - set(attributes) == dropped & both, chain
        assert {entry["fact"] for entry in result.dropped} == dropped, chain
    bill = run_program("convert", tmp_path / "x.tif", "x[:, ::2]", "-o", tmp_path / "y.tif")
    (told,) = (line for line in bill.splitlines() if line.startswith("dropped"))
    assert told == "dropped  software: it is not written to a TIFF file"


def test_what_is_dropped_is_told_before_and_after(tmp_path):
    nifti_source(tmp_path / "x.nii", intent_code=3, intent_p1=7)
    told = "dropped  intent_code, intent_p1: elements are reduced\n"
    chain = "x.float().mean(-1)"
    call = ("convert", tmp_path / "x.nii", chain, "-o", tmp_path / "y.nii")
    wanted = [{"fact": name, "reason": "elements are reduced"} for name in ("intent_code", "intent_p1")]
    for options in ((), ("--max-mem", "512M")):
        assert told in run_program(*call, "--dry-run", *options)
        assert json.loads(run_program(*call, "--dry-run", "--json", *options))["dropped"] == wanted
        assert not (tmp_path / "y.nii").exists()
        assert told in run_program(*call, *options)
        assert json.loads(run_program(*call, "--force", "--json", *options))["dropped"] == wanted
        (tmp_path / "y.nii").unlink()
    # A file that has no place for them has lost nothing that one would look for in it.
    assert "dropped  " not in run_program(*call[:-1], tmp_path / "y.npy")
    plan = torch.plan_convert(tmp_path / "x.nii", chain, tmp_path / "y.nii")
    assert plan.dropped == [{"tensor": "", **entry} for entry in wanted]
    assert told in str(plan)
