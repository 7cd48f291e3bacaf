# SPDX-License-Identifier: Apache-2.0
"""Malformed NIfTI files: a volume of 2 x 3 x 4 int16, with one field of its header wrong."""

import gzip
import struct
import zlib

from malformed_file import Malformed, patched

FORMAT = "NIfTI"
ELEMENTS = struct.pack("<24h", *range(24))
INT16, FLOAT32 = 4, 16
#: Where the fields stand in each version, and how they are packed.
ONE = {"sizeof_hdr": (0, "i"), "dim": (40, "8h"), "datatype": (70, "h"), "bitpix": (72, "h"), "vox_offset": (108, "f")}
TWO = {"sizeof_hdr": (0, "i"), "dim": (16, "8q"), "datatype": (12, "h"), "bitpix": (14, "h"), "vox_offset": (168, "q")}
DIM = (3, 2, 3, 4, 1, 1, 1, 1)


def header(version=1, order="<", magic=None, **fields):
    """The bytes before the elements: the header, and four zeros that say that there is no extension."""
    nbytes, places, mark_at = (348, ONE, 344) if version == 1 else (540, TWO, 4)
    values = {
        "sizeof_hdr": nbytes,
        "dim": DIM,
        "datatype": INT16,
        "bitpix": 16,
        "vox_offset": nbytes + 4,
        **fields,
    }
    result = bytearray(nbytes + 4)
    for name, value in values.items():
        begin, code = places[name]
        numbers = value if isinstance(value, tuple) else (value,)
        struct.pack_into(order + code, result, begin, *numbers)
    if magic is None:
        magic = b"n+1\0" if version == 1 else b"n+2\0\r\n\x1a\n"
    result[mark_at : mark_at + len(magic)] = magic
    return bytes(result)


def nifti(data=ELEMENTS, **fields):
    return header(**fields) + data


def dim(*sizes):
    """A file of other sizes; the unused ones are 1."""
    return nifti(dim=(sizes + (1,) * 8)[:8])


def start_files():
    whole = nifti()
    yield "empty", b"", "no byte at all"
    yield "cut_in_first_number", whole[:3], "ends within the length of the header"
    yield "cut_in_header", whole[:100], "ends within the header"
    yield "cut_before_mark", whole[:344], "ends before the mark"
    yield "cut_in_extension", whole[:350], "ends between header and elements"
    yield "cut_before_elements", whole[:352], "ends before the elements"
    yield "cut_in_elements", whole[:-1], "ends within the last element"
    yield "length_347", nifti(sizeof_hdr=347), "a header that says 347 bytes"
    yield "length_of_version_2", nifti(sizeof_hdr=540), "a header of version 1 that says the length of version 2"
    yield "mark_wrong", nifti(magic=b"n+3\0"), "a mark of version 3"
    yield "mark_without_zero", nifti(magic=b"n+1 "), "a mark without its zero"
    yield "mark_missing", nifti(magic=b"\0\0\0\0"), "no mark, as ANALYZE 7.5 headers are, in a file that is no pair"
    yield "mark_of_pair", nifti(magic=b"ni1\0"), "the header of a pair in a file that is none"
    two = nifti(version=2)
    yield "two_cut_in_header", two[:300], "a header of version 2 that ends early"
    yield "two_cut_in_elements", two[:-2], "a file of version 2 with an element less"
    yield "two_mark_damaged", nifti(version=2, magic=b"n+2\0\n\x1a\n\n"), "line ends of the mark changed by a transfer"
    yield "two_mark_wrong", nifti(version=2, magic=b"n+1\0\r\n\x1a\n"), "the mark of version 1 in version 2"


def size_files():
    yield "axes_0", dim(0, 2, 3, 4), "no axis"
    yield "axes_8", dim(8, 2, 3, 4), "eight axes"
    yield "axes_negative", dim(-1, 2, 3, 4), "an axis less than none"
    yield "axes_32767", dim(32767, 2, 3, 4), "32767 axes"
    yield "size_0", dim(3, 2, 0, 4), "no element along an axis"
    yield "size_negative", dim(3, 2, 3, -4), "a size below 0"
    yield "size_beyond_elements", dim(3, 2, 3, 5), "a plane more than there are elements for"
    yield "axis_beyond_elements", dim(4, 2, 3, 4, 1000), "a thousand volumes, where one is"
    yield "elements_overflow", dim(7, *[32767] * 7), "2^105 elements"
    yield "two_size_overflows", nifti(version=2, dim=(1, (1 << 63) - 1, *[1] * 6)), "2^63 - 1 elements of two bytes"
    yield "two_size_negative", nifti(version=2, dim=(1, -(1 << 63), *[1] * 6)), "-2^63 elements"
    yield "two_axes_2_40", nifti(version=2, dim=(1 << 40, *[1] * 7)), "2^40 axes"
    yield "two_wraps", nifti(version=2, dim=(2, 1 << 32, 1 << 32, *[1] * 5)), "sizes whose product is 0 in 64 bits"
    yield "big_endian_size", nifti(order=">", dim=(3, 2, 3, 5, 1, 1, 1, 1)), "a plane too many, in big-endian order"


def type_files():
    for code, what in ((0, "unknown"), (1, "bits"), (1536, "float128"), (2048, "complex256")):
        yield f"type_of_{what}", nifti(datatype=code), f"elements that are {what}"
    yield "type_3", nifti(datatype=3), "a type that NIfTI does not have"
    yield "type_negative", nifti(datatype=-16), "a type below 0"
    yield "type_wider", nifti(datatype=FLOAT32, bitpix=32), "elements of 4 bytes, where there are 2 for each"


def offset_files():
    yield "offset_0", nifti(vox_offset=0), "elements from byte 0 on, over the header"
    yield "offset_348", nifti(vox_offset=348), "elements from the header's end on, without the four bytes between"
    yield "offset_negative", nifti(vox_offset=-352), "elements before the file"
    yield "offset_fraction", nifti(vox_offset=352.5), "elements from the middle of a byte on"
    yield "offset_nan", nifti(vox_offset=float("nan")), "elements from nowhere on"
    yield "offset_infinite", nifti(vox_offset=float("inf")), "elements from infinity on"
    yield "offset_1e30", nifti(vox_offset=1e30), "elements from byte 1e30 on"
    yield "offset_behind_end", nifti(vox_offset=100000), "elements behind the file"
    yield "offset_near_end", nifti(vox_offset=384), "elements of which the last are behind the file"
    yield "two_offset_negative", nifti(version=2, vox_offset=-1), "elements before the file, in version 2"
    yield "two_offset_2_63", nifti(version=2, vox_offset=(1 << 63) - 1), "elements from 2^63 - 1 on"


def packed(data):
    return gzip.compress(data, 9, mtime=0)


def gzip_files():
    whole = packed(nifti())
    yield "gzip_empty", packed(b""), "a gzip file of nothing"
    yield "gzip_cut_in_header", whole[:60], "a gzip file that ends within the header"
    yield "gzip_cut_at_end", whole[:-6], "a gzip file that ends within its CRC-32"
    yield "gzip_crc", whole[:-8] + bytes(4) + whole[-4:], "a wrong CRC-32"
    yield "gzip_length", whole[:-4] + b"\x01\0\0\0", "a wrong length behind the CRC-32"
    yield "gzip_text_behind", whole + b"more", "bytes behind the gzip file"
    yield "gzip_method", patched(whole, 2, b"\x09"), "a method of gzip that is not deflate"
    yield "gzip_damaged", patched(whole, 30, b"\xff\xff\xff"), "damaged bytes in the header"
    noise = bytes(zlib.crc32(bytes([i])) & 255 for i in range(256)) * 16
    long = packed(nifti(dim=(1, 2048, *[1] * 6), data=noise))
    yield "gzip_damaged_elements", patched(long, len(long) - 40, b"\xff" * 8), "damaged bytes in the elements"
    yield "gzip_elements_missing", packed(nifti()[:-2]), "an element less in a gzip file"
    yield "gzip_of_header", packed(header()[:348]), "a header alone in a gzip file"
    yield "gzip_bomb", packed(nifti(dim=(3, 32767, 32767, 500, *[1] * 4))), "a shape of a terabyte in 120 bytes"
    yield "gzip_no_nifti", packed(b"hello, world"), "a gzip file of something else"


def pair_files():
    """Of two files: the name of the first is opened."""
    head = header(magic=b"ni1\0", vox_offset=0)[:348]
    yield "pair_without_elements.hdr", {"pair_without_elements.hdr": head}, "no file with the elements"
    yield "pair_of_one.hdr.gz", {"pair_of_one.hdr.gz": packed(head)}, "no file with the elements of a packed header"
    yield "pair_too_short.hdr", {"pair_too_short.hdr": head, "pair_too_short.img": ELEMENTS[:-1]}, "a byte less"
    yield "pair_without_header.img", {"pair_without_header.img": ELEMENTS}, "no file with the header"
    far = header(magic=b"ni1\0", vox_offset=64)[:348]
    yield "pair_offset.hdr", {"pair_offset.hdr": far, "pair_offset.img": ELEMENTS}, "elements from byte 64 of 48 on"
    yield (
        "pair_offset_negative.hdr",
        {
            "pair_offset_negative.hdr": header(magic=b"ni1\0", vox_offset=-2)[:348],
            "pair_offset_negative.img": ELEMENTS,
        },
        "elements before the file of a pair",
    )

    def pair(name, header, elements, wrong, end=""):
        yield f"{name}.hdr{end}", {f"{name}.hdr{end}": header, f"{name}.img{end}": elements}, wrong
        yield f"{name}_img.img{end}", {f"{name}_img.hdr{end}": header, f"{name}_img.img{end}": elements}, wrong

    yield from pair("pair_packed_short", packed(head), packed(ELEMENTS[:-1]), "a byte less, packed", ".gz")
    yield from pair("pair_packed_offset", packed(far), packed(ELEMENTS), "elements behind the packed ones", ".gz")
    yield from pair("pair_no_gzip", packed(head), ELEMENTS, "elements that are not packed, named .img.gz", ".gz")
    whole = packed(head)
    yield from pair("pair_header_crc", whole[:-8] + bytes(4) + whole[-4:], packed(ELEMENTS), "a wrong CRC-32", ".gz")
    yield from pair("pair_header_cut", whole[:40], packed(ELEMENTS), "a packed header that ends early", ".gz")
    bomb = packed(header(magic=b"ni1\0", vox_offset=0, dim=(3, 32767, 32767, 500, *[1] * 4))[:348])
    yield from pair("pair_bomb", bomb, packed(ELEMENTS), "a shape of a terabyte", ".gz")
    yield from pair("pair_packed_unnamed", head, packed(ELEMENTS * 20), "packed elements in a file named .img")
    single = header(magic=b"n+1\0")
    yield from pair("pair_mark_of_single", single[:348], ELEMENTS, "the mark of a single file in a header alone")
    yield from pair("pair_of_single", single + ELEMENTS, ELEMENTS, "a single file beside elements")
    analyze = header(magic=b"\0\0\0\0", vox_offset=0)[:348]
    less = ELEMENTS[:-1]
    yield from pair("analyze", analyze, less, "an ANALYZE 7.5 pair with a byte less")
    yield from pair(
        "analyze_least", analyze[:344] + b"\5\0\0\0", less, "an ANALYZE 7.5 pair whose least is 5, a byte less"
    )
    yield from pair(
        "analyze_packed", packed(analyze), packed(less), "a packed ANALYZE 7.5 pair with a byte less", ".gz"
    )
    big = header(order=">", magic=b"\0\0\0\0", vox_offset=0)[:348]
    yield from pair("analyze_big_endian", big, less, "an ANALYZE 7.5 pair of the other byte order, a byte less")
    bits = header(magic=b"\0\0\0\0", vox_offset=0, datatype=1)[:348]
    yield from pair("analyze_bits", bits, ELEMENTS, "an ANALYZE 7.5 pair of bits")
    negative = header(magic=b"\0\0\0\0", vox_offset=-16)[:348]
    yield from pair("analyze_offset", negative, ELEMENTS, "an ANALYZE 7.5 pair whose elements begin before the file")
    no_axis = header(magic=b"\0\0\0\0", vox_offset=0, dim=(0, *[1] * 7))[:348]
    yield from pair("analyze_axes_0", no_axis, ELEMENTS, "an ANALYZE 7.5 pair without an axis")
    yield "analyze_alone.hdr", {"analyze_alone.hdr": analyze}, "an ANALYZE 7.5 header without elements"
    two = header(version=2, magic=b"ni2\0\r\n\x1a\n", vox_offset=0)[:540]
    yield from pair("pair_two_short", two, ELEMENTS[:-1], "a byte less, in version 2")
    yield "pair_in_nii.nii.gz", {"pair_in_nii.nii.gz": packed(header(magic=b"ni1\0") + ELEMENTS)}, "a pair's mark"


def files():
    for part in (start_files, size_files, type_files, offset_files):
        for name, data, wrong in part():
            yield Malformed(name + ".nii", data, wrong)
    for name, data, wrong in gzip_files():
        yield Malformed(name + ".nii.gz", data, wrong)
    for name, content, wrong in pair_files():
        yield Malformed(name, content, wrong)
