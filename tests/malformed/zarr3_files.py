# SPDX-License-Identifier: Apache-2.0
"""Malformed arrays, groups and shards of version 3 of Zarr."""

import io
import struct
import zipfile
import zlib

from malformed_file import Malformed, json_bytes, without
from zarr_parts import ELEMENTS, coded_files, crc32c, plain_files

FORMAT = "zarr"
BYTES = {"name": "bytes", "configuration": {"endian": "little"}}
CRC = {"name": "crc32c"}
META = {
    "zarr_format": 3,
    "node_type": "array",
    "shape": [2, 3],
    "data_type": "int16",
    "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2, 3]}},
    "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
    "fill_value": 0,
    "codecs": [BYTES],
    "attributes": {},
}
CODECS = {
    None: [BYTES],
    "gzip": [BYTES, {"name": "gzip", "configuration": {"level": 1}}],
    "zstd": [BYTES, {"name": "zstd", "configuration": {"level": 1, "checksum": False}}],
    "blosc": [BYTES, {"name": "blosc", "configuration": {"cname": "lz4", "clevel": 1, "shuffle": "noshuffle"}}],
}


def array(chunk=ELEMENTS, **fields):
    return {"zarr.json": json_bytes({**META, **fields}), "c/0/0": chunk}


def told(text):
    """An array whose metadata are a text."""
    return {"zarr.json": text, "c/0/0": ELEMENTS}


def coded(*codecs, chunk=ELEMENTS):
    return array(chunk, codecs=list(codecs))


def configured(name, **configuration):
    return {"name": name, "configuration": configuration}


def text_files():
    text = json_bytes(META)
    yield "empty", told(b""), "metadata without a byte"
    yield "cut", told(text[:-1]), "metadata without the last brace"
    yield "zeros", told(bytes(100)), "zeros in place of the metadata"
    yield "list", told(b"[]"), "a list in place of an object"
    yield "null", told(b"null"), "null in place of an object"
    yield "deep", told(text.replace(b'"attributes": {}', b'"attributes": ' + b"[" * 100 + b"]" * 100)), "100 levels"
    yield "field_twice", told(text.replace(b"{", b'{"shape": [6], ', 1)), "a field twice"
    yield "field_twice_within", told(text.replace(b'{"endian"', b'{"endian": "big", "endian"')), "a codec's field twice"
    for name in without(META, "attributes"):
        yield "no_" + name, told(json_bytes(without(META, name))), f"no {name}"


def field_files():
    yield "format_of_2", array(zarr_format=2), "version 2 in a file of version 3"
    yield "format_float", array(zarr_format=3.0), "a version with a decimal point"
    yield "node_unknown", array(node_type="table"), "a node that is neither array nor group"
    yield "node_number", array(node_type=1), "a number for the node"
    yield "shape_object", array(shape={"y": 2, "x": 3}), "an object for the shape"
    yield "size_text", array(shape=["2", 3]), "a size as text"
    yield "size_negative", array(shape=[2, -3]), "a size below 0"
    yield "size_null", array(shape=[None, 3]), "a size that is not known"
    yield "bytes_overflow", array(shape=[1 << 31, 1 << 32]), "2^63 elements"
    yield "type_unknown", array(data_type="int7"), "a type that Zarr does not have"
    yield "type_of_v2", array(data_type="<i2"), "a type as version 2 names it"
    yield "type_object", array(data_type={"name": "int16"}), "a type as an object"
    yield "type_of_bits", array(data_type="r16"), "raw bits"
    yield "grid_text", array(chunk_grid="regular"), "a grid without a shape of its chunks"
    yield "grid_unknown", array(chunk_grid=configured("rectangular", chunk_shape=[2, 3])), "a grid that is not known"
    yield "grid_no_shape", array(chunk_grid=configured("regular")), "a regular grid without a shape"
    yield "grid_more_fields", array(chunk_grid=configured("regular", chunk_shape=[2, 3], offset=1)), "a field too many"
    yield "chunk_zero", array(chunk_grid=configured("regular", chunk_shape=[2, 0])), "chunks of no column"
    yield "chunk_rank", array(chunk_grid=configured("regular", chunk_shape=[2])), "chunks of another rank"
    yield "chunk_overflow", array(chunk_grid=configured("regular", chunk_shape=[1 << 62, 3])), "chunks of 2^63 bytes"
    yield "keys_unknown", array(chunk_key_encoding={"name": "morton"}), "keys that are not known"
    yield (
        "keys_separator",
        array(chunk_key_encoding=configured("default", separator="-")),
        "a separator that is not one",
    )
    yield "keys_number", array(chunk_key_encoding=1), "a number for the keys"
    yield "transformers", array(storage_transformers=[{"name": "x"}]), "a transformer of the storage"
    yield "field_unknown", array(compression="zstd"), "a field that Zarr does not have"
    yield "names_of_1_axis", array(dimension_names=["y"]), "a name for two axes"
    yield "names_number", array(dimension_names=[1, "x"]), "a number for a name"
    yield "attributes_list", array(attributes=[]), "a list for the attributes"


def fill_files():
    yield "fill_null", array(fill_value=None), "null, which version 2 allows"
    yield "fill_text", array(fill_value="zero"), "a text for an integer"
    yield "fill_base64", array(fill_value="AAA="), "base64, which version 2 allows"
    yield "fill_too_small", array(fill_value=-32769), "a number that int16 does not have"
    yield "fill_number_for_bool", array(data_type="bool", fill_value=0), "0 for false, which version 2 allows"
    yield "fill_float_text", array(data_type="float32", fill_value="nan"), "nan in place of NaN"
    yield "fill_float_bits", array(data_type="float32", fill_value="0x7fc0"), "the bits of two bytes for four"
    yield "fill_float_true", array(data_type="float32", fill_value=True), "true for a number"
    yield "fill_complex_of_3", array(data_type="complex64", fill_value=[0, 0, 0]), "three parts of a complex number"


def codec_files():
    yield "codecs_text", array(codecs="bytes"), "a text for the codecs"
    yield "codecs_empty", array(codecs=[]), "no codec"
    yield "codec_number", coded(1), "a number for a codec"
    yield "codec_no_name", coded({"configuration": {}}), "a codec without a name"
    yield "codec_more_fields", coded({**BYTES, "level": 1}), "a codec with a field too many"
    yield "codec_configuration", coded({"name": "bytes", "configuration": "little"}), "a text for a configuration"
    yield "codec_unknown", coded(BYTES, {"name": "lzma"}), "a codec that is not known"
    yield "no_bytes", coded({"name": "gzip", "configuration": {"level": 1}}), "bytes compressed that are none yet"
    yield "bytes_twice", coded(BYTES, BYTES), "bytes made twice"
    yield "endian_missing", coded({"name": "bytes"}), "no byte order for two bytes"
    yield "endian_unknown", coded(configured("bytes", endian="middle")), "a byte order that is not known"
    yield "transpose_twice_an_axis", coded(configured("transpose", order=[0, 0]), BYTES), "an axis twice"
    yield "transpose_text", coded(configured("transpose", order="F"), BYTES), "an order as text"
    yield "transpose_rank", coded(configured("transpose", order=[0, 1, 2]), BYTES), "three axes of two"
    yield "transpose_behind", coded(BYTES, configured("transpose", order=[1, 0])), "a transpose of bytes"
    yield "gzip_level", coded(BYTES, configured("gzip", level=10)), "a level that gzip does not have"
    yield "zstd_level", coded(BYTES, configured("zstd", level=23, checksum=False)), "a level that zstd does not have"
    yield "zstd_checksum", coded(BYTES, configured("zstd", level=1, checksum="yes")), "a text for true or false"
    blosc = {"cname": "lz4", "clevel": 1, "shuffle": "noshuffle"}
    yield "blosc_no_shuffle", coded(BYTES, configured("blosc", **without(blosc, "shuffle"))), "Blosc without a shuffle"
    yield "blosc_shuffle_number", coded(BYTES, configured("blosc", **{**blosc, "shuffle": 1})), "a shuffle of version 2"
    yield "blosc_typesize", coded(BYTES, configured("blosc", **blosc, typesize=256)), "elements of 256 bytes"
    damaged = ELEMENTS + crc32c(ELEMENTS[1:])
    yield "crc32c_wrong", coded(BYTES, CRC, chunk=damaged), "a wrong crc32c behind a chunk"
    yield "crc32c_missing", coded(BYTES, CRC, chunk=b"abc"), "a chunk without room for its crc32c"
    yield "crc32c_only", coded(BYTES, CRC, chunk=crc32c(b"")), "the crc32c of a chunk without bytes"


def numcodecs_fields():
    delta = configured("numcodecs.delta", dtype="<i2")
    lz4 = configured("numcodecs.lz4", acceleration=1)
    yield "numcodecs_unknown", coded(BYTES, configured("numcodecs.pcodec")), "a codec that is not known"
    yield "numcodecs_no_name", coded(BYTES, configured("numcodecs.")), "a codec of numcodecs without a name"
    yield "numcodecs_text", coded({"name": "numcodecs.delta", "configuration": "<i2"}, BYTES), "a text for its fields"
    yield "numcodecs_level", coded(BYTES, configured("numcodecs.zlib", level=11)), "a level that zlib does not have"
    yield "filter_behind_bytes", coded(BYTES, delta), "a filter behind the codec bytes"
    yield "compressor_before_bytes", coded(lz4, BYTES), "a compressor before the codec bytes"
    yield "filter_without_bytes", coded(delta), "a filter without the codec bytes"
    yield "filter_of_other_type", coded(configured("numcodecs.delta", dtype="<i4"), BYTES), "a delta of other elements"
    yield "filter_endian", coded(delta, configured("bytes", endian="big")), "other byte orders than the filter's"
    yield "filter_before_transpose", coded(delta, configured("transpose", order=[1, 0]), BYTES), "a transpose behind"
    yield "filter_before_shards", coded(delta, configured("sharding_indexed", **SHARDS)), "shards behind a filter"
    yield "lz4_damaged", coded(BYTES, lz4), "a chunk that is no lz4 data"
    wrong = coded(BYTES, configured("numcodecs.crc32"), chunk=bytes(4) + ELEMENTS)
    yield "crc32_wrong", wrong, "a wrong crc32 before a chunk"
    dates = configured("numpy.datetime64", unit="ns", scale_factor=1)
    yield "times_no_configuration", array(data_type="numpy.datetime64"), "dates without a unit"
    for field, value in (("unit", "parsec"), ("unit", 1), ("scale_factor", 0), ("scale_factor", 1 << 31)):
        given = {**dates, "configuration": {**dates["configuration"], field: value}}
        yield f"times_{field}_{value}", array(data_type=given), f"dates of the {field} {value}"
    yield "times_fill", array(data_type=dates, fill_value="today"), "a text for the fill value of dates"
    yield "nat_of_integers", array(fill_value="NaT"), "NaT for an integer"


SHARDS = {
    "chunk_shape": [1, 3],
    "codecs": [BYTES],
    "index_codecs": [BYTES, CRC],
    "index_location": "end",
}


def index(*entries, crc=None):
    """The index of a shard of two chunks."""
    numbers = struct.pack("<4Q", *(number for entry in entries for number in entry))
    return numbers + (crc32c(numbers) if crc is None else crc)


def sharded(shard, **fields):
    return array(shard, codecs=[configured("sharding_indexed", **{**SHARDS, **fields})])


def shard_metadata_files():
    whole = ELEMENTS + index((0, 6), (6, 6))
    for name in without(SHARDS, "index_location"):
        yield (
            "shards_no_" + name,
            array(whole, codecs=[configured("sharding_indexed", **without(SHARDS, name))]),
            (f"shards without {name}"),
        )
    yield "shards_do_not_divide", sharded(whole, chunk_shape=[2, 2]), "chunks that do not divide their shard"
    yield "shards_rank", sharded(whole, chunk_shape=[3]), "chunks of another rank than their shard"
    yield "shards_zero", sharded(whole, chunk_shape=[0, 3]), "chunks of no row in a shard"
    yield (
        "shards_in_shards",
        sharded(whole, codecs=[configured("sharding_indexed", **SHARDS)]),
        "shards in shards, without their index",
    )
    compressed = [BYTES, {"name": "gzip", "configuration": {"level": 1}}]
    yield "shards_index_compressed", sharded(whole, index_codecs=compressed), "a compressed index"
    yield "shards_index_location", sharded(whole, index_location="middle"), "an index in the middle"
    yield (
        "shards_compressed",
        array(whole, codecs=[configured("sharding_indexed", **SHARDS), configured("gzip", level=1)]),
        "whole shards compressed",
    )
    many = {
        "shape": [1 << 20, 1 << 20],
        "chunk_grid": configured("regular", chunk_shape=[1 << 20, 1 << 20]),
        "codecs": [configured("sharding_indexed", **{**SHARDS, "chunk_shape": [1, 1]})],
    }
    yield "shards_of_2_40_chunks", array(whole, **many), "shards of 2^40 chunks"


def shard_files():
    whole = ELEMENTS + index((0, 6), (6, 6))
    yield "shard_empty", sharded(b""), "a shard without a byte"
    yield "shard_cut", sharded(whole[:20]), "a shard that is shorter than its index"
    yield "shard_without_index", sharded(ELEMENTS * 6), "a shard without an index"
    yield "shard_index_crc", sharded(ELEMENTS + index((0, 6), (6, 6), crc=bytes(4))), "a wrong crc32c of the index"
    yield "shard_index_at_start", sharded(whole, index_location="start"), "an index that is at the other end"
    yield "shard_chunk_outside", sharded(ELEMENTS + index((0, 6), (1 << 40, 6))), "a chunk at a terabyte"
    yield "shard_chunk_too_long", sharded(ELEMENTS + index((0, 6), (6, 1 << 40))), "a chunk of a terabyte"
    yield "shard_chunk_overflows", sharded(ELEMENTS + index((0, 6), ((1 << 64) - 4, 10))), "a chunk around 2^64"
    yield "shard_chunk_half_empty", sharded(ELEMENTS + index((0, 6), ((1 << 64) - 1, 6))), "a beginning of no chunk"
    yield "shard_chunk_cut", sharded(ELEMENTS + index((0, 6), (6, 5))), "a chunk with a byte less"
    yield "shard_chunk_reaches_index", sharded(ELEMENTS + index((0, 6), (10, 6))), "a chunk that reaches into the index"
    within = [BYTES, configured("gzip", level=1)]
    yield "shard_chunk_not_gzip", sharded(whole, codecs=within), "chunks of a shard that are no gzip data"
    checked = [BYTES, CRC]
    body = ELEMENTS[:6] + bytes(4) + ELEMENTS[6:] + crc32c(ELEMENTS[6:])
    yield "shard_chunk_crc", sharded(body + index((0, 10), (10, 10)), codecs=checked), "a wrong crc32c of a chunk"


def nested_files():
    """Shards of one shard of two chunks, in a file of 12 bytes, its index of two, and that of the file."""
    inner_codecs = [configured("sharding_indexed", **SHARDS)]

    def nested(inner, entry=None, **fields):
        one = struct.pack("<2Q", *(entry or (0, len(inner))))
        shard = {**SHARDS, "chunk_shape": [2, 3], "codecs": inner_codecs, **fields}
        return array(inner + one + crc32c(one), codecs=[configured("sharding_indexed", **shard)])

    good = ELEMENTS + index((0, 6), (6, 6))
    yield "nested_cut", nested(good[20:]), "a shard in a shard that is shorter than its index"
    yield "nested_outside", nested(good, (0, 1 << 40)), "a shard in a shard of a terabyte"
    yield "nested_crc", nested(good[:-1] + b"!"), "a wrong crc32c of an index in a shard"
    yield "nested_chunk_outside", nested(ELEMENTS + index((0, 6), (8, 6))), "a chunk that reaches into the inner index"
    yield "nested_chunk_cut", nested(ELEMENTS + index((0, 6), (6, 5))), "a chunk of a shard in a shard, a byte short"
    yield "nested_compressed", nested(good, codecs=[*inner_codecs, CRC]), "inner shards encoded as a whole"
    yield "nested_does_not_divide", nested(good, chunk_shape=[2, 1]), "chunks that do not divide an inner shard"


def archive(files, method=0, damage=()):
    """A zip archive of a folder; `damage`: bytes to be replaced, once each."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as zipped:
        for name, data in files.items():
            zipped.writestr(zipfile.ZipInfo(name), data, method)
    content = file.getvalue()
    for old, new in damage:
        assert old in content, old
        content = content.replace(old, new, 1)
    return content


def archive_files():
    yield "chunk_short", archive(array(ELEMENTS[:-1])), "a short chunk in an archive"
    yield "chunk_crc", archive(array(), damage=[(ELEMENTS, ELEMENTS[::-1])]), "a wrong CRC-32 of a member"
    yield "metadata_crc", archive(array(), damage=[(b'"int16"', b'"int8" ')]), "a wrong CRC-32 of the metadata"
    yield "metadata", archive({"zarr.json": b"{"}), "metadata that end early in an archive"
    yield "empty_group", archive({"zarr.json": b'{"zarr_format": 3, "node_type": "group"}'}), "a group without arrays"
    packed = zlib.compress(ELEMENTS)[2:-4]
    deflated = archive(array(), zipfile.ZIP_DEFLATED, [(packed, b"\xff" * len(packed))])
    yield "chunk_deflated", deflated, "deflated bytes that are damaged"
    yield "chunk_bzip2", archive(array(), zipfile.ZIP_BZIP2), "members that are compressed by bzip2"
    yield "cut", archive(array())[:-30], "an archive that ends early"


def folder_files():
    group = {"zarr.json": json_bytes({"zarr_format": 3, "node_type": "group", "attributes": {}})}
    yield "empty_group", group, "a group without an array"
    yield "group_node", {"zarr.json": b'{"zarr_format": 3}'}, "a group that does not say so"
    yield (
        "array_in_group",
        {**group, "a/zarr.json": json_bytes(without(META, "codecs"))},
        "an array of a group without codecs",
    )
    yield "chunk_in_group", {**group, "a/zarr.json": json_bytes(META), "a/c/0/0": b"short"}, "a short chunk in a group"
    deep = {"g/" * depth + "zarr.json": group["zarr.json"] for depth in range(66)}
    yield "groups_too_deep", deep, "groups within groups, 66 deep"


def files():
    parts = (
        text_files,
        field_files,
        fill_files,
        codec_files,
        numcodecs_fields,
        shard_metadata_files,
        shard_files,
        nested_files,
        folder_files,
    )
    for part in parts:
        for name, content, wrong in part():
            yield Malformed(name + ".zarr", content, wrong)
    for name, content, wrong in archive_files():
        yield Malformed(name + ".zarr.zip", content, wrong)
    for chunks in (plain_files, coded_files):
        for name, codec, chunk, wrong in chunks():
            yield Malformed(name + ".zarr", array(chunk, codecs=CODECS[codec]), wrong)
