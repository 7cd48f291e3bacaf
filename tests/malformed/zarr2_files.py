# SPDX-License-Identifier: Apache-2.0
"""Malformed arrays and groups of version 2 of Zarr."""

from malformed_file import Malformed, json_bytes, without
from zarr_parts import ELEMENTS, lzma_alone, numcodecs_files, plain_files, zlib_files

FORMAT = "zarr"
META = {
    "zarr_format": 2,
    "shape": [2, 3],
    "chunks": [2, 3],
    "dtype": "<i2",
    "compressor": None,
    "fill_value": 0,
    "order": "C",
    "filters": None,
}
CODECS = {
    None: None,
    "zlib": {"id": "zlib", "level": 1},
    "gzip": {"id": "gzip", "level": 1},
    "zstd": {"id": "zstd", "level": 1},
    "blosc": {"id": "blosc", "cname": "lz4", "clevel": 1, "shuffle": 0, "blocksize": 0},
    "lz4": {"id": "lz4", "acceleration": 1},
    "bz2": {"id": "bz2", "level": 1},
    "lzma": {"id": "lzma", "format": 1, "check": -1, "preset": None, "filters": None},
}


def array(chunk=ELEMENTS, **fields):
    return {".zarray": json_bytes({**META, **fields}), "0.0": chunk}


def told(text):
    """An array whose metadata are a text."""
    return {".zarray": text, "0.0": ELEMENTS}


def text_files():
    text = json_bytes(META)
    yield "empty", told(b""), "metadata without a byte"
    yield "cut", told(text[:40]), "metadata that end early"
    yield "text_behind", told(text + b"]"), "something behind the metadata"
    yield "comma_too_many", told(text.replace(b"}", b",}")), "a comma behind the last field"
    yield "comment", told(b"// array\n" + text), "a comment, which JSON does not have"
    yield "no_utf8", told(text.replace(b'"C"', b'"\xff"')), "a text that is no UTF-8"
    yield "list", told(b"[" + text + b"]"), "a list in place of an object"
    yield "number", told(b"2"), "a number in place of an object"
    yield "deep", told(b'{"a":' * 100000), "objects within objects, 100,000 deep"
    yield "field_twice", told(text.replace(b"{", b'{"order": "F", ', 1)), "a field twice"
    yield "number_too_large", told(text.replace(b": 0,", b": 1e999,")), "a number that no double can hold"
    for name in ("zarr_format", "shape", "chunks", "dtype", "compressor", "fill_value", "order"):
        yield "no_" + name, told(json_bytes(without(META, name))), f"no {name}"


def field_files():
    yield "format_of_3", array(zarr_format=3), "version 3 in a file of version 2"
    yield "format_text", array(zarr_format="2"), "the version as text"
    yield "shape_number", array(shape=6), "a number for the shape"
    yield "shape_text", array(shape="2,3"), "a text for the shape"
    yield "shape_null", array(shape=None), "null for the shape"
    yield "size_negative", array(shape=[-2, 3]), "a size below 0"
    yield "size_float", array(shape=[2.0, 3]), "a size with a decimal point"
    yield "size_above_63_bits", array(shape=[1 << 63, 3]), "a size of 2^63"
    yield "elements_overflow", array(shape=[1 << 32, 1 << 32]), "2^64 elements"
    yield "too_many_axes", array(shape=[1] * 65, chunks=[1] * 65), "65 axes"
    yield "chunks_of_1_axis", array(chunks=[6]), "chunks of another rank"
    yield "chunks_zero", array(chunks=[0, 3]), "chunks of no row"
    yield "chunks_negative", array(chunks=[-2, 3]), "chunks of less than no row"
    yield "chunks_true", array(chunks=True), "true for the chunks"
    yield "chunks_overflow", array(chunks=[1 << 62, 1 << 62]), "chunks of 2^124 elements"
    yield "dtype_number", array(dtype=2), "a number for the type"
    yield "dtype_unknown", array(dtype="<x2"), "a type that NumPy does not have"
    yield "dtype_without_order", array(dtype="i2"), "a type without a byte order"
    yield "dtype_of_objects", array(dtype="|O"), "objects"
    yield "dtype_of_fields", array(dtype=[["a", "<i2"]]), "structures"
    yield "order_unknown", array(order="A"), "an order that is neither C nor F"
    yield "order_null", array(order=None), "null for the order"
    yield "separator_unknown", array(dimension_separator="-"), "a separator that is neither . nor /"
    yield "separator_number", array(dimension_separator=1), "a number for the separator"


def value_files():
    yield "fill_text", array(fill_value="many"), "a text for an integer"
    yield "fill_list", array(fill_value=[0]), "a list for an integer"
    yield "fill_fraction", array(fill_value=0.5), "a fraction for an integer"
    yield "fill_too_large", array(fill_value=40000), "a number that int16 does not have"
    yield "fill_nan", array(fill_value="NaN"), "NaN for an integer"
    yield "fill_of_complex", array(dtype="<c8", fill_value=0), "a number for a complex one"
    yield "fill_of_bool", array(dtype="|b1", fill_value=2), "2 for true or false"
    yield "filters_number", array(filters=1), "a number for the filters"
    yield "filter_unknown", array(filters=[{"id": "json2"}]), "a filter that is not known"
    shuffle = {"id": "shuffle", "elementsize": 2}
    yield "filter_compresses", array(filters=[{"id": "zlib"}, shuffle]), "a compressor before a filter"
    yield (
        "filter_not_zlib",
        array(filters=[shuffle, {"id": "zlib"}]),
        "a compressor last among the filters, and no zlib data",
    )
    yield "shuffle_of_5", array(filters=[{"id": "shuffle", "elementsize": 5}]), "a shuffle of elements of 5 bytes"
    yield "shuffle_of_0", array(filters=[{"id": "shuffle", "elementsize": 0}]), "a shuffle of elements of 0 bytes"
    yield "compressor_text", array(compressor="zlib"), "a text for the compressor"
    yield "compressor_unknown", array(compressor={"id": "zfpy"}), "a compressor that is not known"
    yield "compressor_no_id", array(compressor={"level": 1}), "a compressor without a name"
    yield "zlib_level_10", array(compressor={"id": "zlib", "level": 10}), "a level that zlib does not have"
    yield "zlib_level_text", array(compressor={"id": "zlib", "level": "9"}), "a level as text"
    yield "zlib_more_fields", array(compressor={"id": "zlib", "wbits": 15}), "a field that zlib does not have"
    blosc = CODECS["blosc"]
    yield "blosc_name", array(compressor={**blosc, "cname": "lz5"}), "a compressor that Blosc does not have"
    yield "blosc_shuffle", array(compressor={**blosc, "shuffle": 3}), "a shuffle that Blosc does not have"
    yield "blosc_level_10", array(compressor={**blosc, "clevel": 10}), "a level that Blosc does not have"


def filtered(*filters, chunk=ELEMENTS, **fields):
    return array(chunk, filters=list(filters), **fields)


def numcodecs_fields():
    delta = {"id": "delta", "dtype": "<i2"}
    yield "delta_unknown_type", filtered({**delta, "dtype": "<x2"}), "a delta of a type that NumPy does not have"
    yield "delta_of_dates", filtered({**delta, "dtype": "<M8[s]"}), "a delta of dates"
    yield "delta_of_complex", filtered({**delta, "astype": "<c8"}), "a delta that is complex"
    yield "delta_of_bool", filtered({**delta, "dtype": "|b1"}), "a delta of bool"
    yield "delta_number", filtered({**delta, "dtype": 2}), "a number for a type"
    yield "delta_does_not_divide", filtered({**delta, "dtype": "<f8"}), "a delta of 8 bytes in chunks of 12"
    yield "delta_more_fields", filtered({**delta, "order": 2}), "a field that delta does not have"
    scale = {"id": "fixedscaleoffset", "offset": 0, "scale": 10, "dtype": "<i2"}
    yield "scale_zero", filtered({**scale, "scale": 0}), "a scale of 0"
    yield "scale_text", filtered({**scale, "scale": "10"}), "a text for a scale"
    yield "scale_nan", filtered({**scale, "scale": float("nan")}), "NaN for a scale"
    yield "scale_no_offset", filtered(without(scale, "offset")), "a scale without an offset"
    yield "quantize_of_integers", filtered({"id": "quantize", "digits": 1, "dtype": "<i2"}), "integers quantized"
    yield "astype_no_type", filtered({"id": "astype", "decode_dtype": "<i2"}), "an astype without a type"
    yield "bitround_text", filtered({"id": "bitround", "keepbits": "all"}), "a text for a number of bits"
    yield "crc32_place", filtered({"id": "crc32", "location": "middle"}), "a checksum in the middle"
    yield "bz2_level", array(compressor={"id": "bz2", "level": 0}), "a level that bz2 does not have"
    yield "lzma_raw", array(compressor={"id": "lzma", "format": 3}), "lzma data without a header"
    for name, chunk, reason in lzma_alone():
        yield f"lzma_alone_{name}", array(chunk, compressor={"id": "lzma", "format": 2}), reason
    times = {"dtype": "<M8[ns]", "shape": [1], "chunks": [1]}
    yield "times_unit", array(bytes(8), **{**times, "dtype": "<M8[parsec]"}), "dates of a unit that NumPy does not have"
    yield "times_count", array(bytes(8), **{**times, "dtype": "<M8[0s]"}), "dates that count by 0 seconds"
    yield "times_without_order", array(bytes(8), **{**times, "dtype": "M8[s]"}), "dates without a byte order"
    yield "times_fill", array(bytes(8), **times, fill_value="today"), "a text for the fill value of dates"
    yield "nat_of_integers", array(fill_value="NaT"), "NaT for an integer"


def filtered_files():
    delta, bits = {"id": "delta", "dtype": "<i2", "astype": "<i4"}, {"id": "packbits"}
    bools = {"dtype": "|b1", "shape": [6], "chunks": [6]}
    yield "delta_odd", filtered(delta, chunk=bytes(23)), "a delta of 5 and three quarters of an element"
    yield "delta_too_long", filtered(delta, chunk=bytes(28)), "a delta of an element more"
    yield "delta_of_less", filtered(delta, chunk=bytes(20)), "a delta of an element less"
    yield "bits_empty", {**filtered(bits, **bools), "0": b""}, "packed bits without a byte"
    yield "bits_missing_9", {**filtered(bits, **bools), "0": b"\x09\xff"}, "9 bits that a byte lacks"
    yield "bits_missing_of_none", {**filtered(bits, **bools), "0": b"\x02"}, "2 bits that no byte lacks"
    yield "bits_too_many", {**filtered(bits, **bools), "0": b"\x01\xff"}, "7 packed bits for 6 elements"
    yield "bits_too_few", {**filtered(bits, **bools), "0": b"\x03\xff"}, "5 packed bits for 6 elements"
    for name in ("crc32", "adler32", "fletcher32"):
        yield name + "_wrong", filtered({"id": name}, chunk=b"abcd" + ELEMENTS), f"a wrong {name}"
        yield name + "_cut", filtered({"id": name}, chunk=b"abc"), f"a chunk without room for its {name}"


def folder_files():
    whole = array()
    yield "attributes_list", {**whole, ".zattrs": b"[]"}, "a list for the attributes"
    yield "attributes_cut", {**whole, ".zattrs": b'{"a": '}, "attributes that end early"
    yield "attributes_deep", {**whole, ".zattrs": b'{"a": ' + b"[" * 100 + b"]" * 100 + b"}"}, "attributes 100 deep"
    yield "metadata_folder", {".zarray/0": b"", "0.0": ELEMENTS}, "a folder in place of the metadata"
    yield "chunk_folder", {".zarray": whole[".zarray"], "0.0/0": b""}, "a folder in place of a chunk"
    yield "empty_group", {".zgroup": b'{"zarr_format": 2}'}, "a group without an array"
    yield "no_metadata", {"0.0": ELEMENTS}, "a chunk without metadata"
    group = {".zgroup": b'{"zarr_format": 2}', "a/0.0": ELEMENTS}
    yield "array_in_group", {**group, "a/.zarray": b"{}"}, "an array of a group without any field"
    yield (
        "group_format",
        {".zgroup": b'{"zarr_format": 7}', "a/.zarray": whole[".zarray"], "a/0.0": ELEMENTS[:3]},
        ("a group of which one chunk is too short"),
    )


def files():
    for part in (text_files, field_files, value_files, numcodecs_fields, filtered_files, folder_files):
        for name, content, wrong in part():
            yield Malformed(name + ".zarr", content, wrong)
    for chunks in (plain_files, zlib_files, numcodecs_files):
        for name, codec, chunk, wrong in chunks():
            yield Malformed(name + ".zarr", array(chunk, compressor=CODECS[codec]), wrong)
    shuffled = [{"id": "shuffle", "elementsize": 2}]
    yield Malformed(
        "shuffled_too_long.zarr", array(ELEMENTS * 2, filters=shuffled), "a shuffled chunk of twice the bytes"
    )
