# SPDX-License-Identifier: Apache-2.0
"""Malformed .npz files: zip archives made record by record, so that each of their fields can be wrong."""

import struct
import zlib
from dataclasses import dataclass, field, replace

from malformed_file import Malformed, patched
from npy_files import BODY, TEXT, npy

FORMAT = "npz"
STORED, DEFLATED = 0, 8


def deflated(data):
    squeezer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return squeezer.compress(data) + squeezer.flush()


@dataclass(frozen=True)
class Member:
    """A member and what the two records of it say; None: what is true."""

    name: str = "a.npy"
    data: bytes = field(default_factory=npy)
    method: int = STORED
    stored: bytes = None
    nbytes: int = None
    stored_nbytes: int = None
    crc: int = None
    flags: int = 0
    extra: bytes = b""
    local_begin: int = None
    local_signature: bytes = b"PK\x03\x04"
    local_name: str = None
    local_method: int = None
    local_name_nbytes: int = None

    def bytes_in_file(self):
        if self.stored is not None:
            return self.stored
        return deflated(self.data) if self.method == DEFLATED else self.data

    def numbers(self):
        """CRC-32, bytes in the file, bytes unpacked."""
        crc = zlib.crc32(self.data) if self.crc is None else self.crc
        stored = len(self.bytes_in_file()) if self.stored_nbytes is None else self.stored_nbytes
        return crc, stored, len(self.data) if self.nbytes is None else self.nbytes

    def local(self):
        name = (self.local_name or self.name).encode()
        method = self.method if self.local_method is None else self.local_method
        length = len(name) if self.local_name_nbytes is None else self.local_name_nbytes
        fields = struct.pack("<HHHHHIIIHH", 20, self.flags, method, 0, 33, *self.numbers(), length, 0)
        return self.local_signature + fields + name + self.bytes_in_file()

    def entry(self, begin):
        name = self.name.encode()
        begin = begin if self.local_begin is None else self.local_begin
        fields = (
            20,
            20,
            self.flags,
            self.method,
            0,
            33,
            *self.numbers(),
            len(name),
            len(self.extra),
            0,
            0,
            0,
            0,
            begin,
        )
        return b"PK\x01\x02" + struct.pack("<HHHHHHIIIHHHHHII", *fields) + name + self.extra


@dataclass(frozen=True)
class Archive:
    """Members, their directory and its end, which may say something else of them."""

    members: tuple = (Member(),)
    begin: int = None
    nbytes: int = None
    count: int = None
    comment_nbytes: int = 0
    comment: bytes = b""
    #: Between the directory and its end.
    between: bytes = b""

    def parts(self):
        """(members, directory)"""
        body, directory = b"", b""
        for member in self.members:
            directory += member.entry(len(body))
            body += member.local()
        return body, directory

    def data(self):
        body, directory = self.parts()
        begin = len(body) if self.begin is None else self.begin
        nbytes = len(directory) if self.nbytes is None else self.nbytes
        count = len(self.members) if self.count is None else self.count
        end = struct.pack("<HHHHIIH", 0, 0, count, count, nbytes, begin, self.comment_nbytes)
        return body + directory + self.between + b"PK\x05\x06" + end + self.comment


def archive(*members, **fields):
    return Archive(members, **fields).data() if members else Archive(**fields).data()


def zip64(begin=None, locator=None, signature=b"PK\x06\x06", count=1):
    """An archive whose end is of 64 bits."""
    body, directory = Archive().parts()
    end64 = len(body) + len(directory)
    begin = len(body) if begin is None else begin
    record = signature + struct.pack("<QHHIIQQQQ", 44, 45, 45, 0, 0, count, count, len(directory), begin)
    place = b"PK\x06\x07" + struct.pack("<IQI", 0, end64 if locator is None else locator, 1)
    return archive(between=record + place, begin=0xFFFFFFFF, nbytes=0xFFFFFFFF, count=0xFFFF)


def directory_files():
    whole = archive()
    body, directory = Archive().parts()
    yield "no_member", Archive(()).data(), "an archive without a member"
    yield "cut_in_member", whole[:60], "ends within the first member"
    yield "cut_in_directory", whole[: len(body) + 20], "ends within the directory"
    yield "cut_in_end", whole[:-4], "ends within its last record"
    yield "no_end", whole[:-22], "no last record"
    yield "text_behind_end", whole + b"\n", "a byte behind the last record"
    yield "comment_too_short", archive(comment_nbytes=9, comment=b"short"), "a comment shorter than is said"
    yield "directory_behind_end", archive(begin=len(whole)), "a directory that begins at the file's end"
    yield "directory_at_4_gib", archive(begin=0xFFFFFFF0), "a directory that begins at 4 GiB"
    yield "directory_too_long", archive(nbytes=len(directory) + 10), "a directory that reaches into the last record"
    yield "directory_too_short", archive(nbytes=20), "a directory of 20 bytes for a member"
    yield "directory_of_0_bytes", archive(nbytes=0), "a directory without a byte for a member"
    yield "directory_elsewhere", archive(begin=0), "a directory where the first member is"
    yield "more_members_said", archive(count=2), "two members, where the directory has one"
    two = (Member(), Member("b.npy"))
    yield "fewer_members_said", archive(*two, count=1), "one member, where the directory has two"
    yield "entry_signature", patched(whole, len(body) + 3, b"\x09"), "a wrong signature in the directory"
    yield "entry_name_too_long", patched(whole, len(body) + 28, b"\xff\xff"), "a name of 65535 bytes in the directory"
    yield "entry_extra_too_long", patched(whole, len(body) + 30, b"\xff\xff"), "an extra field of 65535 bytes"
    yield "entry_comment_too_long", patched(whole, len(body) + 32, b"\x01\x00"), "a comment beyond the directory"
    yield "name_twice", archive(Member(), Member()), "two members of one name"
    yield "zip64_locator_outside", zip64(locator=1 << 40), "the record of 64 bits at 1 TB"
    yield "zip64_locator_overflows", zip64(locator=(1 << 64) - 1), "the record of 64 bits at 2^64 - 1"
    yield "zip64_signature", zip64(signature=b"PK\x06\x05"), "no record of 64 bits where it should be"
    yield "zip64_directory_outside", zip64(begin=(1 << 64) - 8), "a directory of 64 bits at 2^64 - 8"
    yield "zip64_too_many_members", zip64(count=1 << 60), "2^60 members"


def member_files():
    good = Member()
    full = 0xFFFFFFFF

    def one(**fields):
        return archive(replace(good, **fields))

    yield "encrypted", one(flags=1), "an encrypted member"
    yield "bzip2", one(method=12), "a member compressed by bzip2"
    yield "lzma", one(method=14), "a member compressed by LZMA"
    yield "method_unknown", one(method=77), "a member compressed by no known method"
    yield "local_outside", one(local_begin=100000), "a member's header behind the end of the file"
    yield "local_at_directory", one(local_begin=len(good.local())), "a member's header where the directory is"
    yield "local_signature", one(local_signature=b"PK\x03\x05"), "a wrong signature before the member"
    yield "local_name_differs", one(local_name="b.npy"), "another name in the member's own header"
    yield "local_method_differs", one(local_method=DEFLATED), "another method in the member's own header"
    yield "local_name_too_long", one(local_name_nbytes=60000), "a name beyond the file in the member's own header"
    yield "stored_behind_end", one(stored_nbytes=5000, nbytes=5000), "a member that is longer than the file"
    yield "stored_4_gib", one(stored_nbytes=full, nbytes=full), "a member of 4 GiB less a byte, without a longer number"
    yield "stored_sizes_differ", one(nbytes=len(good.data) + 1), "two sizes of a member that is not compressed"
    wide = struct.pack("<HHQQ", 1, 16, (1 << 64) - 1, (1 << 64) - 1)
    yield "zip64_sizes_overflow", one(stored_nbytes=full, nbytes=full, extra=wide), "sizes of 2^64 - 1"
    local = struct.pack("<HHQ", 1, 8, (1 << 64) - 40)
    yield "zip64_local_overflows", one(local_begin=full, extra=local), "a member's header at 2^64 - 40"
    short = struct.pack("<HHI", 1, 4, 128)
    yield "zip64_extra_too_short", one(stored_nbytes=full, nbytes=full, extra=short), "an extra field of 4 bytes for 16"
    beyond = struct.pack("<HH", 1, 16)
    yield "zip64_extra_beyond", one(stored_nbytes=full, nbytes=full, extra=beyond), "an extra field beyond its end"


def content_files():
    data = npy(body=bytes(4000), text=TEXT.replace("(2, 3)", "(1000,)"))
    good = Member(data=data, method=DEFLATED)
    stream = deflated(data)

    def one(**fields):
        return archive(replace(good, **fields))

    yield "bomb", one(nbytes=0xFFFFFFF0), "a few bytes that are said to unpack to 4 GiB"
    huge = npy(text=TEXT.replace("(2, 3)", "(250000000000,)"), body=b"")
    wide = struct.pack("<HHQ", 1, 8, len(huge) + 1000000000000)
    yield (
        "bomb_of_a_tb",
        one(stored=deflated(huge + bytes(1000)), nbytes=0xFFFFFFFF, extra=wide),
        "a few bytes that are said to unpack to a terabyte, and the shape of one",
    )
    yield "unpacks_to_more", one(data=data + bytes(50000), nbytes=len(data)), "a stream with more than is said"
    yield "unpacks_to_less", one(data=data[:-100], nbytes=len(data)), "a stream with less than is said"
    yield "wrong_crc", one(crc=12345), "a CRC-32 that is not that of the content"
    yield "damaged_stream", one(stored=patched(stream, 40, b"\xff\xff\xff\xff")), "a stream with four damaged bytes"
    yield "no_deflate", one(stored=b"\xff" * 200), "no deflate stream"
    yield "cut_stream", one(stored=stream[:-20]), "a stream that ends early"
    yield "empty_stream", one(stored=b""), "a stream without a byte"
    yield "distance_too_far", one(stored=bytes.fromhex("4b04620000"), nbytes=100), "a copy from before the beginning"
    yield "stream_of_header_only", one(data=npy(body=b"")), "a compressed .npy file without elements"
    yield "compressed_cut_header", one(data=npy()[:50]), "a compressed .npy file that ends in its header"

    def stored(content):
        return archive(Member(data=content))

    yield "member_empty", stored(b""), "a member without a byte"
    yield "member_no_npy", stored(b"hello, world"), "a member that is no .npy file"
    yield "member_cut", stored(npy(body=BODY[:-4])), "a .npy file with an element less"
    yield "member_too_long", stored(npy() + b"\0"), "a .npy file with a byte more"
    yield "member_of_objects", stored(npy(TEXT.replace("<f4", "|O"))), "pickled objects, as numpy.savez writes of lists"
    yield (
        "member_overflows",
        stored(npy(TEXT.replace("(2, 3)", "(4611686018427387904, 4)"))),
        "a shape of 2^64 elements",
    )
    yield "no_npy_member", archive(Member(name="a.txt")), "no member whose name ends in .npy"


def files():
    for part in (directory_files, member_files, content_files):
        for name, data, wrong in part():
            yield Malformed(name + ".npz", data, wrong)
