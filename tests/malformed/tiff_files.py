# SPDX-License-Identifier: Apache-2.0
"""Malformed TIFF files, made tag by tag: a page of 4 x 6 pixels of uint8 in two strips, with one thing wrong."""

import struct
import zlib
from typing import NamedTuple

from malformed_file import Malformed, patched

FORMAT = "TIFF"
SHORT, LONG, RATIONAL, FLOAT, LONG8 = 3, 4, 5, 11, 16
CODES = {1: "B", 2: "B", SHORT: "H", LONG: "I", FLOAT: "f", LONG8: "Q"}
PIXELS = bytes(range(24))
DATA = 16  # where the elements begin
WIDTH, LENGTH, BITS, COMPRESSION, PHOTOMETRIC, STRIPS, SAMPLES, ROWS, COUNTS = (
    256,
    257,
    258,
    259,
    262,
    273,
    277,
    278,
    279,
)
PLANES, PREDICTOR, SUB_IFDS, SAMPLE_FORMAT, SHARED, DEPTH, TILE_DEPTH = 284, 317, 330, 339, 530, 32997, 32998
SUBFILE = 254
TILE_WIDTH, TILE_LENGTH, TILES, TILE_COUNTS = 322, 323, 324, 325


class Tag(NamedTuple):
    """Values of a tag; `count` is written in place of their number, `begin` in place of where they are."""

    values: tuple
    type: int = LONG
    count: int = None
    begin: int = None


def page(data=DATA, **other):
    """The tags of a page; `other` has some in place of them, by name, and None for those that are missing."""
    tags = {
        WIDTH: Tag((6,)),
        LENGTH: Tag((4,)),
        BITS: Tag((8,), SHORT),
        COMPRESSION: Tag((1,), SHORT),
        PHOTOMETRIC: Tag((1,), SHORT),
        STRIPS: Tag((data, data + 12)),
        SAMPLES: Tag((1,), SHORT),
        ROWS: Tag((2,)),
        COUNTS: Tag((12, 12)),
    }
    for name, tag in other.items():
        number = globals()[name]
        if tag is None:
            tags.pop(number, None)
        else:
            tags[number] = tag if isinstance(tag, Tag) else Tag(tag if isinstance(tag, tuple) else (tag,))
    return tags


def directory(begin, tags, following, big=False):
    """The bytes of a directory that stands at `begin`."""
    offset = "Q" if big else "I"
    room = 8 if big else 4
    values_begin = begin + (8 if big else 2) + len(tags) * (20 if big else 12) + room
    entries, values = b"", b""
    for number, tag in sorted(tags.items()):
        data = struct.pack(f"<{len(tag.values)}{CODES.get(tag.type, 'I')}", *tag.values)
        count = len(tag.values) if tag.count is None else tag.count
        entries += struct.pack("<HH" + offset, number, tag.type, count)
        if tag.begin is not None:
            entries += struct.pack("<" + offset, tag.begin)
        elif len(data) <= room:
            entries += data.ljust(room, b"\0")
        else:
            entries += struct.pack("<" + offset, values_begin + len(values))
            values += data
    return struct.pack("<Q" if big else "<H", len(tags)) + entries + struct.pack("<" + offset, following) + values


def tiff(*pages, data=PIXELS, last=0, big=False):
    """A file of pages, behind their elements; `last` is where the page behind the last one is."""
    pages = pages or (page(),)
    first = DATA + len(data)
    body = b""
    for number, tags in enumerate(pages):
        begin = first + len(body)
        following = begin + len(directory(begin, tags, 0, big))
        body += directory(begin, tags, last if number + 1 == len(pages) else following, big)
    head = struct.pack("<2sHHHQ", b"II", 43, 8, 0, first) if big else struct.pack("<2sHI8x", b"II", 42, first)
    return head + data + body


def one(**tags):
    return tiff(page(**tags))


def start_files():
    whole = tiff()
    first = DATA + len(PIXELS)
    yield "empty", b"", "no byte at all"
    yield "cut_in_start", whole[:6], "ends within the offset of the first directory"
    yield "cut_in_elements", whole[:30], "ends before the first directory"
    yield "cut_in_count", whole[: first + 1], "ends within the number of tags"
    yield "cut_in_tags", whole[: first + 50], "ends within the tags"
    yield "cut_in_next", whole[: first + 2 + 9 * 12 + 2], "ends within the offset of the next directory"
    yield "cut_in_values", whole[: first + 2 + 9 * 12 + 4 + 6], "ends within the values of the tags"
    yield "version_44", patched(whole, 2, b"\x2c"), "version 44"
    yield "marks_differ", b"IM" + whole[2:], "a byte order that is neither II nor MM"
    yield "order_wrong", b"MM\0*" + whole[4:], "offsets in the other byte order"
    yield "no_page", patched(whole, 4, bytes(4)), "no first directory"
    yield "first_page_outside", patched(whole, 4, b"\xf0\xff\xff\xff"), "a first directory at 4 GiB"
    yield "directory_of_0_tags", patched(whole, first, b"\0\0"), "a directory without a tag"
    yield "directory_of_65535_tags", patched(whole, first, b"\xff\xff"), "more tags than the file has bytes for"
    yield "loop_of_1_page", tiff(last=first), "a page that follows itself"
    second = first + len(directory(first, page(), 0))
    yield "loop_of_2_pages", tiff(page(), page(), last=first), "the first page behind the second"
    yield "loop_behind_first", tiff(page(), page(), page(), last=second), "the second page behind the third"
    yield "next_page_outside", tiff(last=1 << 30), "a second page behind the file"
    yield "next_page_at_start", tiff(last=1), "a second page within the first bytes"
    yield "big_offsets_of_4", patched(tiff(big=True), 4, b"\x04"), "a BigTIFF with offsets of 4 bytes"
    yield "big_cut", tiff(big=True)[:12], "a BigTIFF that ends within the first offset"
    yield "big_first_outside", patched(tiff(big=True), 8, b"\xf8" + b"\xff" * 7), "a first directory at 2^64 - 8"
    yield "big_2_63_tags", patched(tiff(big=True), first, bytes(7) + b"\x80"), "2^63 tags"
    yield "big_next_overflows", tiff(big=True, last=(1 << 64) - 4), "a second page at 2^64 - 4"


def size_files():
    yield "no_width", one(WIDTH=None), "no width"
    yield "no_height", one(LENGTH=None), "no height"
    yield "width_0", one(WIDTH=0), "no column"
    yield "height_0", one(LENGTH=0), "no row"
    yield "width_of_float", one(WIDTH=Tag((6.0,), FLOAT)), "a width with a point"
    yield "width_of_text", one(WIDTH=Tag((54,), 2)), "a width as text"
    yield "width_without_value", one(WIDTH=Tag((), count=0)), "a width without a value"
    yield "pixels_overflow", one(WIDTH=0xFFFFFFFF, LENGTH=0xFFFFFFFF, SAMPLES=9, BITS=64), "2^64 pixels"
    yield "strips_too_large", one(WIDTH=0xFFFFFFFF, LENGTH=0x7FFFFFF, ROWS=0x7FFFFFF), "strips of 2^59 bytes"
    yield "big_width_2_33", tiff(page(WIDTH=Tag((1 << 33,), LONG8)), big=True), "a width of 2^33"
    yield "bits_0", one(BITS=0), "elements of no bit"
    yield "bits_33", one(BITS=33), "elements of 33 bits"
    yield "bits_12_signed", one(BITS=12, SAMPLE_FORMAT=2), "signed integers of 12 bits"
    yield "bits_12_cut", one(BITS=12), "strips of 12 bytes for 2 rows of 6 elements of 12 bits"
    yield "bits_1_predictor", compressed(8, zlib.compress(bytes(6)), BITS=1, PREDICTOR=2), "differences of 1 bit"
    yield "bits_65535", one(BITS=Tag((65535,), SHORT)), "elements of 65535 bits"
    yield "bits_differ", one(SAMPLES=3, BITS=Tag((8, 8, 16), SHORT)), "samples of 8 and of 16 bits"
    yield "float_of_8_bits", one(SAMPLE_FORMAT=3), "floats of 8 bits"
    yield "float_of_24_bits", one(SAMPLE_FORMAT=3, BITS=24), "floats of 24 bits"
    yield "complex_integers", one(SAMPLE_FORMAT=5, BITS=32), "complex integers"
    yield "sample_format_9", one(SAMPLE_FORMAT=9), "a kind of numbers that TIFF does not have"
    yield "samples_0", one(SAMPLES=0), "no sample for each pixel"
    yield "samples_2_31", one(SAMPLES=1 << 31), "2^31 samples for each pixel"
    yield "planes_3", one(SAMPLES=3, PLANES=3), "a planar configuration that TIFF does not have"
    yield "depth_2", one(DEPTH=2), "a volume in strips"
    yield "rows_per_strip_0", one(ROWS=0), "strips of no row"


def piece_files():
    yield "no_strips", one(STRIPS=None, COUNTS=None), "no strip"
    yield "no_offsets", one(STRIPS=None), "strips without offsets"
    yield "no_counts", one(COUNTS=None), "strips without lengths"
    yield "offsets_too_few", one(STRIPS=DATA), "one offset of two strips"
    yield "counts_too_few", one(COUNTS=12), "one length of two strips"
    yield "offsets_of_floats", one(STRIPS=Tag((16.0, 28.0), FLOAT)), "offsets with a point"
    yield "counts_outside", one(COUNTS=Tag((12, 12), count=1 << 30)), "2^30 lengths in a file of 200 bytes"
    yield "offsets_outside", one(STRIPS=Tag((16, 28), begin=1 << 31)), "offsets behind the file"
    yield "strip_outside", one(STRIPS=(DATA, 1 << 31)), "a strip behind the file"
    yield "strip_around_end", one(STRIPS=(DATA, 150), COUNTS=(12, 1000)), "a strip that reaches behind the file"
    yield "strip_too_short", one(COUNTS=(12, 5)), "a strip with less bytes than its rows have"
    yield "strip_of_4_gib", one(COUNTS=(12, 0xFFFFFFFF)), "a strip of 4 GiB less a byte"
    yield "elements_missing", tiff(page(LENGTH=4000, ROWS=4000, STRIPS=DATA, COUNTS=24000)), "more rows than bytes"
    big = tiff(page(STRIPS=Tag((DATA, (1 << 64) - 8), LONG8)), big=True)
    yield "big_strip_overflows", big, "a strip at 2^64 - 8"
    no_strips = {"STRIPS": None, "COUNTS": None, "ROWS": None}
    tile = {**no_strips, "TILE_WIDTH": 16, "TILE_LENGTH": 16, "TILES": DATA, "TILE_COUNTS": 256}

    def tiled(**tags):
        return tiff(page(**{**tile, **tags}), data=bytes(256))

    yield "tile_width_0", tiled(TILE_WIDTH=0), "tiles of no column"
    yield "tile_without_length", tiled(TILE_LENGTH=None, WIDTH=6), "tiles without a height"
    yield "tile_too_large", tiled(TILE_WIDTH=1 << 20, TILE_LENGTH=1 << 20), "tiles of a terabyte"
    yield "tiles_too_few", tiled(WIDTH=40), "one tile of three"
    yield "tile_depth_0", tiled(DEPTH=2, TILE_DEPTH=0), "tiles of no slice"
    yield "tile_depth_2", tiled(TILE_DEPTH=2), "tiles of two slices of a page of one"
    yield "tile_of_depth_cut", tiled(DEPTH=2, TILE_DEPTH=2), "a tile of two slices with the bytes of one"
    yield "tile_of_depth_lzw", tiled(DEPTH=2, TILE_DEPTH=2, COMPRESSION=5), "a tile of two slices by LZW"
    yield "tiles_of_depth_too_few", tiled(DEPTH=2), "one tile of two slices"
    deep = {"DEPTH": 1 << 20, "TILE_DEPTH": 1 << 20, "TILE_WIDTH": 1 << 10, "TILE_LENGTH": 1 << 10}
    yield "tile_too_deep", tiled(**deep), "tiles of 2^40 elements"
    yield "depth_overflows", tiled(WIDTH=0xFFFFFFFF, LENGTH=0xFFFFFFFF, DEPTH=0xFFFFFFFF), "2^96 elements"
    yield "tile_outside", tiled(TILES=1 << 30), "a tile behind the file"
    yield "tile_too_short", tiled(TILE_COUNTS=100), "a tile with less bytes than it must have"


def compressed(scheme, stored, **tags):
    """A page of one strip."""
    fields = {"ROWS": 4, "STRIPS": DATA, "COUNTS": len(stored), "COMPRESSION": scheme, **tags}
    return tiff(page(**fields), data=stored)


def codec_files():
    packed = zlib.compress(PIXELS)
    yield "scheme_0", compressed(0, PIXELS), "a compression that TIFF does not have"
    yield "scheme_unknown", compressed(60000, PIXELS), "a compression that nobody knows"
    yield "scheme_old_jpeg", compressed(6, PIXELS), "old-style JPEG"
    yield "deflate_not", compressed(8, PIXELS), "no deflated bytes"
    yield "deflate_cut", compressed(8, packed[:12]), "deflated bytes that end early"
    yield "deflate_adler", compressed(8, packed[:-4] + bytes(4)), "a wrong Adler-32"
    yield "deflate_of_less", compressed(8, zlib.compress(PIXELS[:-6])), "deflated bytes of a row less"
    yield "deflate_of_more", compressed(8, zlib.compress(PIXELS + bytes(300))), "deflated bytes of more rows"
    yield "lzw_not", compressed(5, b"\xff" * 24), "no LZW codes"
    yield "lzw_empty", compressed(5, b"\x80"), "LZW codes that end early"
    yield "packbits_cut", compressed(32773, b"\x17" + PIXELS[:10]), "PackBits that end early"
    yield "packbits_not", compressed(32773, b"\xe9"), "a run of PackBits without its byte"
    yield "jpeg_not", compressed(7, PIXELS), "no JPEG image"
    yield "fax_not", compressed(4, b"\0" * 24, BITS=1), "no codes of CCITT group 4"
    yield "predictor_9", compressed(8, packed, PREDICTOR=9), "a predictor that TIFF does not have"
    yield "predictor_of_floats", compressed(8, packed, PREDICTOR=3), "the predictor of floats for integers"
    yield "log_luv", compressed(34676, PIXELS, PHOTOMETRIC=32845), "colours as LogLuv"
    three = compressed(8, zlib.compress(PIXELS * 3), PHOTOMETRIC=6, SAMPLES=3, BITS=Tag((8, 8, 8), SHORT))
    yield "ycbcr_of_more", three, "YCbCr pixels that share their colours, with one for each"
    shared = {"PHOTOMETRIC": 6, "SAMPLES": 3, "BITS": Tag((8, 8, 8), SHORT)}
    yield "ycbcr_of_3", one(**shared, SHARED=Tag((3, 1), SHORT)), "YCbCr pixels of which 3 share their colours"
    sixteen = {**shared, "BITS": Tag((16, 16, 16), SHORT)}
    yield "ycbcr_of_16_bits", one(**sixteen, SHARED=Tag((2, 1), SHORT)), "YCbCr pixels of 16 bits that share colours"
    yield "ycbcr_cut", one(**shared, SHARED=Tag((2, 2), SHORT)), "strips of 12 bytes for 3 units of 6"


def tensor_files():
    yield "second_page_of_33_bits", tiff(page(), page(BITS=33)), "a page that cannot be read behind one that can"
    yield "sub_ifd_outside", one(SUB_IFDS=1 << 30), "a smaller copy behind the file"
    yield "sub_ifds_of_floats", one(SUB_IFDS=Tag((16.0,), FLOAT)), "smaller copies at places with a point"
    yield "sub_ifds_without_end", one(SUB_IFDS=Tag((40,), count=1 << 30)), "2^30 smaller copies in a file of 200 bytes"
    end = len(one(SUB_IFDS=1))
    yield "sub_ifd_without_width", one(SUB_IFDS=end) + directory(end, page(WIDTH=None), 0), "a copy without a width"
    yield "copy_of_33_bits", tiff(page(), page(SUBFILE=1, BITS=33)), "a smaller copy that cannot be read"


def files():
    for part in (start_files, size_files, piece_files, codec_files, tensor_files):
        for name, data, wrong in part():
            yield Malformed(name + ".tif", data, wrong)
