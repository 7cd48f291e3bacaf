# SPDX-License-Identifier: Apache-2.0
"""What malformed arrays of both versions of Zarr are made of: one chunk of six int16, encoded by each codec."""

import bz2
import gzip
import lzma
import struct
import zlib

ELEMENTS = struct.pack("<6h", *range(6))
#: CRC-32C, the reflected polynomial of Castagnoli.
CASTAGNOLI = 0x82F63B78


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (CASTAGNOLI if crc & 1 else 0)
    return struct.pack("<I", crc ^ 0xFFFFFFFF)


def gzipped(data):
    return gzip.compress(data, 9, mtime=0)


def zstd(data, content_nbytes=None, has_size=True):
    """A frame of one block that is not compressed (RFC 8878)."""
    size = len(data) if content_nbytes is None else content_nbytes
    head = struct.pack("<BQ", 0xE0, size) if has_size else struct.pack("<BB", 0x00, 0x00)
    return b"\x28\xb5\x2f\xfd" + head + struct.pack("<I", 1 | len(data) << 3)[:3] + data


def zstd_run(byte, count, content_nbytes):
    """A frame of one block that is one byte many times."""
    block = struct.pack("<I", 1 | 1 << 1 | count << 3)[:3] + byte
    return b"\x28\xb5\x2f\xfd" + struct.pack("<BQ", 0xE0, content_nbytes) + block


def blosc(data, nbytes=None, version=2, flags=2, stored_nbytes=None, item=2):
    """A buffer of version 1 of Blosc whose bytes are copied (bit 1 of the flags)."""
    nbytes = len(data) if nbytes is None else nbytes
    stored = 16 + len(data) if stored_nbytes is None else stored_nbytes
    return struct.pack("<BBBBIII", version, 1, flags, item, nbytes, nbytes, stored) + data


def plain_files():
    """(name, codec, bytes of the chunk, what is wrong)"""
    yield "chunk_empty", None, b"", "a chunk without a byte"
    yield "chunk_cut", None, ELEMENTS[:-1], "a chunk with a byte less"
    yield "chunk_too_long", None, ELEMENTS + b"\0", "a chunk with a byte more"


def coded_files():
    """Of codecs that both versions have, as above."""
    data = ELEMENTS
    packed = gzipped(data)
    yield "gzip_not", "gzip", data, "no gzip data"
    yield "gzip_empty", "gzip", b"", "no byte of gzip data"
    yield "gzip_cut", "gzip", packed[:-9], "gzip data that end early"
    yield "gzip_crc", "gzip", packed[:-8] + b"\0\0\0\0" + packed[-4:], "a wrong CRC-32 behind gzip data"
    yield "gzip_size", "gzip", packed[:-4] + b"\x0d\0\0\0", "a wrong length behind gzip data"
    yield "gzip_of_less", "gzip", gzipped(data[:-2]), "gzip data of an element less"
    yield "gzip_of_more", "gzip", gzipped(data + b"\0"), "gzip data of a byte more"
    yield "gzip_bomb", "gzip", gzipped(bytes(20_000_000)), "20 KB of gzip data of 20 MB"
    yield "gzip_text_behind", "gzip", packed + b"more", "bytes behind gzip data"
    frame = zstd(data)
    yield "zstd_not", "zstd", data, "no zstd frame"
    yield "zstd_empty", "zstd", b"", "no byte of a zstd frame"
    yield "zstd_cut", "zstd", frame[:-3], "a zstd frame that ends early"
    yield "zstd_says_more", "zstd", zstd(data, 1 << 40), "a zstd frame that says a terabyte"
    yield "zstd_says_less", "zstd", zstd(data, 8), "a zstd frame that says 8 bytes and has 12"
    yield "zstd_of_less", "zstd", zstd(data[:-2]), "a zstd frame of an element less"
    yield (
        "zstd_of_more_unsaid",
        "zstd",
        zstd(data * 2, has_size=False),
        "a zstd frame of twice the bytes, without a size",
    )
    yield "zstd_text_behind", "zstd", frame + b"more", "bytes behind a zstd frame"
    buffer = blosc(data)
    yield "blosc_not", "blosc", data, "no buffer of Blosc"
    yield "blosc_cut", "blosc", buffer[:-1], "a buffer of Blosc that ends early"
    yield "blosc_says_more", "blosc", blosc(data, nbytes=1 << 30), "a buffer of Blosc that says a gigabyte"
    yield "blosc_of_less", "blosc", blosc(data[:-2]), "a buffer of Blosc of an element less"
    yield "blosc_version", "blosc", blosc(data, version=9), "a buffer of Blosc of version 9"
    yield "blosc_damaged", "blosc", blosc(data, flags=0), "a buffer of Blosc whose bytes are no compressed ones"


def lz4(data, nbytes=None):
    """numcodecs' lz4: a block of literals alone, of at most 14 bytes, behind the length."""
    return struct.pack("<IB", len(data) if nbytes is None else nbytes, len(data) << 4) + data


def xz_of_dictionary(size_bits):
    """xz data whose header asks for a dictionary of that size (in half powers of two)."""
    data = bytearray(lzma.compress(ELEMENTS))
    begin, end = 12, 12 + 4 * (data[12] + 1)
    data[begin + 4] = size_bits
    data[end - 4 : end] = struct.pack("<I", zlib.crc32(data[begin : end - 4]))
    return bytes(data)


def numcodecs_files():
    """Of codecs that numcodecs has, as above."""
    block = lz4(ELEMENTS)
    yield "lz4_empty", "lz4", b"", "no byte of lz4 data"
    yield "lz4_cut", "lz4", block[:-3], "a block of lz4 that ends early"
    yield "lz4_says_more", "lz4", lz4(ELEMENTS, 1 << 30), "a block of lz4 that says a gigabyte"
    yield "lz4_says_less", "lz4", lz4(ELEMENTS, 8), "a block of lz4 that says 8 bytes and has 12"
    yield "lz4_of_less", "lz4", lz4(ELEMENTS[:-2]), "a block of lz4 of an element less"
    packed = bz2.compress(ELEMENTS)
    yield "bz2_not", "bz2", ELEMENTS, "no bz2 data"
    yield "bz2_empty", "bz2", b"", "no byte of bz2 data"
    yield "bz2_cut", "bz2", packed[:-3], "bz2 data that end early"
    yield "bz2_damaged", "bz2", packed[:20] + bytes([packed[20] ^ 0xFF]) + packed[21:], "a wrong byte in bz2 data"
    yield "bz2_of_less", "bz2", bz2.compress(ELEMENTS[:-2]), "bz2 data of an element less"
    yield "bz2_bomb", "bz2", bz2.compress(bytes(20_000_000)), "50 bytes of bz2 data of 20 MB"
    yield "bz2_text_behind", "bz2", packed + b"more", "bytes behind bz2 data"
    packed = lzma.compress(ELEMENTS)
    yield "lzma_not", "lzma", ELEMENTS, "no lzma data"
    yield "lzma_cut", "lzma", packed[:-3], "lzma data that end early"
    yield "lzma_of_more", "lzma", lzma.compress(ELEMENTS + b"\0"), "lzma data of a byte more"
    yield "lzma_bomb", "lzma", lzma.compress(bytes(20_000_000)), "3 KB of lzma data of 20 MB"
    yield "lzma_memory", "lzma", xz_of_dictionary(40), "lzma data that ask for 4 GB of memory"


def lzma_alone():
    """(name, lzma data in the format alone, what is wrong)"""

    def packed(data):
        return lzma.compress(data, lzma.FORMAT_ALONE)

    data = packed(ELEMENTS)
    says_more = data[:5] + struct.pack("<Q", 1 << 40) + data[13:]
    yield "empty", b"", "no byte of lzma data"
    yield "header", data[:13], "the header of lzma data, and no more"
    yield "cut", data[:-6], "lzma data that end early"
    yield "of_less", packed(ELEMENTS[:-2]), "lzma data of an element less"
    yield "of_more", packed(ELEMENTS + b"\0"), "lzma data of a byte more"
    yield "bomb", packed(bytes(20_000_000)), "3 KB of lzma data of 20 MB"
    yield "says_more", says_more, "lzma data that say a terabyte"
    yield "memory", data[:1] + b"\0\0\0\x80" + data[5:], "lzma data that ask for 2 GB of memory"
    yield "text_behind", data + b"more", "bytes behind lzma data"
    yield "not", b"no" + data[2:], "lzma data with wrong properties"


def zlib_files():
    """Of version 2 alone, as above."""
    packed = zlib.compress(ELEMENTS)
    yield "zlib_not", "zlib", ELEMENTS, "no zlib data"
    yield "zlib_adler", "zlib", packed[:-4] + b"\0\0\0\0", "a wrong Adler-32 behind zlib data"
    yield "zlib_text_behind", "zlib", packed + b"more", "bytes behind zlib data"
