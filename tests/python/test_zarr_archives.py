# SPDX-License-Identifier: Apache-2.0
"""Zarr in zip archives, as ZipStore of zarr-python and zip programs write them; arrays of types that are no numbers."""

from __future__ import annotations

import json
import pathlib
import zipfile

import numpy
import pytest
import tenstride as torch
import zarr
from running import run_program

A = numpy.arange(60, dtype="int32").reshape(6, 10)
B = numpy.linspace(0, 1, 24, dtype="float32").reshape(2, 3, 4)
METHODS = [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED]

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning", "ignore::RuntimeWarning", "ignore::FutureWarning")


def fill(group):
    version = group.metadata.zarr_format
    group.attrs["title"] = "of the root"
    group.create_array("a", data=A, chunks=(4, 3), attributes={"k": 1})
    shards = {} if version == 2 else {"shards": (2, 4, 4)}
    group.create_array("in/b", data=B, chunks=(1, 2, 2), **shards)


def make_store(path, version, method):
    with zarr.storage.ZipStore(path, mode="w", compression=method) as store:
        fill(zarr.open_group(store, mode="w", zarr_format=version))


def make_zip(path, version, method, root):
    folder = path.with_suffix(".folder")
    fill(zarr.open_group(folder, mode="w", zarr_format=version))
    with zipfile.ZipFile(path, "w", method) as archive:
        for file in sorted(folder.rglob("*")):
            archive.write(file, pathlib.Path(root) / file.relative_to(folder))


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("root", [None, ".", "g.zarr"])
def test_archives_are_read(tmp_path, version, method, root):
    path = tmp_path / "g.zarr.zip"
    make_store(path, version, method) if root is None else make_zip(path, version, method, root)
    infos = {info.name: info for info in torch.file_info(path)}
    assert set(infos) == {"a", "in/b"}
    assert (infos["a"].format, infos["a"].shape, infos["a"].attributes) == (f"Zarr {version}", (6, 10), {"k": 1})
    found = torch.load(path)
    numpy.testing.assert_array_equal(found["a"].numpy(), A)
    numpy.testing.assert_array_equal(found["in/b"].numpy(), B)
    numpy.testing.assert_array_equal(torch.load(f"{path}::in/b").numpy(), B)
    run_program("convert", f"{path}::a", "x.t()", "-o", tmp_path / "y.zarr", "--keep-others", "--chunks", "5,2")
    group = zarr.open_group(tmp_path / "y.zarr", mode="r")
    assert group.attrs.asdict() == {"title": "of the root"}
    numpy.testing.assert_array_equal(group["a"][...], A.T)
    numpy.testing.assert_array_equal(group["in/b"][...], B)


def test_an_array_alone(tmp_path):
    with zarr.storage.ZipStore(tmp_path / "x.zip", mode="w") as store:
        zarr.create_array(store, data=A, chunks=(4, 3))
    (info,) = torch.file_info(tmp_path / "x.zip")
    assert (info.name, info.chunk) == (None, [4, 3])
    numpy.testing.assert_array_equal(torch.load(tmp_path / "x.zip").numpy(), A)


def test_errors_name_the_array(tmp_path):
    with zarr.storage.ZipStore(tmp_path / "x.zip", mode="w") as store:
        zarr.open_group(store, mode="w").create_array("a/b", data=numpy.array(["a"]))
    with pytest.raises(torch.FileError, match=r'x\.zip::a/b" must have elements of a type that tenstride has'):
        torch.load(tmp_path / "x.zip")


@pytest.mark.parametrize("method", METHODS)
def test_a_damaged_member_is_refused(tmp_path, method):
    path = tmp_path / "x.zarr.zip"
    with zarr.storage.ZipStore(path, mode="w", compression=method) as store:
        zarr.create_array(store, data=A, chunks=A.shape, compressors=None)
    with zipfile.ZipFile(path) as archive:
        place = archive.getinfo("c/0/0").header_offset
    data = bytearray(path.read_bytes())
    data[place + 30 + len("c/0/0") + 20] ^= 1
    path.write_bytes(data)
    with pytest.raises(torch.FileError, match="damaged"):
        torch.load(path)


def test_archives_are_only_read(tmp_path):
    path = tmp_path / "x.zarr.zip"
    make_store(path, 3, zipfile.ZIP_STORED)
    with pytest.raises(ValueError, match="is a zip archive and must be a folder where only metadata change"):
        torch.convert(f"{path}::a", "x.t()", tmp_path / "y.zarr", metadata_only=True)


def strangers(group):
    """Arrays of types that are no numbers."""
    version = group.metadata.zarr_format
    words = group.create_array("words", shape=(3,), dtype=str)
    words[:] = ["x", "", "zz"]
    group.create_array("fixed", data=numpy.array(["ab", "c"]))
    group.create_array("bytes", data=numpy.array([b"ab", b"c"]))
    group.create_array("fields", data=numpy.array([(1.5, 2)], dtype=[("x", "<f4"), ("y", "<i8")]))
    group.create_array("raw", data=numpy.array([b"ab", b"cd"], "V2"))
    if version == 2:
        objects = {"zarr_format": 2, "shape": [2], "chunks": [2], "dtype": "|O", "fill_value": None, "order": "C"}
        return {"objects": objects | {"compressor": None, "filters": [{"id": "json2"}]}}
    return {}


@pytest.mark.parametrize("version", [2, 3])
def test_what_is_no_number_blocks_nothing_else(tmp_path, version):
    group = zarr.open_group(tmp_path / "g.zarr", mode="w", zarr_format=version)
    fill(group)
    for name, metadata in strangers(group).items():
        (tmp_path / "g.zarr" / name).mkdir()
        (tmp_path / "g.zarr" / name / ".zarray").write_text(json.dumps(metadata))
    obstacles = {info.name: info.obstacle for info in torch.file_info(tmp_path / "g.zarr")}
    assert {name for name, obstacle in obstacles.items() if not obstacle} == {"a", "in/b"}
    unknown = {name: obstacle for name, obstacle in obstacles.items() if obstacle}
    assert set(unknown) >= {"words", "fixed", "bytes", "fields", "raw"}
    assert all(text.startswith("have elements of a type that tenstride has, not ") for text in unknown.values()), (
        unknown
    )
    numpy.testing.assert_array_equal(torch.load(f"{tmp_path / 'g.zarr'}::a").numpy(), A)
    numpy.testing.assert_array_equal(torch.load(f"{tmp_path / 'g.zarr'}::in/*")["in/b"].numpy(), B)
