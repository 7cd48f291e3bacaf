# SPDX-License-Identifier: Apache-2.0
"""Malformed GIF images and animated PNG images, made block by block."""

import struct
import zlib

from image_files import chunk, head, png
from malformed_file import Malformed, patched

FORMAT = "GIF"
HEIGHT, WIDTH = 3, 4
KEEP, CLEAR, RESTORE = 1, 2, 3


def blocks(data):
    """In blocks of at most 255 bytes, behind the last of which is an empty one."""
    parts = [data[begin : begin + 255] for begin in range(0, len(data), 255)]
    return b"".join(bytes([len(part)]) + part for part in parts) + b"\0"


def codes(indices, end=True):
    """Indices of two bits as LZW's codes of three, which never grow since the table is begun anew."""
    numbers = []
    for place, index in enumerate(indices):
        numbers += [4, index] if place % 2 == 0 else [index]
    value = sum(number << 3 * place for place, number in enumerate(numbers + [5] * end))
    return value.to_bytes((3 * (len(numbers) + end) + 7) // 8, "little")


def frame(height=HEIGHT, width=WIDTH, top=0, left=0, bits=2, data=None, flags=0):
    data = codes([i % 4 for i in range(height * width)]) if data is None else data
    return b"," + struct.pack("<HHHHB", left, top, width, height, flags) + bytes([bits]) + blocks(data)


def control(disposal=KEEP, transparent=None):
    flags = disposal << 2 | (transparent is not None)
    return b"!\xf9\x04" + struct.pack("<BHB", flags, 10, transparent or 0) + b"\0"


def gif(*parts, height=HEIGHT, width=WIDTH, flags=0x81):
    colours = bytes(range(12)) if flags & 0x80 else b""
    return b"GIF89a" + struct.pack("<HHBBB", width, height, flags, 0, 0) + colours + b"".join(parts) + b";"


def gif_files():
    whole = gif(control(), frame(), control(), frame())
    second = whole.rindex(b",")
    yield "cut_in_magic", whole[:5], "ends within the magic"
    yield "cut_behind_magic", whole[:6], "ends behind the magic"
    yield "cut_in_canvas", whole[:9], "ends within the canvas"
    yield "cut_in_colours", whole[:20], "ends within the table of colours"
    yield "cut_before_frames", whole[:25], "ends behind the table of colours"
    yield "cut_in_control", whole[:29], "ends within the control of a frame"
    yield "cut_in_frame", whole[: second + 5], "ends within the place of the second frame"
    yield "cut_in_bits", whole[: second + 10], "ends before the bits of a code"
    yield "cut_in_codes", whole[: second + 14], "ends within the codes"
    yield "version_88", patched(whole, 4, b"8"), "a version that GIF does not have"
    yield "no_frame", gif(), "no frame"
    yield "controls_only", gif(control(), control()), "controls of frames that do not follow"
    yield "block_unknown", gif(b"?"), "a block of no kind"
    yield "canvas_too_large", gif(frame(1, 1), height=65535, width=65535), "65535 x 65535 pixels, as is said"
    large = frame(65535, 65535, data=codes([0]))
    yield "first_frame_too_large", gif(large), "a first frame of 65535 x 65535 pixels"
    yield "second_frame_too_large", gif(frame(), large), "a second frame of 65535 x 65535 pixels"
    yield "frame_empty", gif(frame(0, 4, data=b"")), "a frame without a row"
    yield "frame_without_codes", gif(frame(data=b"")), "a frame without a code"
    yield "codes_too_few", gif(frame(data=codes(range(3)))), "three pixels of twelve"
    yield "codes_without_end", gif(frame(data=codes(range(3), end=False))), "three pixels, and no code that ends"
    yield "code_unknown", gif(frame(data=bytes([0b11_111_100, 0xFF]))), "a code that is not in the table"
    yield "bits_0", gif(frame(bits=0)), "codes of one bit"
    yield "bits_13", gif(frame(bits=13)), "codes of 14 bits"
    yield "second_codes_too_few", gif(frame(), frame(data=codes([0]))), "a second frame of one pixel"
    local = frame(flags=0x87)[:10]
    yield "local_colours_cut", gif(local)[:-1], "ends before the colours of the frame"


CONTROL = ">IIIIIHHBB"


def number(value):
    return struct.pack(">I", value)


def rows(height, width):
    return zlib.compress(b"".join(b"\0" + bytes(3 * width) for _ in range(height)))


def shows(sequence, height=HEIGHT, width=WIDTH, top=0, left=0, end=0, blend=0):
    return chunk(b"fcTL", struct.pack(CONTROL, sequence, width, height, left, top, 1, 10, end, blend))


def pixels(sequence, height=HEIGHT, width=WIDTH):
    return chunk(b"fdAT", number(sequence) + rows(height, width))


PICTURE = chunk(b"IDAT", rows(HEIGHT, WIDTH))
END = chunk(b"IEND", b"")


def animated(*parts, frames=2):
    return png(head(WIDTH, HEIGHT), chunk(b"acTL", number(frames) + number(0)), *parts, END)


def png_files():
    begin = (shows(0), PICTURE)
    yield "frame_missing", animated(*begin), "one frame, and two by the head"
    yield "frames_2_31", animated(*begin, frames=(1 << 31) - 1), "2^31 - 1 frames by the head"
    yield "pixels_missing", animated(*begin, shows(1)), "a second frame without pixels"
    yield "pixels_of_first_missing", animated(PICTURE, shows(0), shows(1), pixels(2)), "a frame without pixels"
    yield "sequence_begins_with_1", animated(shows(1), PICTURE), "a first number that is not 0"
    yield "sequence_gap", animated(*begin, shows(2), pixels(3)), "a number that is left out"
    yield "sequence_twice", animated(*begin, shows(1), pixels(1)), "a number twice"
    yield "control_short", animated(*begin, chunk(b"fcTL", bytes(25))), "a control of a frame of 25 bytes"
    yield "pixels_short", animated(*begin, shows(1), chunk(b"fdAT", b"\0\0\0")), "pixels without a number"
    damaged = chunk(b"fdAT", number(2) + rows(HEIGHT, WIDTH), crc=1)
    yield "pixels_crc", animated(*begin, shows(1), damaged), "a wrong CRC-32 of pixels"
    yield "first_smaller", animated(shows(0, 2, 2), PICTURE), "a first frame that is smaller than the picture"
    outside = shows(1, top=1)
    yield "frame_below", animated(*begin, outside, pixels(2)), "a frame that ends below the picture"
    wraps = shows(1, left=(1 << 32) - 1)
    yield "frame_right", animated(*begin, wraps, pixels(2)), "a frame that begins 2^32 - 1 to the right"
    yield "frame_0", animated(*begin, shows(1, 0), pixels(2)), "a frame without a row"
    yield "frame_cut", animated(*begin, shows(1), pixels(2, 2)), "a frame with a row less than is said"
    nothing = chunk(b"fdAT", number(2) + b"no zlib data")
    yield "frame_no_zlib", animated(*begin, shows(1), nothing), "a frame whose pixels are no zlib data"
    whole = animated(*begin, shows(1), pixels(2))
    yield "file_cut", whole[:-20], "a file that ends within the pixels of a frame"


def files():
    for name, data, wrong in gif_files():
        yield Malformed(name + ".gif", data, wrong)
    for name, data, wrong in png_files():
        yield Malformed(name + ".png", data, wrong)
