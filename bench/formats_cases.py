# SPDX-License-Identifier: Apache-2.0
"""The cases of bench/formats.sh: the source of each, who takes part with which command, and how a result is checked."""

import math
import pathlib
import struct
import sys
import zipfile

import numpy
from formats_field import check, slab

PEERS = pathlib.Path(__file__).with_name("formats_peers.py")
MIB = 1 << 20


def commas(numbers):
    return ",".join(map(str, numbers))


def slabs(shape):
    """Of about 64 MiB, in the order of the first axis."""
    rows = max(1, (64 << 20) // (4 * math.prod(shape[1:])))
    for first in range(0, shape[0], rows):
        yield first, slab(shape, first, min(first + rows, shape[0]))


class Case:
    """Sizes follow from the bytes of the source's elements; `tool` is the program tenstride."""

    samples = 50
    size_share = 1  # of the size that was asked for

    def __init__(self, size, memory, folder, tool):
        self.memory, self.folder, self.tool = memory, folder, tool
        self.size = int(size * self.size_share)
        edge = max(20, round((self.size / 8) ** (1 / 3) / 20) * 20)
        self.shape, self.edge = (2 * edge, edge, edge), edge
        self.source = folder / f"source{self.suffix}"

    @property
    def nbytes(self):
        return 4 * math.prod(self.shape)

    def result(self, contender):
        return self.folder / f"result-{contender}{self.result_suffix}"

    def convert(self, *more):
        return [self.tool, "convert", self.source, *more, "-o", self.result("tenstride"), "--max-mem",
                f"{self.memory * 4 // 5 // MIB}M", "--force", "--json"]

    def check(self, contender):
        return check(self.shape, self.order, *self.read(self.result(contender)), self.samples)


class Zarr(Case):
    """Axes (time, lat, lon) to (lat, lon, time), and other chunks; zstd on both sides."""

    suffix = result_suffix = ".zarr"
    order = (1, 2, 0)

    def write_source(self):
        import zarr

        array = zarr.create_array(str(self.source), shape=self.shape, chunks=self.source_chunks, dtype="<f4",
                                  compressors=zarr.codecs.ZstdCodec(level=3))
        rows = self.source_chunks[0] * max(1, (64 << 20) // (4 * self.source_chunks[0] * math.prod(self.shape[1:])))
        for first in range(0, self.shape[0], rows):
            array[first : first + rows] = slab(self.shape, first, min(first + rows, self.shape[0]))

    def read(self, path):
        import zarr

        array = zarr.open(str(path), mode="r")
        return array.shape, array.__getitem__

    def commands(self):
        def in_python(module):
            return [sys.executable, "-B", PEERS, module, self.memory, self.source, commas(self.order),
                    commas(self.chunks), self.result(module)]

        return {
            "tenstride": self.convert(f"x.permute({commas(self.order)})", "--chunks", commas(self.chunks), "--codec",
                                      "zstd:3"),
            "tensorstore": in_python("tensorstore"),
            "dask": in_python("dask"),
        }


class ZarrTiles(Zarr):
    name, title = "zarr-tiles", "Zarr, bricks to bricks of other axes"

    def __init__(self, *words):
        super().__init__(*words)
        self.source_chunks = (self.edge // 10, self.edge // 4, self.edge // 4)
        self.chunks = (self.edge // 10, self.edge // 10, self.edge // 2)


class ZarrSeries(Zarr):
    name, title = "zarr-series", "Zarr, maps to series"

    def __init__(self, *words):
        super().__init__(*words)
        self.source_chunks = (1, self.edge, self.edge)
        self.chunks = (self.edge // 20, self.edge // 20, 2 * self.edge)


class Hdf5(Case):
    """The same axes in other chunks; deflate and shuffle on both sides."""

    name, title = "hdf5-series", "netCDF-4, maps to series"
    suffix = result_suffix = ".nc"
    order = (0, 1, 2)

    def __init__(self, *words):
        super().__init__(*words)
        self.source_chunks = (1, self.edge, self.edge)
        self.chunks = (self.edge // 2, self.edge // 20, self.edge // 20)

    def write_source(self):
        import netCDF4

        with netCDF4.Dataset(self.source, "w", format="NETCDF4") as file:
            for axis, size in zip("tyx", self.shape):
                file.createDimension(axis, size)
            variable = file.createVariable("v", "f4", tuple("tyx"), chunksizes=self.source_chunks, zlib=True,
                                           complevel=1, shuffle=True, fill_value=False)
            for first, elements in slabs(self.shape):
                variable[first : first + len(elements)] = elements

    def read(self, path):
        import netCDF4

        variable = netCDF4.Dataset(path)["v"]
        variable.set_auto_mask(False)
        return variable.shape, variable.__getitem__

    def commands(self):
        cut = ",".join(f"{axis}/{extent}" for axis, extent in zip("tyx", self.chunks))
        by_x = "x".join(map(str, self.chunks))
        cache = f"{self.memory // 16 // MIB}M"
        # nccopy keeps a row of the result's chunks, however small its caches are.
        return {
            "tenstride": self.convert("x", "--chunks", commas(self.chunks), "--codec", "gzip:1+shuffle"),
            "h5repack": ["h5repack", "-l", f"v:CHUNK={by_x}", self.source, self.result("h5repack")],
            "nccopy": ["nccopy", "-m", cache, "-h", cache, "-c", cut, self.source, self.result("nccopy")],
        }


class Checkpoint(Case):
    """Every matrix of a checkpoint transposed."""

    name, title = "safetensors", "safetensors, every matrix transposed"
    suffix = result_suffix = ".safetensors"
    size_share = 0.5
    tensors = 32

    def __init__(self, *words):
        super().__init__(*words)
        rows = max(8, round((self.size / 2 / self.tensors) ** 0.5 / 8) * 8)
        self.matrix = (rows, rows + 8)

    @property
    def nbytes(self):
        return 2 * self.tensors * math.prod(self.matrix)

    def elements(self, number):
        """int16 that stand for bfloat16 ones: only moved."""
        i = numpy.arange(math.prod(self.matrix), dtype=numpy.uint32).reshape(self.matrix)
        return ((i + numpy.uint32(number)) * numpy.uint32(2654435761) >> numpy.uint32(16)).astype(numpy.uint16)

    def write_source(self):
        import json

        entries, at = {}, 0
        for number in range(self.tensors):
            end = at + 2 * math.prod(self.matrix)
            entries[f"blocks.{number}.weight"] = {"dtype": "BF16", "shape": self.matrix, "data_offsets": [at, end]}
            at = end
        header = json.dumps(entries).encode()
        header += b" " * (-len(header) % 8)
        with open(self.source, "wb") as file:
            file.write(struct.pack("<Q", len(header)) + header)
            for number in range(self.tensors):
                self.elements(number).tofile(file)

    def check(self, contender):
        import json

        if contender == "cp":
            return None
        with open(self.result(contender), "rb") as file:
            (length,) = struct.unpack("<Q", file.read(8))
            entries = json.loads(file.read(length))
        for number in range(self.tensors):
            entry = entries[f"blocks.{number}.weight"]
            offset = 8 + length + entry["data_offsets"][0]
            found = numpy.memmap(self.result(contender), "<u2", "r", offset, tuple(entry["shape"]))
            if number % 8 == 0 and not numpy.array_equal(found, self.elements(number).T):
                return f"blocks.{number}.weight is not the transpose"
        return None

    def commands(self):
        return {"tenstride": self.convert("x.t()"), "cp": ["cp", self.source, self.result("cp")]}


class Archive(Case):
    """A deflated member, beside the inflater alone: igzip, the program of ISA-L, with the same deflated bytes."""

    name, title = "npz", ".npz with a deflated member to .npy"
    suffix, result_suffix = ".npz", ".npy"
    order = (0, 1, 2)
    size_share = 0.25

    def write_source(self):
        header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {self.shape}, }}"
        header = header.ljust(117) + "\n"
        with zipfile.ZipFile(self.source, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
            with archive.open("x.npy", "w", force_zip64=True) as member:
                member.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", 118) + header.encode())
                for _, elements in slabs(self.shape):
                    member.write(elements.data)
        self.write_gzip()

    def write_gzip(self):
        """The same bytes as a .gz file, for igzip."""
        with zipfile.ZipFile(self.source) as archive, open(self.source, "rb") as file:
            entry = archive.getinfo("x.npy")
            file.seek(entry.header_offset + 26)
            name, extra = struct.unpack("<HH", file.read(4))
            file.seek(name + extra, 1)
            with open(self.folder / "source.gz", "wb") as out:
                out.write(b"\x1f\x8b\x08\0\0\0\0\0\0\xff")
                left = entry.compress_size
                while left:
                    left -= out.write(file.read(min(left, 1 << 24)))
                out.write(struct.pack("<II", entry.CRC, entry.file_size & 0xFFFFFFFF))

    def read(self, path):
        array = numpy.load(path, mmap_mode="r")
        return array.shape, array.__getitem__

    def commands(self):
        return {
            "tenstride": self.convert("x"),
            "igzip": ["sh", "-c", 'igzip -dc "$0" > "$1"', self.folder / "source.gz", self.result("igzip")],
            "unzip": ["sh", "-c", 'unzip -p "$0" > "$1"', self.source, self.result("unzip")],
            "numpy": [sys.executable, "-B", PEERS, "numpy", self.source, self.result("numpy")],
        }


CASES = (ZarrTiles, ZarrSeries, Hdf5, Checkpoint, Archive)
