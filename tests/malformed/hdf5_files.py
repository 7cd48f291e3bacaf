# SPDX-License-Identifier: Apache-2.0
"""Malformed HDF5 and netCDF-4 files: written by h5py, then broken where a structure of the format stands."""

import io
import struct

import h5py
import hdf5plugin
import numpy as np
from malformed_file import Malformed, patched

FORMAT = "HDF5"
VALUES = np.arange(7 * 11, dtype="<i2").reshape(7, 11)
OLD, NEW = ("earliest", "v108"), ("v110", "v110")
#: Where the fields of superblocks stand, of version 0 and of version 3.
VERSION, ROOT_OLD, END_OLD, ROOT_NEW = 8, 56, 40, 36


def hdf5(fill, versions=OLD):
    """The bytes of a file that `fill` writes."""
    with h5py.File("image", "w", driver="core", backing_store=False, libver=versions) as file:
        fill(file)
        file.flush()
        return file.id.get_file_image()


def of_dataset(versions=OLD, **options):
    return hdf5(lambda file: file.create_dataset("a", data=VALUES, track_times=False, **options), versions)


def chunk_begin(data):
    """Where the first chunk of the dataset stands."""
    with h5py.File(io.BytesIO(data), "r") as file:
        return file["a"].id.get_chunk_info(0).byte_offset


def broken(data, signature, offset, new, number=0):
    """The data with other bytes behind the signature that stands there for the `number`th time."""
    at = -1
    for _ in range(number + 1):
        at = data.index(signature, at + 1)
    return patched(data, at + offset, new)


def superblock_files():
    old, new = of_dataset(), of_dataset(NEW)
    yield "empty", b"", "no byte at all"
    yield "cut_in_signature", old[:6], "ends within the signature"
    yield "cut_behind_signature", old[:8], "ends behind the signature"
    yield "cut_in_superblock", old[:40], "ends within the superblock"
    yield "cut_behind_superblock", old[:96], "ends behind the superblock"
    yield "cut_in_elements", old[:-10], "ten bytes less than it says"
    yield "line_ends", old.replace(b"\r\n", b"\n", 1), "line ends of the signature changed by a transfer"
    yield "version_9", patched(old, VERSION, b"\x09"), "a superblock of version 9"
    yield "addresses_of_3", patched(old, 13, b"\x03"), "addresses of 3 bytes"
    yield "lengths_of_16", patched(old, 14, b"\x10"), "lengths of 16 bytes"
    yield "end_at_2_63", patched(old, END_OLD, struct.pack("<Q", 1 << 63)), "an end at 2^63"
    yield "root_outside", patched(old, ROOT_OLD + 8, struct.pack("<Q", 1 << 40)), "a root group at a terabyte"
    yield "root_undefined", patched(old, ROOT_OLD + 8, b"\xff" * 8), "no root group"
    yield "new_cut_in_superblock", new[:30], "a superblock of version 3 that ends early"
    yield "new_checksum", patched(new, 44, bytes(4)), "a wrong checksum of the superblock"
    yield (
        "new_root_outside",
        patched(new, ROOT_NEW, struct.pack("<Q", 1 << 40)),
        "a root group at a terabyte, and no checksum of it",
    )


def structure_files():
    old, new = of_dataset(), of_dataset(NEW)
    yield "tree_signature", broken(old, b"TREE", 0, b"tree"), "a wrong signature of the root group's index"
    yield "heap_signature", broken(old, b"HEAP", 0, b"heap"), "a wrong signature of the names"
    yield "heap_outside", broken(old, b"HEAP", 24, struct.pack("<Q", 1 << 50)), "names behind the file"
    yield "node_signature", broken(old, b"SNOD", 0, b"snod"), "a wrong signature of the members"
    yield "node_of_65535", broken(old, b"SNOD", 6, b"\xff\xff"), "65535 members of a node for 8"
    yield "member_outside", broken(old, b"SNOD", 16, struct.pack("<Q", 1 << 40)), "a dataset at a terabyte"
    yield "member_at_0", broken(old, b"SNOD", 16, bytes(8)), "a dataset where the superblock is"
    yield "new_header_signature", broken(new, b"OHDR", 0, b"ohdr"), "a wrong signature of the root group"
    yield "new_header_version", broken(new, b"OHDR", 4, b"\x09"), "a root group of version 9"
    yield "new_dataset_signature", broken(new, b"OHDR", 0, b"ohdr", 1), "a wrong signature of a dataset"
    yield "new_dataset_checksum", broken(new, struct.pack("<QQ", 7, 11), 0, b"\x06"), "a dataset with a wrong checksum"


def dataset_files():
    old = of_dataset()
    shape = struct.pack("<QQ", 7, 11)
    integer = b"\x10\x08\0\0\x02\0\0\0"
    place = struct.pack("<BB", 3, 1) + struct.pack("<Q", old.index(VALUES.tobytes()))
    yield "rank_33", broken(old, shape, -7, b"\x21"), "33 axes"
    yield "space_version", broken(old, shape, -8, b"\x09"), "a shape of version 9"
    yield "size_2_63", broken(old, shape, 0, struct.pack("<Q", 1 << 63)), "a size of 2^63"
    yield "size_2_62", broken(old, shape, 0, struct.pack("<Q", 1 << 62)), "2^62 rows of 11"
    yield "size_too_large", broken(old, shape, 0, struct.pack("<Q", 70)), "70 rows where the bytes of 7 are"
    yield "type_class_15", broken(old, integer, 0, b"\x1f"), "a kind of type that HDF5 does not have"
    yield "type_version", broken(old, integer, 0, b"\xf0"), "a type of version 15"
    yield "type_of_0_bytes", broken(old, integer, 4, bytes(4)), "elements of 0 bytes"
    yield "type_of_3_bytes", broken(old, integer, 4, b"\x03"), "integers of 3 bytes"
    yield "layout_version", broken(old, place, 0, b"\x09"), "a layout of version 9"
    yield "layout_class", broken(old, place, 1, b"\x09"), "a layout that HDF5 does not have"
    yield "elements_outside", broken(old, place, 2, struct.pack("<Q", 1 << 40)), "elements at a terabyte"
    yield "elements_around_end", broken(old, place, 2, struct.pack("<Q", len(old) - 20)), "elements around the end"
    compact = hdf5(compact_dataset)
    yield (
        "compact_too_short",
        broken(compact, struct.pack("<BBH", 3, 0, VALUES.nbytes), 2, b"\x10\0"),
        ("16 bytes of elements in the header for 154"),
    )


def compact_dataset(file):
    properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    properties.set_layout(h5py.h5d.COMPACT)
    properties.set_obj_track_times(False)
    space = h5py.h5s.create_simple(VALUES.shape)
    dataset = h5py.h5d.create(file.id, b"a", h5py.h5t.STD_I16LE, space, properties)
    dataset.write(h5py.h5s.ALL, h5py.h5s.ALL, VALUES)


def chunk_files():
    chunks = {"chunks": (7, 11)}
    plain, new = of_dataset(**chunks), of_dataset(NEW, **chunks, maxshape=(None, 11), compression="gzip")
    raw = VALUES.tobytes()
    key = struct.pack("<II", len(raw), 0)
    yield "chunk_tree_signature", broken(plain, b"TREE", 0, b"tree", 1), "a wrong signature of the chunks' index"
    yield (
        "chunk_outside",
        broken(plain, struct.pack("<Q", plain.index(raw)), 0, struct.pack("<Q", 1 << 40)),
        "a chunk at a terabyte",
    )
    yield "chunk_of_4_gib", broken(plain, key, 0, b"\xff\xff\xff\xff"), "a chunk of 4 GiB less a byte"
    yield "chunk_short", broken(plain, key, 0, b"\x10\0"), "a chunk of 16 bytes for 154"
    yield "chunk_of_0_bytes", broken(plain, key, 0, bytes(4)), "a chunk without a byte"
    gzip = of_dataset(**chunks, compression="gzip")
    stream = chunk_begin(gzip)
    yield "gzip_not", patched(gzip, stream, bytes(4)), "no zlib data in a chunk"
    yield "gzip_damaged", patched(gzip, stream + 30, b"\xff\xff\xff\xff"), "damaged zlib data in a chunk"
    fletcher = of_dataset(**chunks, fletcher32=True)
    yield "fletcher32", patched(fletcher, fletcher.index(raw) + 9, b"\x77"), "a byte that its checksum does not have"
    lzf = of_dataset(**chunks, compression="lzf", shuffle=True)
    begin = chunk_begin(lzf)
    yield "lzf_run", patched(lzf, begin, b"\xff\xff\xff"), "lzf data that copy from before their beginning"
    yield "lzf_literal", patched(lzf, begin, b"\x03"), "lzf data with a shorter run of literal bytes"
    yield (
        "filter_unknown",
        broken(gzip, b"\x01\0\x08\0\x01\0\x01\0deflate", 0, b"\x39\x30"),
        "a filter that is not known",
    )
    yield "new_array_signature", broken(new, b"EAHD", 0, b"eahd"), "a wrong signature of an extensible array"
    yield "new_array_checksum", broken(new, b"EAHD", 6, b"\x09"), "a wrong checksum of an extensible array"
    yield "new_array_block", broken(new, b"EAIB", 0, b"eaib"), "a wrong signature of the array's index block"
    fixed = of_dataset(NEW, chunks=(2, 11), compression="gzip")
    yield "new_fixed_array", broken(fixed, b"FADB", 0, b"fadb"), "a wrong signature of a fixed array's block"
    tree = of_dataset(NEW, **chunks, maxshape=(None, None), compression="gzip")
    yield "new_tree", broken(tree, b"BTHD", 0, b"bthd"), "a wrong signature of a B-tree of version 2"


def filter_files():
    """Chunks that the registered filters made: what their headers say is changed, then what stands behind."""

    def of_filter(filter):
        values = np.arange(70 * 110, dtype="<i2").reshape(70, 110) // 100
        data = hdf5(lambda file: file.create_dataset("a", data=values, chunks=(70, 110), track_times=False, **filter))
        return data, chunk_begin(data)

    big, zero = b"\xff" * 4, bytes(4)
    blosc, begin = of_filter(hdf5plugin.Blosc("lz4"))
    yield "blosc_of_4_gib", patched(blosc, begin + 4, big), "a buffer of blosc that says that it holds 4 GiB"
    yield "blosc_of_2_bytes", patched(blosc, begin + 4, b"\x02\0\0\0"), "a buffer of blosc that holds 2 bytes"
    yield "blosc_damaged", patched(blosc, begin + 20, big), "damaged data in a buffer of blosc"
    lz4, begin = of_filter(hdf5plugin.LZ4())
    yield "lz4_of_2_64", patched(lz4, begin, big + big), "lz4 data that say that they hold 2^64 bytes"
    yield "lz4_blocks_of_0", patched(lz4, begin + 8, zero), "lz4 data in blocks of no byte"
    yield "lz4_block_too_long", patched(lz4, begin + 12, big), "an lz4 block longer than its chunk"
    yield "lz4_damaged", patched(lz4, begin + 16, big), "a damaged lz4 block"
    bzip2, begin = of_filter(hdf5plugin.BZip2())
    yield "bzip2_not", patched(bzip2, begin, zero), "no bzip2 data in a chunk"
    yield "bzip2_damaged", patched(bzip2, begin + 40, big), "damaged bzip2 data in a chunk"
    zstd, begin = of_filter(hdf5plugin.Zstd())
    yield "zstd_not", patched(zstd, begin, zero), "no frame of zstd in a chunk"
    yield "zstd_too_long", patched(zstd, begin + 4, b"\xa0" + big + zero), "a frame of zstd that says 4 GiB"
    bits, begin = of_filter(hdf5plugin.Bitshuffle(cname="lz4"))
    yield "bits_of_2_64", patched(bits, begin, big + big), "bitshuffle data that say that they hold 2^64 bytes"
    yield "bits_blocks_of_3", patched(bits, begin + 8, b"\0\0\0\x06"), "bitshuffle data in blocks of 3 elements"
    yield "bits_block_too_long", patched(bits, begin + 12, big), "a block of bitshuffle longer than its chunk"
    yield "bits_damaged", patched(bits, begin + 16, big), "a damaged block of bitshuffle"
    parameters = struct.pack("<III", 2, 0, 2)  # size, block and compression
    yield "bits_of_0_bytes", broken(bits, parameters, 0, zero), "bits of elements of 0 bytes"
    yield "bits_compressed_by_9", broken(bits, parameters, 8, b"\x09\0\0\0"), "bits compressed in a way of number 9"


def compound_files():
    kind = np.dtype([("x", "<i2"), ("y", "<f4")])
    flat = hdf5(lambda file: file.create_dataset("a", data=np.ones((7, 11), kind), track_times=False))
    shape = struct.pack("<QQ", 7, 11)
    yield "compound_too_large", broken(flat, shape, 0, struct.pack("<Q", 70)), "70 rows where the bytes of 7 are"
    yield "compound_2_61", broken(flat, shape, 0, struct.pack("<Q", 1 << 58)), "2^58 rows of 11 elements of 6 bytes"
    member = b"x" + bytes(7)
    yield "compound_outside", broken(flat, member, 8, struct.pack("<I", 1 << 20)), "a field at the megabyte of 6 bytes"
    array = hdf5(lambda file: file.create_dataset("a", (3,), np.dtype(("<i2", (7, 11)))))
    extents = struct.pack("<II", 7, 11)
    yield "array_of_2_32", broken(array, extents, 0, b"\xff" * 8), "an array type of 2^64 elements in 154 bytes"


def content_files():
    def made(name, wrong, fill, versions=OLD):
        return name, hdf5(fill, versions), wrong

    yield made("no_dataset", "no dataset", lambda file: None)
    yield made("groups_alone", "groups without datasets", lambda file: file.create_group("a/b/c"))
    yield made(
        "group_in_itself", "a group within itself", lambda file: file.create_group("a").__setitem__("b", file["a"])
    )
    yield made("soft_link", "a link to nowhere", lambda file: file.__setitem__("a", h5py.SoftLink("/b")))
    yield made(
        "external_link", "a link to another file", lambda file: file.__setitem__("a", h5py.ExternalLink("b", "/"))
    )
    yield made("too_deep", "groups within groups, 200 deep", lambda file: file.create_group("/".join("g" * 200)))
    yield made("null_space", "a dataset without a shape", lambda file: file.create_dataset("a", data=h5py.Empty("f4")))
    yield made("strings", "strings", lambda file: file.create_dataset("a", data=["x", "y"]))
    yield made("references", "references", lambda file: file.create_dataset("a", (2,), h5py.ref_dtype))
    yield made("soft_link_to_itself", "a link to itself", lambda file: file.__setitem__("a", h5py.SoftLink("/a")))
    yield made("compound", "structures of texts", lambda file: file.create_dataset("a", (2,), np.dtype("S1,S2,S3")))
    bits = hdf5(lambda file: h5py.h5d.create(file.id, b"a", h5py.h5t.STD_B16LE, h5py.h5s.create_simple((2,))))
    yield "bit_field", broken(bits, struct.pack("<BxxxIHH", 0x14, 2, 0, 16), 10, b"\x05"), "bit fields of 5 bits"
    yield made("long_double", "floats of 16 bytes", lambda file: file.create_dataset("a", (2,), np.longdouble))
    yield made(
        "external_storage",
        "elements in other files",
        lambda file: file.create_dataset("a", (2,), "i4", external=[("elements.bin", 0, 8)]),
    )
    layout = h5py.VirtualLayout(shape=(2,), dtype="i4")
    layout[:] = h5py.VirtualSource("other.h5", "a", shape=(2,))
    yield made("virtual", "elements in other datasets", lambda file: file.create_virtual_dataset("a", layout), NEW)


def files():
    parts = (superblock_files, structure_files, dataset_files, compound_files, chunk_files, filter_files, content_files)
    for part in parts:
        for name, data, wrong in part():
            yield Malformed(name + ".h5", data, wrong)
