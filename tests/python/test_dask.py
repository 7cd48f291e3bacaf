# SPDX-License-Identifier: Apache-2.0
"""`tenstride.dask.convert`: parts by Dask's workers are what one call makes."""

from __future__ import annotations

import sys

import pytest
import tenstride
import tenstride.dask

numpy = pytest.importorskip("numpy")


def write(folder):
    numpy.save(folder / "a.npy", numpy.arange(97 * 110 * 131, dtype="float32").reshape(97, 110, 131))
    return folder / "a.npy"


@pytest.mark.parametrize("scheduler", ["synchronous", "threads", "processes"])
@pytest.mark.parametrize("name", ["b.npy", "b.zarr"])
def test_parts_are_what_one_call_makes(tmp_path, scheduler, name):
    dask = pytest.importorskip("dask")
    source, destination = write(tmp_path), tmp_path / name
    with dask.config.set(scheduler=scheduler, num_workers=2):
        done = tenstride.dask.convert(source, "x.permute(2, 0, 1)", destination, tasks=5, max_mem="32M", verify=True)
    assert (done.checksum, done.is_checked) == (tenstride.checksum(tenstride.load(destination)), True)
    assert tenstride.load(destination).tolist() == numpy.load(source).transpose(2, 0, 1).tolist()
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(["a.npy", name])


def test_a_finished_conversion_is_not_made_again(tmp_path):
    pytest.importorskip("dask")
    source, destination = write(tmp_path), tmp_path / "b.npy"
    given = {"tasks": 3, "max_mem": "4M"}
    first = tenstride.dask.convert(source, "x.permute(2, 0, 1)", destination, **given)
    assert first.bytes_written >= 97 * 110 * 131 * 4
    again = tenstride.dask.convert(source, "x.permute(2, 0, 1)", destination, **given)
    assert (again.checksum, again.bytes_written) == (None, 0)


def test_what_is_wrong_is_said_before_a_worker_begins(tmp_path):
    pytest.importorskip("dask")
    source, destination = write(tmp_path), tmp_path / "b.npy"
    with pytest.raises(ValueError, match="tasks 0 must be a whole number of at least 1"):
        tenstride.dask.convert(source, "x.permute(2, 0, 1)", destination, tasks=0, max_mem="4M")
    with pytest.raises(ValueError, match="max_memory of 1 bytes must be at least"):
        tenstride.dask.convert(source, "x.permute(2, 0, 1)", destination, tasks=2, max_mem=1)
    assert [path.name for path in tmp_path.iterdir()] == ["a.npy"]


def test_dask_must_be_installed(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "dask", None)
    with pytest.raises(ImportError, match=r"Dask must be installed \(pip install dask;"):
        tenstride.dask.convert("a.npy", "x", "b.npy", tasks=2, max_mem="4M")


@pytest.mark.parametrize("task", [(0, 4), (5, 4), (1,), "1/4", 3])
def test_a_task_is_one_of_several(tmp_path, task):
    source = write(tmp_path)
    with pytest.raises(ValueError, match=r"convert: task .* must be a pair \(K, N\), the K-th of N tasks"):
        tenstride.convert(source, "x.permute(2, 0, 1)", tmp_path / "b.npy", task=task)
