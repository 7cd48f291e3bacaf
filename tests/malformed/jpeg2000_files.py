# SPDX-License-Identifier: Apache-2.0
"""Malformed JPEG 2000 images: boxes and markers of one that Pillow wrote, broken one by one."""

import io
import struct

from malformed_file import Malformed, patched
from PIL import Image

FORMAT = "JPEG-2000"


def box(kind, content, length=None):
    return struct.pack(">I", 8 + len(content) if length is None else length) + kind + content


def codestream():
    image = Image.frombytes("RGB", (32, 24), bytes(i * 7 % 256 for i in range(32 * 24 * 3)))
    buffer = io.BytesIO()
    image.save(buffer, "JPEG2000", irreversible=False, no_jp2=True)
    return buffer.getvalue()


START = box(b"jP  ", b"\r\n\x87\n") + box(b"ftyp", b"jp2 \0\0\0\0jp2 ")
SIZES = box(b"ihdr", struct.pack(">IIHBBBB", 24, 32, 3, 7, 7, 0, 0))
RGB = box(b"colr", b"\1\0\0" + struct.pack(">I", 16))


def boxes(stream):
    whole = START + box(b"jp2h", SIZES + RGB) + box(b"jp2c", stream)
    yield "cut_in_magic", whole[:10], "ends within the first box"
    yield "cut_behind_magic", whole[:12], "ends behind the first box"
    yield "cut_in_header", whole[:50], "ends within the header"
    yield "cut_before_stream", whole[: whole.index(b"jp2c") - 4], "ends before the codestream"
    yield "header_missing", START + box(b"jp2c", stream), "no header"
    yield "header_behind", START + box(b"jp2c", stream) + box(b"jp2h", SIZES + RGB), "a header behind the pixels"
    yield "header_too_long", START + box(b"jp2h", SIZES + RGB, 1 << 31) + box(b"jp2c", stream), "a header of 2 GiB"
    ycbcr = box(b"colr", b"\1\0\0" + struct.pack(">I", 18))
    yield "colours_ycbcr", START + box(b"jp2h", SIZES + ycbcr) + box(b"jp2c", stream), "colours in YCbCr"
    palette = box(b"pclr", struct.pack(">HB", 1024, 255)) + box(b"cmap", bytes(4))
    yield "palette_cut", START + box(b"jp2h", SIZES + RGB + palette) + box(b"jp2c", stream), "a palette without colours"


def markers(stream):
    size, code, tile = (stream.index(marker) for marker in (b"\xff\x51", b"\xff\x52", b"\xff\x90"))
    data = stream.index(b"\xff\x93")

    def field(at, pattern, *values):
        return patched(stream, at, struct.pack(pattern, *values))

    yield "cut_in_start", stream[:3], "ends within the first marker"
    yield "cut_in_size", stream[:20], "ends within the sizes"
    yield "cut_in_code", stream[: code + 6], "ends within the style of the code"
    yield "cut_before_tile", stream[:tile], "ends before the first tile"
    yield "cut_in_pixels", stream[: (data + len(stream)) // 2], "ends in the middle of the pixels"
    yield "size_missing", stream[:2] + stream[code:], "no sizes"
    yield "code_missing", stream[:code] + stream[tile:], "no style of the code"
    yield "height_0", field(size + 10, ">I", 0), "no row"
    yield "width_2_32", field(size + 6, ">I", (1 << 32) - 1), "2^32 - 1 columns"
    yield "pixels_too_many", field(size + 6, ">II", 1 << 16, 1 << 16), "2^32 pixels"
    yield "offset_behind", field(size + 14, ">I", 100), "a picture that begins behind its end"
    yield "tile_0", field(size + 22, ">I", 0), "tiles without a column"
    yield "tiles_too_many", field(size + 22, ">II", 1, 1), "tiles of one pixel, of which one is there"
    yield "channels_0", field(size + 38, ">H", 0), "no channel"
    yield "channels_16384", field(size + 38, ">H", 16384), "16384 channels, of which three are described"
    yield "bits_39", field(size + 40, "B", 38), "39 bits"
    yield "bits_33", patched(stream, size + 40, bytes([32, 1, 1, 32, 1, 1, 32])), "33 bits"
    yield "sign_differs", field(size + 43, "B", 0x87), "a signed channel beside unsigned ones"
    yield "channel_smaller", field(size + 44, "BB", 2, 2), "a channel of half the height and width"
    yield "channel_step_0", field(size + 41, "B", 0), "a channel without a distance of columns"
    yield "levels_200", field(code + 9, "B", 200), "200 levels of resolution"
    yield "block_too_large", field(code + 10, "BB", 255, 255), "blocks of 2^257 columns"
    yield "tile_number", field(tile + 4, ">H", 7), "a tile that there is not"
    yield "tile_length", field(tile + 6, ">I", 1 << 31), "a tile of 2 GiB"


def files():
    stream = codestream()
    for name, data, wrong in boxes(stream):
        yield Malformed(name + ".jp2", data, wrong)
    for name, data, wrong in markers(stream):
        yield Malformed(name + ".j2k", data, wrong)
