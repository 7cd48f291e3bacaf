#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes hdf5.txt: what h5py and netCDF4 write, one file a line as `NAME WORDS`; a word is hex, or +N for N zeros.

The elements are 0, 1, 2, … in row-major order; complex ones have k + (k+1)j, bools k % 2."""

import pathlib
import re
import tempfile

import h5py
import hdf5plugin
import netCDF4
import numpy

NUMBERS = ["u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f2", "f4", "f8", "c8", "c16"]


def values(shape, descr):
    count = numpy.arange(numpy.prod(shape, dtype=int)).reshape(shape)
    if descr == "?":
        return (count % 2).astype(bool)
    return (count + (count + 1) * 1j).astype(descr) if "c" in descr else count.astype(descr)


def types(path):
    with h5py.File(path, "w") as file:
        file["bool"] = values((2, 3), "?")
        for order, group in (("<", "little"), (">", "big")):
            for descr in NUMBERS:
                file[f"{group}/{descr}"] = values((2, 3), order + descr)


def storage(path):
    data = values((5, 7), "i4")
    chunked = {"data": data, "chunks": (2, 4)}
    with h5py.File(path, "w") as file:
        file.create_dataset("plain", **chunked)
        file.create_dataset("deflate", **chunked, compression=6)
        file.create_dataset("shuffle", **chunked, shuffle=True, compression=6)
        file.create_dataset("fletcher", **chunked, shuffle=True, compression=6, fletcher32=True)
        file.create_dataset("lzf", **chunked, shuffle=True, compression="lzf")
        file.create_dataset("big", data=data.astype(">i4"), chunks=(2, 4), shuffle=True, compression=6)
        file.create_dataset("scaleoffset", **chunked, scaleoffset=8)
        some = file.create_dataset("missing", (5, 7), ">f4", chunks=(2, 4), fillvalue=1.5)
        some[2:4, 0:4] = values((2, 4), "f4")
        file.create_dataset("unallocated", (5, 7), "i2", fillvalue=-3)
        file.create_dataset("scalar", data=numpy.float64(2.5))
        file.create_dataset("empty", data=values((0, 3), "f4"))
        properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        properties.set_layout(h5py.h5d.COMPACT)
        space = h5py.h5s.create_simple((5, 7))
        h5py.h5d.create(file.id, b"compact", h5py.h5t.STD_I32BE, space, properties)
        file["compact"][...] = data


def obstacles(path):
    with h5py.File(path, "w") as file:
        file["compound"] = numpy.zeros(2, dtype=[("x", "f4"), ("y", "i4")])
        file["good"] = values((3,), "i4")
        file["null"] = h5py.Empty("f4")
        file["strings"] = numpy.array([b"a", b"bc"])
        file.create_dataset("external", (3,), "i4", external=[("/etc/hostname", 0, 12)])
        layout = h5py.VirtualLayout((3,), "i4")
        layout[:] = h5py.VirtualSource("other.h5", "x", (3,))
        file.create_virtual_dataset("virtual", layout)
        group = file.create_group("group")
        group["itself"] = group
        group["soft"] = h5py.SoftLink("/good")
        group["outside"] = h5py.ExternalLink("other.h5", "/x")


def attributes(path):
    with h5py.File(path, "w", track_order=True) as file:
        data = file.create_dataset("data", data=values((2, 3), "f4"), track_order=True)
        data.attrs["units"] = "K"
        data.attrs["numbers"] = numpy.array([1.5, numpy.nan, -numpy.inf])
        data.attrs["single"] = numpy.float32(0.1)
        data.attrs["large"] = numpy.uint64(2**64 - 1)
        data.attrs["flag"] = True
        data.attrs["texts"] = ["a", "b"]
        data.attrs["bytes"] = numpy.bytes_(b"a\xff")
        data.attrs["long"] = numpy.zeros(65)
        data.attrs["null"] = h5py.Empty("f4")
        data.attrs["reference"] = data.ref
        data.dims[0].label = "row"


def netcdf(path):
    file = netCDF4.Dataset(path, "w")
    file.createDimension("time", None)
    file.createDimension("lat", 2)
    file.createDimension("lon", 3)
    lat = file.createVariable("lat", "f8", ("lat",))
    lat[:] = values((2,), "f8")
    lon = file.createVariable("lon", "f4", ("lat", "lon"))
    lon[:] = values((2, 3), "f4")
    t2m = file.createVariable("t2m", "i2", ("time", "lat", "lon"), zlib=True, fill_value=-99)
    t2m.set_auto_maskandscale(False)
    t2m.scale_factor = 0.5
    t2m.add_offset = 10.0
    t2m[:] = values((2, 2, 3), "i2")
    group = file.createGroup("group")
    group.createVariable("inner", "i4", ("lon",))[:] = values((3,), "i4")
    file.close()


def filters(path):
    data = values((30, 40), "i4")
    options = {
        "blosc": hdf5plugin.Blosc("zstd"),
        "bzip2": hdf5plugin.BZip2(),
        "lz4": hdf5plugin.LZ4(nbytes=256),
        "zstd": hdf5plugin.Zstd(),
        "bits": hdf5plugin.Bitshuffle(cname="none"),
        "bits_lz4": hdf5plugin.Bitshuffle(nelems=64, cname="lz4"),
        "bits_zstd": hdf5plugin.Bitshuffle(cname="zstd"),
    }
    with h5py.File(path, "w") as file:
        for name, option in options.items():
            file.create_dataset(name, data=data, chunks=(17, 13), **option)


def compounds(path):
    pair = numpy.dtype([("a", "<i2", (2, 3)), ("b", ">f8")])
    data = numpy.zeros((2, 3), [("x", "<f4"), ("in", pair), ("text", "S3"), ("n", "<i4")])
    data["x"], data["n"] = values((2, 3), "f4"), values((2, 3), "i4")
    data["in"]["a"], data["in"]["b"] = values((2, 3, 2, 3), "i2"), values((2, 3), "f8")
    with h5py.File(path, "w") as file:
        file["flat"] = data
        file.create_dataset("chunks", data=data, chunks=(2, 2), **hdf5plugin.LZ4())
        file["enumeration"] = values((2, 3), "i2").astype(h5py.enum_dtype({"RED": 0, "GREEN": 5}, "int16"))
        file.create_dataset("array", (4,), numpy.dtype(("<f4", (2, 3))))[...] = values((4, 2, 3), "f4")


def links(path):
    with h5py.File(path, "w", libver=("v110", "v110")) as file:
        file["a/data"] = values((2, 3), "i4")
        file["a/up"] = h5py.SoftLink("/")
        file["soft"] = h5py.SoftLink("/a/data")
        file["group"] = h5py.SoftLink("a")
        file["self"] = h5py.ExternalLink("x.h5", "/a")
        layout = h5py.VirtualLayout((2, 3), "i4")
        layout[...] = h5py.VirtualSource(file["a/data"])
        file.create_virtual_dataset("virtual", layout)


def words(data):
    parts = re.split(rb"(\x00{8,})", data)
    return " ".join(f"+{len(part)}" if i % 2 else part.hex() for i, part in enumerate(parts) if part)


def user_block(path):
    with h5py.File(path, "w", userblock_size=512) as file:
        file["flat"] = values((5, 7), "i4")
        file.create_dataset("chunked", data=values((5, 7), "i4"), chunks=(2, 4), compression=6)


def main():
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        for make in (types, storage, obstacles, attributes, netcdf, user_block, filters, compounds, links):
            path = pathlib.Path(folder) / make.__name__
            make(path)
            lines.append(f"{make.__name__} {words(path.read_bytes())}\n")
    pathlib.Path(__file__).with_name("hdf5.txt").write_text("".join(lines), encoding="ascii")


if __name__ == "__main__":
    main()
