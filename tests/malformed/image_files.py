# SPDX-License-Identifier: Apache-2.0
"""Malformed PNG images, made chunk by chunk, and JPEG images, broken segment by segment."""

import io
import struct
import zlib

from malformed_file import Malformed, patched

FORMAT = "PNG"
MAGIC = b"\x89PNG\r\n\x1a\n"
GRAY, RGB, PALETTE = 0, 2, 3


def chunk(kind, data, crc=None):
    crc = zlib.crc32(kind + data) if crc is None else crc
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", crc)


def head(width=4, height=3, bits=8, color=RGB, compression=0, filters=0, interlace=0):
    return chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, bits, color, compression, filters, interlace))


ROWS = b"".join(b"\0" + bytes(range(12 * y, 12 * y + 12)) for y in range(3))
PIXELS = chunk(b"IDAT", zlib.compress(ROWS))
END = chunk(b"IEND", b"")


def png(*chunks):
    return MAGIC + b"".join(chunks)


def png_start_files():
    whole = png(head(), PIXELS, END)
    yield "cut_in_magic", whole[:5], "ends within the magic"
    yield "cut_behind_magic", whole[:8], "ends behind the magic"
    yield "cut_in_ihdr", whole[:20], "ends within the first chunk"
    yield "cut_behind_ihdr", whole[:33], "ends behind the first chunk"
    yield "cut_in_idat", whole[:50], "ends within the pixels"
    yield "cut_before_iend", whole[:-12], "ends before the last chunk"
    yield "cut_in_iend", whole[:-2], "ends within the last chunk"
    yield "magic_as_text", whole.replace(b"\r\n", b"\n", 1), "line ends of the magic changed by a transfer"
    yield "magic_of_7_bits", b"\x09" + whole[1:], "the first byte without its upper bit"
    yield "ihdr_missing", png(PIXELS, END), "no first chunk"
    yield "ihdr_short", png(chunk(b"IHDR", bytes(12)), PIXELS, END), "a first chunk of 12 bytes"
    yield "ihdr_twice", png(head(), head(), PIXELS, END), "two first chunks"
    yield "ihdr_crc", patched(whole, 29, bytes(4)), "a wrong CRC-32 of the first chunk"
    yield "idat_missing", png(head(), END), "no pixels"
    yield "idat_crc", patched(whole, 33 + 8 + len(zlib.compress(ROWS)), bytes(4)), "a wrong CRC-32 of the pixels"
    yield "idat_length", patched(whole, 33, b"\x7f\xff\xff\xff"), "pixels of 2 GiB, as is said"
    yield "idat_length_2_32", patched(whole, 33, b"\xff\xff\xff\xff"), "a length above 2^31"
    yield "chunk_name", png(head(), chunk(b"ID\0T", b""), PIXELS, END), "a chunk whose name is no letters"
    yield "chunk_critical", png(head(), chunk(b"ABCD", b""), PIXELS, END), "a chunk that must be known, and is not"


def png_field_files():
    def headed(**fields):
        return png(head(**fields), PIXELS, END)

    yield "width_0", headed(width=0), "no column"
    yield "height_0", headed(height=0), "no row"
    yield "width_2_31", headed(width=1 << 31), "a width above 31 bits"
    yield "height_2_32", headed(height=(1 << 32) - 1), "a height of 2^32 - 1"
    yield "pixels_too_many", headed(width=100000, height=100000), "10^10 pixels in 100 bytes"
    yield "pixels_2_62", headed(width=(1 << 31) - 1, height=(1 << 31) - 1), "2^62 pixels"
    yield "bits_0", headed(bits=0), "0 bits for each sample"
    yield "bits_3", headed(bits=3), "3 bits for each sample"
    yield "bits_of_rgb", headed(bits=4), "4 bits for each sample of RGB"
    yield "color_1", headed(color=1), "a kind of colours that PNG does not have"
    yield "compression_1", headed(compression=1), "a compression that PNG does not have"
    yield "filter_1", headed(filters=1), "a method of filters that PNG does not have"
    yield "interlace_2", headed(interlace=2), "an interlacing that PNG does not have"
    yield "palette_missing", headed(color=PALETTE), "no palette"
    palette = chunk(b"PLTE", bytes(4))
    yield "palette_of_4_bytes", png(head(color=PALETTE), palette, PIXELS, END), "a palette of a colour and a third"
    late = png(head(color=PALETTE), PIXELS, chunk(b"PLTE", bytes(6)), END)
    yield "palette_behind", late, "a palette behind the pixels"

    def rows(data):
        return png(head(), chunk(b"IDAT", data), END)

    packed = zlib.compress(ROWS)
    yield "rows_too_few", rows(zlib.compress(ROWS[:-13])), "a row less than is said"
    yield "rows_cut", rows(packed[:-12]), "pixels whose zlib data end early"
    yield "rows_adler", rows(packed[:-4] + bytes(4)), "a wrong Adler-32 of the pixels"
    yield "rows_no_zlib", rows(ROWS), "pixels that are no zlib data"
    yield "rows_damaged", rows(patched(packed, 8, b"\xff\xff\xff\xff")), "damaged zlib data"
    yield "row_filter_9", rows(zlib.compress(b"\x09" + ROWS[1:])), "a filter that PNG does not have"
    large = png(head(width=60000, height=3), chunk(b"IDAT", zlib.compress(bytes(100))), END)
    yield "rows_wider", large, "rows of 180,001 bytes, of which there are 100"


def jpeg():
    """A picture of 32 x 24 pixels; None where there is no Pillow to write it."""
    try:
        from PIL import Image
    except ImportError:
        return None
    image = Image.frombytes("RGB", (32, 24), bytes(zlib.crc32(bytes([i % 256, i // 256])) & 255 for i in range(2304)))
    buffer = io.BytesIO()
    image.save(buffer, "JPEG", quality=75, subsampling=0)
    return buffer.getvalue()


def segment(data, marker, number=0):
    """Where a segment begins: at its 0xff."""
    at = -1
    for _ in range(number + 1):
        at = data.index(b"\xff" + bytes([marker]), at + 1)
    return at


def removed(data, marker, number=0):
    at = segment(data, marker, number)
    return data[:at] + data[at + 2 + struct.unpack_from(">H", data, at + 2)[0] :]


def jpeg_files(whole):
    dqt, sof, dht, sos = 0xDB, 0xC0, 0xC4, 0xDA
    frame, scan = segment(whole, sof), segment(whole, sos)
    pixels = scan + 2 + struct.unpack_from(">H", whole, scan + 2)[0]

    def field(at, *numbers):
        return patched(whole, at, bytes(numbers))

    yield "cut_in_mark", whole[:2], "ends behind the first mark"
    yield "cut_in_first_segment", whole[:10], "ends within the first segment"
    yield "cut_in_tables", whole[:60], "ends within a table"
    yield "cut_in_frame", whole[: frame + 6], "ends within the sizes"
    yield "cut_in_scan", whole[: scan + 5], "ends within the head of the scan"
    yield "cut_before_pixels", whole[:pixels], "ends before the pixels"
    yield "cut_in_pixels", whole[: (pixels + len(whole)) // 2], "ends in the middle of the pixels"
    yield "no_end", whole[:-2], "no last mark"
    yield "no_frame", removed(whole, sof), "no sizes"
    yield "no_scan", whole[:scan] + whole[-2:], "no scan"
    yield "no_quantization", removed(removed(whole, dqt), dqt), "no table of quantization"
    yield "frame_twice", whole[:frame] + whole[frame:scan] + whole[frame:], "the sizes twice"
    yield "width_0", field(frame + 7, 0, 0), "no column"
    yield "height_0", field(frame + 5, 0, 0), "no row"
    yield "pixels_too_many", field(frame + 5, 0xFF, 0xDC, 0xFF, 0xDC), "65500 x 65500 pixels"
    yield "precision_12", field(frame + 4, 12), "samples of 12 bits"
    yield "precision_0", field(frame + 4, 0), "samples of 0 bits"
    yield "components_0", field(frame + 9, 0), "no component"
    yield "components_4", field(frame + 9, 4), "four components, of which three are described"
    yield "sampling_0", field(frame + 11, 0x00), "a component of no column"
    yield "sampling_15", field(frame + 11, 0xFF), "a component of 15 x 15 samples"
    yield "table_9", field(frame + 12, 9), "a table of quantization that is not there"
    yield "lossless", field(frame + 1, 0xC3), "a lossless JPEG"
    yield "arithmetic_progressive", field(frame + 1, 0xCA), "a progressive JPEG, whose scan is none"
    yield "scan_of_9", field(scan + 4, 9), "nine components in the scan"
    yield "scan_component", field(scan + 5, 77), "a component in the scan that the frame does not have"
    yield "scan_tables", field(scan + 6, 0x99), "codes of the scan that are not there"
    yield "segment_of_1_byte", field(frame + 2, 0, 1), "a segment of one byte, of which its length has two"
    yield "segment_too_long", field(frame + 2, 0xFF, 0xFF), "a segment that is longer than the file"
    codes = segment(whole, dht)
    yield "codes_too_many", field(codes + 5, *[255] * 16), "4080 codes of 16 lengths"
    yield "marker_in_pixels", field(pixels + 20, 0xFF, 0xC0), "a frame within the pixels"
    yield "pixels_zero", whole[:pixels] + bytes(40) + whole[-2:], "pixels that end early, as zeros"


def several_files(whole):
    """Two pictures in a file, of which the second cannot be read; the index stands behind the first mark."""

    def two(begin, nbytes, second=whole):
        entries = struct.pack("<5I", 0, len(whole), 0, 0, 0)[:16] + struct.pack("<IIII", 0, nbytes, begin, 0)
        index = struct.pack("<2sHIHHHII", b"II", 42, 8, 1, 0xB002, 7, 32, 26) + bytes(4) + entries
        segment_data = b"MPF\0" + index
        first = whole[:2] + struct.pack(">HH", 0xFFE2, 2 + len(segment_data)) + segment_data + whole[2:]
        return first + second

    # From the index on, which begins at byte 10.
    behind = len(two(0, 0, b"")) - 10
    yield "second_outside", two(1 << 31, len(whole)), "a second picture behind the file"
    yield "second_cut_off", two(behind, len(whole))[:-9], "a file that ends within the second picture"
    yield "second_empty", two(behind, 0), "a second picture without a byte"
    yield "second_cut", two(behind, len(whole) // 2), "a second picture that ends early"
    yield "second_not", two(behind, 100, bytes(100)), "a second picture of zeros"
    yield "second_is_png", two(behind, 8, b"\x89PNG\r\n\x1a\n"), "a second picture that is a PNG"


def files():
    yield Malformed("empty.png", b"", "no byte at all")
    for part in (png_start_files, png_field_files):
        for name, data, wrong in part():
            yield Malformed(name + ".png", data, wrong)
    whole = jpeg()
    if whole is None:
        return
    for name, data, wrong in (*jpeg_files(whole), *several_files(whole)):
        yield Malformed(name + ".jpg", data, wrong)
