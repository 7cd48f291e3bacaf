# SPDX-License-Identifier: Apache-2.0
"""HDF5 files of many datasets with dimension scales, read and written beside h5py."""

from __future__ import annotations

import numpy
import pytest
import tenstride as torch

h5py = pytest.importorskip("h5py")

A = numpy.arange(7, dtype="int32")


@pytest.mark.parametrize("has_own_scales", [False, True])
def test_thousands_of_datasets_with_scales(tmp_path, has_own_scales):
    """Each refers to its scale, whose name is found without a look at all others: that would take too long."""
    path, count = tmp_path / "x.h5", 2000
    scales = [f"a{i}" for i in range(count)] if has_own_scales else ["in/t"] * count
    with h5py.File(path, "w") as file:
        for name in dict.fromkeys(scales):
            file[name] = A
            file[name].make_scale(name)
        for i, name in enumerate(scales):
            file[f"v{i}"] = A
            file[f"v{i}"].dims[0].attach_scale(file[name])
    found = {info.name: info.axes for info in torch.file_info(path)}
    assert len(found) == count + len(set(scales))
    for i, name in enumerate(scales):
        assert list(found[f"v{i}"]) == [name.rpartition("/")[2]]


@pytest.mark.parametrize("size", [1, 7, 100])
def test_hundreds_of_small_datasets_with_a_scale_are_written(tmp_path, size):
    """The list of those that have the scale leaves room behind it in which no elements may stand."""
    source, path = tmp_path / "x.nc", tmp_path / "y.nc"
    with h5py.File(source, "w") as file:
        file["t"] = numpy.arange(size, dtype="float32")
        file["t"].make_scale("t")
        for i in range(300):
            file[f"v{i}"] = numpy.full(size, i, dtype=["int16", "float32", "float64"][i % 3])
            file[f"v{i}"].dims[0].attach_scale(file["t"])
    torch.convert(source, "x", path)
    found = torch.load(path)
    assert len(found) == 301
    with h5py.File(source) as file, h5py.File(path) as written:
        for i in range(300):
            assert written[f"v{i}"].dims[0][0] == written["t"]
            assert numpy.array_equal(written[f"v{i}"], file[f"v{i}"])
            assert numpy.array_equal(found[f"v{i}"], file[f"v{i}"])
            assert written[f"v{i}"].id.get_offset() % 64 == 0
