# SPDX-License-Identifier: Apache-2.0
"""Malformed safetensors files and indexes of checkpoints."""

import json
import struct

from malformed_file import Malformed, without

FORMAT = "safetensors"
ENTRY = {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}
BODY = struct.pack("<6f", *range(6))


def safetensors(header, body=BODY, length=None):
    """The bytes of a file; `header` is a text or what JSON makes one of."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text) if length is None else length) + text + body


def entry(**fields):
    return safetensors({"a": {**ENTRY, **fields}})


def start_files():
    whole = safetensors({"a": ENTRY})
    text = json.dumps({"a": ENTRY}).encode()
    yield "cut_in_length", whole[:5], "ends within the header's length"
    yield "only_length", whole[:8], "ends behind the header's length"
    yield "cut_in_header", whole[:30], "ends within the header"
    yield "header_of_0_bytes", safetensors(text, length=0), "a header without a byte"
    yield "header_behind_end", safetensors(text, length=100000), "a header that is longer than the file"
    yield "header_of_a_gb", safetensors(text, length=1 << 30), "a header of 1 GiB"
    yield "header_of_2_63_bytes", safetensors(text, length=1 << 63), "a header of 2^63 bytes"
    yield "length_cuts_header", safetensors(text, length=20), "a length that ends within the JSON"
    yield "length_in_other_order", struct.pack(">Q", len(text)) + text + BODY, "the length with its bytes exchanged"
    yield "no_brace", safetensors(b"[" + text[1:]), "a header that begins with a bracket"
    yield "cut_json", safetensors(text[:-2]), "JSON without its last braces"
    yield "text_behind_json", safetensors(text + b" x"), "something behind the JSON"
    yield "comma_too_many", safetensors(text.replace(b"}}", b"},}")), "a comma behind the last entry"
    yield "single_quotes", safetensors(text.replace(b'"', b"'")), "single quotes"
    yield "zero_in_json", safetensors(text.replace(b", ", b",\0", 1)), "a zero byte in the JSON"
    yield "nan_in_json", safetensors(text.replace(b"[2, 3]", b"[NaN, 3]")), "NaN for a size"
    yield "no_utf8", safetensors(text.replace(b'"a"', b'"\xff"')), "a name that is no UTF-8"
    yield "deep_json", safetensors(b'{"a":' * 100000), "objects within objects, 100,000 deep"
    yield "deep_lists", safetensors(b'{"a":{"shape":' + b"[" * 100000), "lists within lists, 100,000 deep"
    yield "no_tensor", safetensors({}), "elements of no tensor"


def entry_files():
    yield "entry_number", safetensors({"a": 1}), "a number in place of an entry"
    yield "entry_null", safetensors({"a": None}), "null in place of an entry"
    yield "entry_list", safetensors({"a": [ENTRY]}), "a list in place of an entry"
    yield "entry_text", safetensors({"a": "F32"}), "a text in place of an entry"
    yield "entry_empty", safetensors({"a": {}}), "an entry that says nothing"
    for name in ("dtype", "shape", "data_offsets"):
        yield "no_" + name, safetensors({"a": without(ENTRY, name)}), f"no {name}"
    yield "unknown_key", entry(strides=[3, 1]), "a key that the format does not have"
    yield (
        "key_twice",
        safetensors(
            json.dumps({"a": ENTRY})
            .encode()
            .replace(b"{", b'{"a": {"dtype": "F32", ', 1)
            .replace(b'"a": {"dtype": "F32", "a": {', b'"a": {"dtype": "F32", ', 1)
        ),
        "dtype twice",
    )
    text = json.dumps(ENTRY)
    yield "name_twice", safetensors(f'{{"a": {text}, "a": {text}}}'.encode()), "two tensors of one name"
    yield "dtype_number", entry(dtype=32), "a number for the dtype"
    yield "dtype_null", entry(dtype=None), "null for the dtype"
    yield "dtype_unknown", entry(dtype="F31"), "a dtype that the format does not have"
    yield "dtype_of_torch", entry(dtype="float32"), "a dtype as PyTorch names it"
    yield "dtype_of_4_bits", safetensors({"a": {"dtype": "F4", "shape": [48], "data_offsets": [0, 24]}}), "4-bit floats"
    yield "shape_number", entry(shape=6), "a number for the shape"
    yield "shape_text", entry(shape="2,3"), "a text for the shape"
    yield "shape_of_texts", entry(shape=["2", "3"]), "sizes as texts"
    yield "shape_nested", entry(shape=[[2, 3]]), "a list in the shape"
    yield "shape_of_bools", entry(shape=[True, 3]), "true for a size"
    yield "size_negative", entry(shape=[-2, -3]), "sizes below 0 whose product is right"
    yield "size_float", entry(shape=[2.0, 3]), "a size with a decimal point"
    yield (
        "size_above_64_bits",
        safetensors(json.dumps({"a": ENTRY}).encode().replace(b"[2,", b"[18446744073709551618,")),
        "2^64 + 2",
    )
    yield "size_above_63_bits", entry(shape=[1 << 63, 3]), "a size of 2^63"
    yield "elements_overflow", entry(shape=[1 << 32, 1 << 32, 6]), "sizes whose product is 0 in 64 bits"
    yield "too_many_axes", entry(shape=[1] * 65), "65 axes"


def range_files():
    def tensors(*ranges, nbytes=24):
        entries = {
            chr(97 + i): {"dtype": "U8", "shape": [last - first], "data_offsets": [first, last]}
            for i, (first, last) in enumerate(ranges)
        }
        return safetensors(entries, bytes(nbytes))

    yield "offsets_number", entry(data_offsets=24), "a number for the offsets"
    yield "offsets_of_one", entry(data_offsets=[0]), "one offset"
    yield "offsets_of_three", entry(data_offsets=[0, 12, 24]), "three offsets"
    yield "offsets_negative", entry(data_offsets=[-24, 0]), "an offset below 0"
    yield "offsets_float", entry(data_offsets=[0, 24.0]), "an offset with a decimal point"
    yield "offsets_text", entry(data_offsets=["0", "24"]), "offsets as texts"
    yield "offsets_reversed", entry(data_offsets=[24, 0]), "an end before the beginning"
    yield "offsets_behind_end", entry(data_offsets=[0, 1 << 40]), "an end behind the file"
    yield "offsets_overflow", entry(data_offsets=[(1 << 64) - 24, (1 << 64) - 1]), "offsets at the end of 64 bits"
    yield "range_too_short", entry(data_offsets=[0, 20]), "20 bytes for 24"
    yield "range_too_long", entry(shape=[2, 2]), "24 bytes for 16"
    yield "ranges_overlap", tensors((0, 14), (12, 24)), "two tensors that share two bytes"
    yield "ranges_equal", tensors((0, 24), (0, 24)), "two tensors on the same bytes"
    yield "range_within_range", tensors((0, 24), (4, 8)), "a tensor within another"
    yield "gap_at_begin", tensors((8, 24)), "eight bytes before the first tensor"
    yield "gap_between", tensors((0, 8), (16, 24)), "eight bytes between two tensors"
    yield "bytes_behind", tensors((0, 20)), "four bytes behind the last tensor"
    yield "cut_in_elements", safetensors({"a": ENTRY}, BODY[:-1]), "a byte less than the elements"
    yield "empty_tensor_outside", tensors((0, 24), (40, 40)), "a tensor without elements behind the file"


def metadata_files():
    def described(metadata):
        return safetensors({"__metadata__": metadata, "a": ENTRY})

    yield "metadata_list", described(["pt"]), "a list for the metadata"
    yield "metadata_text", described("pt"), "a text for the metadata"
    yield "metadata_of_numbers", described({"epoch": 3}), "a number in the metadata"
    yield "metadata_nested", described({"format": {"name": "pt"}}), "an object in the metadata"
    yield "metadata_null", described({"format": None}), "null in the metadata"
    twice = json.dumps({"a": ENTRY}).encode().replace(b"{", b'{"__metadata__": {"x": "1", "x": "2"}, ', 1)
    yield "metadata_key_twice", safetensors(twice), "a key of the metadata twice"


INDEX = {"metadata": {"total_size": 24}, "weight_map": {"a": "part.safetensors"}}


def index_files():
    whole = json.dumps(INDEX).encode()

    def mapped(**files):
        return json.dumps({"weight_map": files}).encode()

    yield "index_empty_object", b"{}", "an index without anything"
    yield "index_cut", whole[:-3], "an index that ends early"
    yield "index_text_behind", whole + b"}", "something behind the index"
    yield "index_zero", whole + b"\0{", "a zero byte behind the index"
    yield "index_map_list", json.dumps({"weight_map": ["a"]}).encode(), "a list of tensors in place of a map"
    yield "index_map_null", json.dumps({"weight_map": None}).encode(), "null in place of a map"
    yield "index_file_number", mapped(a=1), "a number in place of a file"
    yield "index_file_null", mapped(a=None), "null in place of a file"
    yield "index_file_empty", mapped(a=""), "a file without a name"
    yield "index_file_absolute", mapped(a="/etc/passwd"), "a file anywhere"
    yield "index_file_above", mapped(a="../part.safetensors"), "a file in the folder above"
    yield "index_file_folder", mapped(a=".."), "the folder above"
    yield "index_file_missing", mapped(a="missing.safetensors"), "a file that is not there"
    yield "index_tensor_missing", mapped(b="part.safetensors"), "a tensor that its file does not have"
    yield "index_file_malformed", mapped(a="bad.safetensors"), "a file that is malformed itself"
    yield "index_name_twice", whole.replace(b'"a":', b'"a": "x.safetensors", "a":'), "a tensor twice"
    yield "index_map_twice", whole.replace(b"{", b'{"weight_map": {}, ', 1), "two maps"
    yield "index_deep", b'{"weight_map": {"a": ' + b"[" * 100000, "lists within lists, 100,000 deep"


def files():
    yield Malformed("empty.safetensors", b"", "no byte at all")
    for part in (start_files, entry_files, range_files, metadata_files):
        for name, data, wrong in part():
            yield Malformed(name + ".safetensors", data, wrong)
    beside = {"part.safetensors": safetensors({"a": ENTRY}), "bad.safetensors": safetensors({"a": 1})}
    for name, data, wrong in index_files():
        index = name + ".safetensors.index.json"
        yield Malformed(index, {index: data, **beside}, wrong)
