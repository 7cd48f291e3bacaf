# SPDX-License-Identifier: Apache-2.0
"""Files without a header that do not have the elements that the call says."""

from malformed_file import Malformed

FORMAT = "raw"


def files():
    def raw(name, wrong, *options, nbytes=24):
        return Malformed(name + ".raw", bytes(nbytes), wrong, options)

    float32 = ("--input-dtype", "float32")
    yield raw("empty", "no byte for six elements", "--shape", "2,3", nbytes=0)
    yield raw("a_byte_missing", "a byte less than six elements", "--shape", "2,3", *float32, nbytes=23)
    yield raw("a_row_missing", "two rows of three", "--shape", "3,3", *float32)
    yield raw("type_too_wide", "four bytes for elements of eight", "--shape", "6", "--input-dtype", "float64")
    yield raw("offset_at_end", "an offset that is the length of the file", "--shape", "1", "--offset", "24")
    yield raw("offset_behind_end", "an offset behind the file", "--shape", "1", "--offset", "25")
    yield raw("offset_too_large", "an offset that leaves a byte less", "--shape", "2,3", *float32, "--offset", "1")
    yield raw("offset_of_exabytes", "an offset of 2^62", "--shape", "1", "--offset", str(1 << 62))
    yield raw("elements_overflow", "2^64 elements", "--shape", "4294967296,4294967296")
    yield raw(
        "bytes_overflow", "2^63 bytes of 2^60 elements", "--shape", "1152921504606846976", "--input-dtype", "int64"
    )
