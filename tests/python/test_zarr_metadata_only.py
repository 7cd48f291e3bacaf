# SPDX-License-Identifier: Apache-2.0
"""Zarr arrays that are permuted by their metadata alone, read by zarr-python."""

from __future__ import annotations

import json
import os
import random
import shutil

import numpy
import pytest
import tenstride

zarr = pytest.importorskip("zarr")
numcodecs = pytest.importorskip("numcodecs")

CODECS = {
    2: [None, numcodecs.GZip(1), numcodecs.Zlib(1), numcodecs.Zstd(1), numcodecs.Blosc("lz4", 5)],
    3: [
        None,
        zarr.codecs.GzipCodec(level=1),
        zarr.codecs.ZstdCodec(level=1),
        zarr.codecs.BloscCodec(cname="lz4"),
        [zarr.codecs.ZstdCodec(level=1), zarr.codecs.Crc32cCodec()],
    ],
}


def chain_of(order):
    return f"x.permute({', '.join(map(str, order))})"


def new_array(path, version, shape, chunks, **options):
    """An array of random numbers with one chunk missing, as NumPy has it."""
    given = {"dtype": "int32", "fill_value": 7, "attributes": {"units": "K"}, **options}
    array = zarr.create_array(path, shape=shape, chunks=chunks, zarr_format=version, **given)
    values = numpy.random.default_rng(3).integers(-999, 999, shape, dtype="int32")
    first = tuple(slice(0, extent) for extent in options.get("shards") or chunks)
    values[first] = 7
    array[...] = values
    return values


def files_of(path):
    return sorted(
        os.path.relpath(os.path.join(folder, name), path) for folder, _, names in os.walk(path) for name in names
    )


def texts_of(path):
    """The metadata, by file."""
    texts = {}
    for name in (".zarray", ".zattrs", "zarr.json"):
        if os.path.exists(os.path.join(path, name)):
            with open(os.path.join(path, name)) as file:
                texts[name] = json.load(file)
    return texts


def orders(rank, how_many=3):
    """The reverse and random ones."""
    dice = random.Random(rank)
    found = [tuple(reversed(range(rank)))]
    found += [tuple(dice.sample(range(rank), rank)) for _ in range(how_many - 1)]
    return dict.fromkeys(found)


@pytest.mark.parametrize("shape", [(7,), (5, 6), (5, 1, 7), (4, 5, 3, 6)], ids=str)
@pytest.mark.parametrize("codec", range(5))
@pytest.mark.parametrize("shards", [False, True], ids=["chunks", "shards"])
def test_version_3(tmp_path, shape, codec, shards):
    source = tmp_path / "a.zarr"
    names = [f"axis{d}" for d in range(len(shape))]
    chunks = (2,) * len(shape)
    values = new_array(
        source,
        3,
        shape,
        chunks,
        shards=(4,) * len(shape) if shards else None,
        compressors=CODECS[3][codec],
        dimension_names=names,
    )
    for order in orders(len(shape)):
        there, back = tmp_path / "b.zarr", tmp_path / "c.zarr"
        result = tenstride.convert(source, chain_of(order), there, metadata_only=True, verify=True)
        assert result.is_checked
        found = zarr.open_array(there, mode="r")
        assert numpy.array_equal(found[...], values.transpose(order))
        assert found.metadata.dimension_names == tuple(names[axis] for axis in order)
        assert dict(found.attrs) == {"units": "K"}
        assert len(files_of(there)) == len(files_of(source))  # what is missing stays so
        tenstride.convert(there, chain_of(numpy.argsort(order)), back, metadata_only=True)
        assert files_of(back) == files_of(source)
        assert numpy.array_equal(zarr.open_array(back, mode="r")[...], values)
        first, second = texts_of(back)["zarr.json"], texts_of(source)["zarr.json"]
        assert first["codecs"] == second["codecs"] and first["shape"] == second["shape"]
        shutil.rmtree(there)
        shutil.rmtree(back)


@pytest.mark.parametrize("shape", [(7,), (5, 6), (5, 1, 7), (4, 5, 3, 6)], ids=str)
@pytest.mark.parametrize("codec", range(5))
@pytest.mark.parametrize("order", ["C", "F"])
def test_version_2(tmp_path, shape, codec, order):
    source, there, back = tmp_path / "a.zarr", tmp_path / "b.zarr", tmp_path / "c.zarr"
    values = new_array(source, 2, shape, (2,) * len(shape), compressors=CODECS[2][codec], order=order)
    reverse = tuple(reversed(range(len(shape))))
    tenstride.convert(source, chain_of(reverse), there, metadata_only=True, verify=True)
    found = zarr.open_array(there, mode="r")
    assert found.metadata.zarr_format == 2
    assert numpy.array_equal(found[...], values.transpose(reverse))
    assert dict(found.attrs) == {"units": "K"}
    tenstride.convert(there, chain_of(reverse), back, metadata_only=True)
    assert files_of(back) == files_of(source)
    assert texts_of(back)[".zarray"]["order"] in (order, "C")
    assert numpy.array_equal(zarr.open_array(back, mode="r")[...], values)


def test_version_2_by_version_3(tmp_path):
    source, there = tmp_path / "a.zarr", tmp_path / "b.zarr"
    values = new_array(source, 2, (4, 5, 6), (2, 2, 2), compressors=numcodecs.Zstd(1))
    with pytest.raises(tenstride.FileError, match="must be row-major or column-major in version 2 of Zarr"):
        tenstride.convert(source, "x.permute(0, 2, 1)", there, metadata_only=True)
    tenstride.convert(source, "x.permute(0, 2, 1)", there, metadata_only=True, zarr_format=3)
    found = zarr.open_array(there, mode="r")
    assert found.metadata.zarr_format == 3
    assert numpy.array_equal(found[...], values.transpose(0, 2, 1))


@pytest.mark.parametrize("shards", [None, (4, 4)], ids=["chunks", "shards"])
def test_in_place(tmp_path, shards):
    path = tmp_path / "a.zarr"
    values = new_array(path, 3, (6, 8), (2, 2), shards=shards)
    for _ in range(3):
        values = values.T
        result = tenstride.convert(path, "x.T", path, metadata_only=True, overwrite=True)
        assert shards or result.bytes_written == 0
        assert numpy.array_equal(zarr.open_array(path, mode="r")[...], values)
        assert os.listdir(tmp_path) == ["a.zarr"]


def test_copies_are_independent(tmp_path):
    source, there = tmp_path / "a.zarr", tmp_path / "b.zarr"
    values = new_array(source, 3, (6, 8), (2, 2))
    tenstride.convert(source, "x.T", there, metadata_only=True)
    zarr.open_array(there, mode="r+")[...] = 1
    assert numpy.array_equal(zarr.open_array(source, mode="r")[...], values)


def test_a_group(tmp_path):
    source, there = tmp_path / "g.zarr", tmp_path / "h.zarr"
    group = zarr.create_group(source)
    for name in ("a", "b"):
        group.create_array(name, shape=(3, 4), chunks=(2, 2), dtype="int32")[...] = numpy.arange(12).reshape(3, 4)
    tenstride.convert(source, "x.T", there, metadata_only=True)
    found = zarr.open_group(there, mode="r")
    for name in ("a", "b"):
        assert numpy.array_equal(found[name][...], numpy.arange(12).reshape(3, 4).T)


@pytest.mark.filterwarnings("ignore:Consolidated metadata")
@pytest.mark.parametrize("version", [2, 3])
def test_refuses_a_kept_copy_of_the_metadata(tmp_path, version):
    source = tmp_path / "g.zarr"
    zarr.create_group(source, zarr_format=version).create_array("a", shape=(3, 4), chunks=(2, 2), dtype="int32")
    zarr.consolidate_metadata(source)
    with pytest.raises(ValueError, match=r"keeps a copy of its metadata \(consolidated\)"):
        tenstride.convert(source / "a", "x.T", source / "a", metadata_only=True, overwrite=True)


@pytest.mark.parametrize(
    ("chain", "options", "rule"),
    [
        ("x[1:]", {}, "must permute the axes of x and no more"),
        ("x.flip(0)", {}, "must permute the axes of x and no more"),
        ("x.T", {"chunks": (1, 1)}, "must stay those of the source"),
        ("x.T", {"dtype": "float32"}, "must stay int32"),
        ("x.T", {"zarr_format": 2}, "must stay so where only metadata change"),
        ("x.T", {"zarr_format": 4}, "must be 2 or 3"),
    ],
)
def test_refusals(tmp_path, chain, options, rule):
    source = tmp_path / "a.zarr"
    new_array(source, 3, (6, 8), (2, 2))
    with pytest.raises(ValueError, match=rule):
        tenstride.convert(source, chain, tmp_path / "b.zarr", metadata_only=True, **options)
    assert os.listdir(tmp_path) == ["a.zarr"]


def test_plan(tmp_path):
    source = tmp_path / "a.zarr"
    new_array(source, 3, (6, 8), (2, 2))
    plan = tenstride.plan_convert(source, "x.T", tmp_path / "b.zarr", metadata_only=True)
    assert "metadata only: axes (1,0) of x, 12 files of chunks at most" in str(plan)
    assert plan.passes == 1
