# SPDX-License-Identifier: Apache-2.0
"""What numcodecs encodes in Zarr arrays of both versions, and shards within shards, as zarr-python reads them."""

from __future__ import annotations

import json

import numcodecs
import numpy
import pytest
import tenstride as torch
import zarr
from running import run_program

SHAPE, CHUNKS = (7, 10), (4, 5)

# Each: the type of the array, the filters, and what compresses, as numcodecs configures them.
COMPRESSORS = {
    "lz4": {"id": "lz4", "acceleration": 1},
    "bz2": {"id": "bz2", "level": 9},
    "lzma": {"id": "lzma", "format": 1, "check": -1, "preset": None, "filters": None},
    "lzma alone": {"id": "lzma", "format": 2, "check": -1, "preset": 1, "filters": None},
    "zlib": {"id": "zlib", "level": 1},
    "gzip": {"id": "gzip", "level": 1},
    "zstd": {"id": "zstd", "level": 1, "checksum": True},
    "blosc": {"id": "blosc", "cname": "lz4", "clevel": 5, "shuffle": 1, "blocksize": 0},
    # Version 3 has the fields that were given, and no others.
    "blosc as usual": {"id": "blosc"},
}
CHECKSUMS = {name: {"id": name} for name in ("crc32", "crc32c", "adler32", "fletcher32")}
CHECKSUMS |= {
    f"{name} {place}": {"id": name, "location": place}
    for name in ("crc32", "crc32c", "adler32")
    for place in ("start", "end")
}
FILTERS = {
    "delta": ("<i4", [{"id": "delta", "dtype": "<i4"}]),
    "delta to fewer bytes": ("<i8", [{"id": "delta", "dtype": "<i8", "astype": "<i2"}]),
    "delta of unsigned": ("|u1", [{"id": "delta", "dtype": "|u1"}]),
    "delta of floats": ("<f4", [{"id": "delta", "dtype": "<f4"}]),
    "delta of halves": ("<f2", [{"id": "delta", "dtype": "<f2", "astype": "<f4"}]),
    "delta of doubles to integers": ("<f8", [{"id": "delta", "dtype": "<f8", "astype": "<i4"}]),
    "scale": ("<f8", [{"id": "fixedscaleoffset", "offset": -5, "scale": 10, "dtype": "<f8", "astype": "|u1"}]),
    "scale of floats": ("<f4", [{"id": "fixedscaleoffset", "offset": 1.5, "scale": 0.1, "dtype": "<f4"}]),
    "scale to integers": (
        "<f4",
        [{"id": "fixedscaleoffset", "offset": 1000.25, "scale": 3, "dtype": "<f4", "astype": "<i4"}],
    ),
    "scale of integers": (
        "<i4",
        [{"id": "fixedscaleoffset", "offset": 7, "scale": 0.5, "dtype": "<i4", "astype": "<i2"}],
    ),
    "quantize": ("<f8", [{"id": "quantize", "digits": 1, "dtype": "<f8"}]),
    "bitround": ("<f4", [{"id": "bitround", "keepbits": 5}]),
    "astype": ("<f8", [{"id": "astype", "encode_dtype": "<f4", "decode_dtype": "<f8"}]),
    "astype of integers": ("<i8", [{"id": "astype", "encode_dtype": "|i1", "decode_dtype": "<i8"}]),
    "bits": ("|b1", [{"id": "packbits"}]),
    "scale and delta": (
        "<f8",
        [
            {"id": "fixedscaleoffset", "offset": 0, "scale": 100, "dtype": "<f8", "astype": "<i4"},
            {"id": "delta", "dtype": "<i4", "astype": "<i2"},
        ],
    ),
}
# Of version 2 alone: other byte orders, and elements seen as those of another type.
FILTERS_OF_2 = {
    "delta, big": (">i4", [{"id": "delta", "dtype": ">i4", "astype": ">i2"}]),
    "delta, both orders": (">i4", [{"id": "delta", "dtype": ">i4", "astype": "<i2"}]),
    "scale, big": (">f4", [{"id": "fixedscaleoffset", "offset": 1, "scale": 4, "dtype": ">f4", "astype": "<i2"}]),
    "delta of bits of floats": ("<f4", [{"id": "delta", "dtype": "<i4"}]),
    "quantize to fewer bytes": ("<f8", [{"id": "quantize", "digits": 1, "dtype": "<f8", "astype": "<f4"}]),
    "shuffle": ("<f4", [{"id": "shuffle", "elementsize": 4}]),
    "shuffle and sum": ("<f8", [{"id": "shuffle", "elementsize": 8}, {"id": "fletcher32"}]),
}

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning", "ignore::RuntimeWarning")


def numbers(dtype):
    values = numpy.random.default_rng(7).integers(-5, 20, SHAPE) / 4
    return (values > 1) if dtype == "|b1" else values.astype(dtype)


def make(path, version, dtype, filters=(), codecs=(), **options):
    """An array as zarr-python writes it, and as it reads it."""
    if version == 2:
        compressors = numcodecs.get_codec(dict(codecs[0])) if codecs else None
        chosen = {"filters": [numcodecs.get_codec(dict(one)) for one in filters], "compressors": compressors}
    else:
        filters, codecs = (
            [
                {"name": "numcodecs." + one["id"], "configuration": {k: v for k, v in one.items() if k != "id"}}
                for one in given
            ]
            for given in (filters, codecs)
        )
        chosen = {"filters": filters, "compressors": codecs}
    array = zarr.create_array(
        path, shape=SHAPE, chunks=CHUNKS, dtype=dtype, zarr_format=version, fill_value=0, **chosen, **options
    )
    array[...] = numbers(dtype)
    return zarr.open_array(path, mode="r")[...]


def assert_read(path, wanted):
    found = torch.load(path).numpy()
    assert found.dtype == wanted.dtype.newbyteorder("=")
    numpy.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("name", COMPRESSORS)
@pytest.mark.parametrize("dtype", ["|u1", "<i2", "<f8"])
def test_compressors(tmp_path, version, name, dtype):
    wanted = make(tmp_path / "x.zarr", version, dtype, codecs=[COMPRESSORS[name]])
    numpy.testing.assert_array_equal(wanted, numbers(dtype))
    assert_read(tmp_path / "x.zarr", wanted)


@pytest.mark.parametrize("name", COMPRESSORS)
def test_compressors_of_large_chunks(tmp_path, name):
    wanted = numpy.random.default_rng(1).integers(0, 50, (300, 1000), dtype="int32")
    wanted[50:100] = 7
    codec = numcodecs.get_codec(dict(COMPRESSORS[name]))
    zarr.create_array(tmp_path / "x.zarr", data=wanted, chunks=(250, 700), zarr_format=2, compressors=codec)
    assert_read(tmp_path / "x.zarr", wanted)


@pytest.mark.parametrize("name", CHECKSUMS)
def test_checksums(tmp_path, name):
    sum_of = CHECKSUMS[name]
    for version, codecs in ((2, []), (3, [COMPRESSORS["zlib"], sum_of]), (3, [sum_of, COMPRESSORS["lz4"]])):
        path = tmp_path / f"{version}{len(codecs) and codecs[0]['id']}.zarr"
        wanted = make(path, version, "<f4", filters=[sum_of] if version == 2 else [], codecs=codecs)
        assert_read(path, wanted)
        chunk = path / ("0.0" if version == 2 else "c/0/0")
        damaged = bytearray(chunk.read_bytes())
        damaged[len(damaged) // 2] ^= 1
        chunk.write_bytes(damaged)
        with pytest.raises(torch.FileError, match="damaged"):
            torch.load(path)


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("name", FILTERS)
@pytest.mark.parametrize("compressor", [None, "zstd"])
def test_filters(tmp_path, version, name, compressor):
    dtype, filters = FILTERS[name]
    codecs = [] if compressor is None else [COMPRESSORS[compressor]]
    assert_read(tmp_path / "x.zarr", make(tmp_path / "x.zarr", version, dtype, filters, codecs))


@pytest.mark.parametrize("name", FILTERS_OF_2)
@pytest.mark.parametrize("order", ["C", "F"])
def test_filters_of_version_2(tmp_path, name, order):
    dtype, filters = FILTERS_OF_2[name]
    assert_read(tmp_path / "x.zarr", make(tmp_path / "x.zarr", 2, dtype, filters, [COMPRESSORS["zlib"]], order=order))


def test_a_compressor_among_the_filters(tmp_path):
    filters = [{"id": "shuffle", "elementsize": 4}, COMPRESSORS["zlib"]]
    assert_read(tmp_path / "x.zarr", make(tmp_path / "x.zarr", 2, "<f4", filters))
    run_program("convert", tmp_path / "x.zarr", "x.t()", "-o", tmp_path / "y.zarr", "--metadata-only")
    assert_read(tmp_path / "y.zarr", zarr.open_array(tmp_path / "y.zarr", mode="r")[...])


def test_a_delta_of_long_chunks(tmp_path):
    wanted = numpy.cumsum(numpy.random.default_rng(3).integers(-9, 10, 5000)).astype("int16")
    wanted[3000:] -= wanted[3000]
    zarr.create_array(
        tmp_path / "x.zarr",
        data=wanted,
        chunks=(3000,),
        zarr_format=2,
        filters=[numcodecs.Delta("<i2", "|i1")],
        compressors=None,
    )
    assert_read(tmp_path / "x.zarr", wanted)


@pytest.mark.parametrize("version", [2, 3])
def test_axes_are_permuted_by_metadata_alone(tmp_path, version):
    filters = [{"id": "fixedscaleoffset", "offset": 0, "scale": 4, "dtype": "<f8", "astype": "<i2"}]
    wanted = make(tmp_path / "x.zarr", version, "<f8", filters, [COMPRESSORS["lz4"]])
    run_program("convert", tmp_path / "x.zarr", "x.t()", "-o", tmp_path / "y.zarr", "--metadata-only")
    numpy.testing.assert_array_equal(zarr.open_array(tmp_path / "y.zarr", mode="r")[...], wanted.T)
    assert_read(tmp_path / "y.zarr", wanted.T)


def test_info_names_the_codecs(tmp_path):
    make(tmp_path / "x.zarr", 3, "<i4", FILTERS["delta"][1], [COMPRESSORS["lz4"], {"id": "crc32"}])
    (info,) = torch.file_info(tmp_path / "x.zarr")
    assert info.codec == "delta+lz4+crc32"


def sharded(inner_shape, codecs, location="end"):
    index = [{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "crc32c"}]
    configuration = {
        "chunk_shape": list(inner_shape),
        "codecs": codecs,
        "index_codecs": index,
        "index_location": location,
    }
    return {"name": "sharding_indexed", "configuration": configuration}


PLAIN = [
    {"name": "bytes", "configuration": {"endian": "little"}},
    {"name": "zstd", "configuration": {"level": 1, "checksum": False}},
]
NESTED = {
    "two": [sharded((6, 8), [sharded((2, 4), PLAIN)])],
    "three": [sharded((6, 8), [sharded((6, 4), [sharded((3, 2), PLAIN, "start")])], "start")],
    "filters": [
        sharded(
            (6, 4),
            [
                sharded(
                    (3, 4), [{"name": "numcodecs.delta", "configuration": {"dtype": "<i4", "astype": "<i2"}}, *PLAIN]
                )
            ],
        )
    ],
    "transposed within": [
        sharded((6, 8), [sharded((2, 4), [{"name": "transpose", "configuration": {"order": [1, 0]}}, *PLAIN])])
    ],
}


@pytest.mark.parametrize("name", NESTED)
def test_shards_within_shards(tmp_path, name):
    path = tmp_path / "x.zarr"
    shape, unit = (25, 30), (12, 16)
    metadata = {
        "zarr_format": 3,
        "node_type": "array",
        "shape": shape,
        "data_type": "int32",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": unit}},
        "chunk_key_encoding": {"name": "default"},
        "fill_value": 5,
        "codecs": NESTED[name],
        "attributes": {},
    }
    path.mkdir()
    (path / "zarr.json").write_text(json.dumps(metadata))
    array = zarr.open_array(path, mode="r+")
    wanted = numpy.full(shape, 5, "int32")
    wanted[:9, :14] = numpy.arange(9 * 14).reshape(9, 14)
    wanted[13:, 20:] = 8
    array[...] = wanted
    numpy.testing.assert_array_equal(zarr.open_array(path, mode="r")[...], wanted)
    assert_read(path, wanted)
    run_program("convert", path, "x.t()", "-o", tmp_path / "y.zarr", "--chunks", "7,9")
    numpy.testing.assert_array_equal(zarr.open_array(tmp_path / "y.zarr", mode="r")[...], wanted.T)
