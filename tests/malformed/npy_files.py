# SPDX-License-Identifier: Apache-2.0
"""Malformed .npy files: six float32 in two rows, with one thing wrong."""

import struct

from malformed_file import Malformed

FORMAT = "npy"
MAGIC = b"\x93NUMPY"
TEXT = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }"
BODY = struct.pack("<6f", *range(6))


def npy(text=TEXT, body=BODY, version=b"\x01\x00", announced=None):
    """The bytes of a file, by its definition; `announced` is the length that is written for the header."""
    head = text if isinstance(text, bytes) else text.encode()
    head += b" " * (63 - (10 + len(head)) % 64) + b"\n"
    length = len(head) if announced is None else announced
    return MAGIC + version + struct.pack("<H" if version[0] == 1 else "<I", length) + head + body


def described(descr):
    return npy(TEXT.replace("'<f4'", descr))


def shaped(shape, body=BODY):
    return npy(TEXT.replace("(2, 3)", shape), body)


def start_files():
    whole = npy()
    yield "empty", b"", "no byte at all"
    yield "cut_in_magic", whole[:4], "ends within the magic"
    yield "cut_behind_magic", whole[:6], "ends before the version"
    yield "cut_in_version", whole[:7], "ends between the two numbers of the version"
    yield "cut_in_length", whole[:9], "ends within the 2 bytes of the header's length"
    yield "cut_in_long_length", npy(version=b"\x02\x00")[:11], "ends within the 4 bytes of the header's length"
    yield "cut_in_header", whole[:40], "ends within the header"
    yield "wrong_magic", b"\x92NUMPY" + whole[6:], "another first byte"
    yield "magic_as_text", b"NUMPY" + whole[6:], "the first byte is missing"
    yield "version_0", npy(version=b"\x01\x00").replace(b"Y\x01\x00", b"Y\x00\x00", 1), "version 0.0"
    yield "version_4", npy(version=b"\x04\x00"), "version 4.0"
    yield "version_1_1", npy(version=b"\x01\x01"), "version 1.1"
    yield "header_of_0_bytes", npy(announced=0), "a header without a byte"
    yield "header_behind_end", npy(announced=60000), "a header that is longer than the file"
    yield "header_of_4_gib", npy(version=b"\x03\x00", announced=0xFFFFFFFF), "a header of 4 GiB less a byte"
    yield "header_too_long", npy(TEXT + " " * 70000, version=b"\x02\x00"), "a header of more than 65536 bytes"
    yield "header_cut_by_length", npy(announced=20), "a length that ends within the dictionary"
    yield "length_in_other_order", npy(announced=118 << 8), "the length with its bytes exchanged"


def dictionary_files():
    yield "no_dictionary", npy("[]"), "a list in place of the dictionary"
    yield "text_without_braces", npy(TEXT[1:]), "no opening brace"
    yield "unclosed_dictionary", npy(TEXT[:-1]), "no closing brace"
    yield "text_behind_dictionary", npy(TEXT + " x"), "something behind the closing brace"
    yield "key_without_quotes", npy(TEXT.replace("'descr'", "descr")), "a key without quotes"
    yield "unknown_key", npy(TEXT.replace("}", "'strides': (12, 4), }")), "a fourth key"
    yield "key_twice", npy(TEXT.replace("}", "'descr': '<f8', }")), "one key twice"
    yield "no_descr", npy("{'fortran_order': False, 'shape': (2, 3), }"), "no element type"
    yield "no_order", npy("{'descr': '<f4', 'shape': (2, 3), }"), "no order"
    yield "no_shape", npy("{'descr': '<f4', 'fortran_order': False, }"), "no shape"
    yield "no_colon", npy(TEXT.replace("'shape':", "'shape'")), "no colon behind a key"
    yield "no_comma", npy(TEXT.replace("'<f4',", "'<f4'")), "no comma between two keys"
    yield "string_without_end", npy("{'descr': '<f4"), "a string that is not closed"
    yield "escape_in_string", npy(TEXT.replace("<f4", "<\\x66\\x34")), "an escape in a string"
    yield "byte_above_127", npy(TEXT.encode().replace(b"<f4", b"<f\xb3")), "a byte that is no ASCII"
    yield "zero_in_dictionary", npy(TEXT.encode().replace(b", 'shape'", b",\0'shape'")), "a zero byte"
    yield "order_as_number", npy(TEXT.replace("False", "0")), "0 in place of False"
    yield "order_as_text", npy(TEXT.replace("False", "'C'")), "a text in place of False"
    yield "order_none", npy(TEXT.replace("False", "None")), "None in place of False"


def descr_files():
    yield "descr_as_number", described("4"), "a number for the element type"
    yield "descr_of_fields", described("[('a', '<f4'), ('b', '<i4')]"), "a structure of two fields"
    yield "descr_empty", described("''"), "an empty element type"
    yield "descr_unknown", described("'<x4'"), "an element type that NumPy does not have"
    yield "descr_of_3_bytes", described("'<i3'"), "an integer of 3 bytes"
    yield "descr_without_order", described("'|f4'"), "no byte order for 4 bytes"
    yield "descr_of_objects", described("'|O'"), "Python objects, as pickles"
    yield "descr_of_text", described("'<U5'"), "texts"
    yield "descr_of_bytes", described("'|S8'"), "byte strings"
    yield "descr_of_void", described("'|V4'"), "raw bytes"
    yield "descr_date_unit", described("'<M8[parsec]'"), "dates of a unit that NumPy does not have"
    yield "descr_of_long_double", described("'<f16'"), "long doubles"
    yield "descr_very_long", described("'" + "f4" * 500 + "'"), "an element type of a thousand letters"


def shape_files():
    yield "shape_as_list", shaped("[2, 3]"), "a list in place of a tuple"
    yield "shape_as_number", shaped("6"), "a number in place of a tuple"
    yield "shape_without_comma", shaped("(6)"), "a tuple of one without a comma"
    yield "shape_without_end", npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3"), "an open tuple"
    yield "size_negative", shaped("(-2, 3)"), "a size below 0"
    yield "size_with_point", shaped("(2.0, 3)"), "a size with a decimal point"
    yield "size_hexadecimal", shaped("(0x2, 3)"), "a size in hexadecimal digits"
    yield "size_with_zeros", shaped("(02, 3)"), "a size with a leading zero"
    yield "size_as_text", shaped("('2', 3)"), "a size as text"
    yield "size_above_63_bits", shaped("(9223372036854775808,)"), "a size of 2^63"
    yield "size_of_100_digits", shaped("(" + "9" * 100 + ",)"), "a size of a hundred digits"
    yield "elements_above_63_bits", shaped("(4294967296, 4294967296)"), "2^64 elements"
    yield "elements_wrap_to_6", shaped("(2, 9223372036854775811)"), "sizes whose product is 6 in 64 bits"
    yield "bytes_above_63_bits", shaped("(3037000499, 3037000499)"), "elements that fit 63 bits, bytes that do not"
    yield "too_many_axes", shaped("(" + "1," * 65 + ")"), "65 axes"
    yield "empty_and_huge", shaped("(0, 9223372036854775807)"), "elements behind a shape that has none"


def body_files():
    yield "no_elements", npy(body=b""), "a header without elements"
    yield "cut_in_elements", npy(body=BODY[:-1]), "one byte less than six elements"
    yield "elements_too_many", npy(body=BODY + b"\n"), "a byte behind the elements"
    yield "elements_of_8_bytes", npy(body=BODY + BODY), "twice the bytes that the type needs"
    yield "elements_of_exabytes", shaped("(1000000000000000000,)"), "a shape of 4 EB in a file of 152 bytes"


def files():
    for part in (start_files, dictionary_files, descr_files, shape_files, body_files):
        for name, data, wrong in part():
            yield Malformed(name + ".npy", data, wrong)
