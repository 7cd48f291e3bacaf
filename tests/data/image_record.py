#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes images.txt: small pictures and the pixels Pillow reads from them, one a line as `NAME H W C FILE PIXELS`, hex.

PNGs that Pillow does not write (16 bits, interlaced, a transparent colour) are put together here, with the pixels
reckoned by hand: 16 bits are little-endian, gray of fewer bits is scaled to 0..255."""

import io
import pathlib
import struct
import zlib

import numpy
import PIL.Image

H, W = 9, 11


def line(name, file, pixels):
    pixels = pixels.reshape(*pixels.shape[:2], -1)
    pixels = pixels.astype("<u2" if pixels.dtype == numpy.uint16 else numpy.uint8)
    h, w, c = pixels.shape
    return f"{name} {h} {w} {c} {file.hex()} {pixels.tobytes().hex()}"


def picture(channels):
    y, x, c = numpy.mgrid[:H, :W, :channels]
    return ((y * 23 + x * 17 + c * 70) % 256).astype(numpy.uint8)


def wide(channels):
    return (picture(channels).astype(numpy.uint32) * 251 + 77).astype(numpy.uint16)


def saved(name, image, kind, read_as=None, **options):
    file = io.BytesIO()
    image.save(file, kind, **options)
    read = PIL.Image.open(io.BytesIO(file.getvalue()))
    return line(name, file.getvalue(), numpy.asarray(read.convert(read_as) if read_as else read))


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(width, height, bits, colours, rows, extra=b"", interlaced=0):
    """`rows`: for each pass, the bytes of each row without its filter."""
    data = b"".join(b"\0" + row for one in rows for row in one)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, bits, colours, 0, 0, interlaced))
        + extra
        + chunk(b"IDAT", zlib.compress(data))
        + chunk(b"IEND", b"")
    )


def adam7(pixels):
    for y, x, dy, dx in (
        (0, 0, 8, 8),
        (0, 4, 8, 8),
        (4, 0, 8, 4),
        (0, 2, 4, 4),
        (2, 0, 4, 2),
        (0, 1, 2, 2),
        (1, 0, 2, 1),
    ):
        part = pixels[y::dy, x::dx]
        yield [row.tobytes() for row in part] if part.shape[1] else []


def lines():
    gray, rgb = PIL.Image.fromarray(picture(1)[:, :, 0]), PIL.Image.fromarray(picture(3))
    yield saved("jpeg-gray", gray, "JPEG", quality=90)
    yield saved("jpeg-rgb", rgb, "JPEG", quality=90)
    yield saved("jpeg-full-chroma", rgb, "JPEG", quality=95, subsampling=0)
    yield saved("jpeg-progressive", rgb, "JPEG", quality=85, progressive=True)
    yield saved("jpeg-cmyk", rgb.convert("CMYK"), "JPEG")
    yield saved("png-gray", gray, "PNG")
    yield saved("png-gray-alpha", PIL.Image.fromarray(picture(2), "LA"), "PNG")
    yield saved("png-rgb", rgb, "PNG")
    yield saved("png-rgba", PIL.Image.fromarray(picture(4), "RGBA"), "PNG")
    yield saved("png-palette", rgb.quantize(16), "PNG", "RGB")
    yield saved("png-palette-alpha", rgb.quantize(16), "PNG", "RGBA", transparency=3)

    pixels = picture(3)
    yield line("png-interlaced", png(W, H, 8, 2, adam7(pixels), interlaced=1), pixels)
    for kind, colours, channels in (("gray", 0, 1), ("gray-alpha", 4, 2), ("rgb", 2, 3), ("rgba", 6, 4)):
        big_endian = [row.astype(">u2").tobytes() for row in wide(channels)]
        yield line(f"png-16-bit-{kind}", png(W, H, 16, colours, [big_endian]), wide(channels))
    yield line("png-16-bit-interlaced", png(W, H, 16, 2, adam7(wide(3).astype(">u2")), interlaced=1), wide(3))
    seen = wide(1)[:, :, 0]
    key = chunk(b"tRNS", struct.pack(">H", seen[2, 3]))
    alpha = numpy.where(seen == seen[2, 3], 0, 65535).astype(numpy.uint16)
    file = png(W, H, 16, 0, [[row.astype(">u2").tobytes() for row in seen]], key)
    yield line("png-16-bit-gray-key", file, numpy.stack([seen, alpha], 2))
    bits = picture(1)[:, :, 0] % 2
    yield line("png-1-bit", png(W, H, 1, 0, [[numpy.packbits(row).tobytes() for row in bits]]), bits * 255)
    for depth, scale in ((2, 85), (4, 17)):
        few = picture(1)[:, :, 0] >> (8 - depth)
        digits = [[(value >> bit) & 1 for value in row for bit in range(depth - 1, -1, -1)] for row in few]
        rows = [numpy.packbits(row).tobytes() for row in digits]
        yield line(f"png-{depth}-bit", png(W, H, depth, 0, [rows]), few * scale)
    seen = picture(1)[:, :, 0]
    alpha = numpy.where(seen == seen[2, 3], 0, 255)
    key = chunk(b"tRNS", struct.pack(">H", seen[2, 3]))
    yield line("png-gray-key", png(W, H, 8, 0, [[row.tobytes() for row in seen]], key), numpy.stack([seen, alpha], 2))


if __name__ == "__main__":
    pathlib.Path(__file__).with_name("images.txt").write_text("\n".join(lines()) + "\n", encoding="ascii")
