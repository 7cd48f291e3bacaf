# SPDX-License-Identifier: Apache-2.0
"""The seven orders of bench/large_files.sh, and the source file that they reorder.

Element i of every source, in the order of its bytes, is `i * 2654435761 mod 2^24` as float32, exactly: a result is
checked from the positions alone, and one file serves all shapes by an exchange of its header."""

import dataclasses
import math
import os
import struct

import numpy

HEADER_BYTES = 128
ITEM_BYTES = 4
FACTOR = 2654435761
BLOCK_ELEMENTS = 8 << 20


@dataclasses.dataclass(frozen=True)
class Case:
    name: str
    title: str
    shape: tuple
    order: tuple  # axis i of the result is axis order[i] of the sliced source
    slices: tuple = ()  # (start, step) of each axis; empty: the whole source

    @property
    def axes(self):
        return "abcdef"[: len(self.shape)]

    @property
    def all_slices(self):
        return tuple(slice(start, None, step) for start, step in self.slices) or (slice(None),) * len(self.shape)

    @property
    def result_shape(self):
        sizes = [len(range(size)[part]) for size, part in zip(self.shape, self.all_slices)]
        return tuple(sizes[axis] for axis in self.order)

    @property
    def elements(self):
        return math.prod(self.shape)

    @property
    def source_bytes(self):
        return self.elements * ITEM_BYTES

    @property
    def result_bytes(self):
        return math.prod(self.result_shape) * ITEM_BYTES

    @property
    def min_bytes(self):
        """The bytes that must be read and written: the source without the slabs of the first axis that the slice skips,
        and the result. Within a slab a disk cannot skip every third element."""
        slabs = len(range(self.shape[0])[self.all_slices[0]])
        return self.source_bytes // self.shape[0] * slabs + self.result_bytes

    @property
    def spec(self):
        """In the notation of `tenstride convert`."""
        if self.slices:
            parts = [f"{start or ''}:{'' if step == 1 else ':' + str(step)}" for start, step in self.slices]
            return f"x[{','.join(parts)}]"
        return f"x.permute({','.join(map(str, self.order))})"

    def view(self, array):
        return array[self.all_slices].transpose(self.order)

    def expected(self, position):
        """The element at `position` of the result."""
        index = [0] * len(self.shape)
        for place, axis in zip(position, self.order):
            part = self.all_slices[axis]
            index[axis] = (part.start or 0) + place * (part.step or 1)
        return element(numpy.ravel_multi_index(index, self.shape))


def element(i):
    return float(int(i) * FACTOR % (1 << 24))


def cases(size):
    """All seven for a source of about `size` bytes. Sizes that are no multiples of a page; those of one shape differ,
    so that an exchange of axes shows."""
    count = size // ITEM_BYTES
    cube = max(4, round(count ** (1 / 3)))
    square = max(4, round(count ** (1 / 2)))
    six = max(2, math.floor(count ** (1 / 6)))
    image = 224 if count > 1 << 22 else 28
    batch = max(2, count // (3 * image * image))
    three = (cube, cube + 1, cube - 1)
    return [
        Case("reversed-3d", "3-D reversed", three, (2, 1, 0)),
        Case("swap-first", "(1,0,2)", three, (1, 0, 2)),
        Case("swap-last", "(0,2,1)", three, (0, 2, 1)),
        Case("transpose-2d", "2-D transposed", (square, square + 2), (1, 0)),
        Case("nchw-nhwc", "NCHW to NHWC", (batch, 3, image, image), (0, 2, 3, 1)),
        Case("reversed-6d", "6-D reversed", (six + 1, six) * 3, (5, 4, 3, 2, 1, 0)),
        Case("slice", "slice with steps", three, (0, 1, 2), ((2, 2), (0, 1), (0, 3))),
    ]


def npy_header(shape):
    """Version 1.0, row-major float32, of 128 bytes for every shape here."""
    text = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {tuple(shape)!r}, }}"
    text = text.ljust(HEADER_BYTES - 11) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", HEADER_BYTES - 10) + text.encode()


def write_source(path, shape):
    """Makes `path` the source of this shape: the header is exchanged, and elements are appended or cut off at its end."""
    with open(path, "r+b" if os.path.exists(path) else "x+b") as file:
        file.write(npy_header(shape))
        count = math.prod(shape)
        file.seek(0, os.SEEK_END)
        first = max(0, (file.tell() - HEADER_BYTES) // ITEM_BYTES)
        file.seek(HEADER_BYTES + first * ITEM_BYTES)
        for start in range(first, count, BLOCK_ELEMENTS):
            i = numpy.arange(start, min(start + BLOCK_ELEMENTS, count), dtype=numpy.uint64)
            file.write(((i * FACTOR) & 0xFFFFFF).astype("<f4"))
        file.truncate(HEADER_BYTES + count * ITEM_BYTES)
        file.flush()
        os.fsync(file.fileno())


def write_twin(path, source, case):
    """The netCDF-4 file with the same elements in the variable x, contiguous as they are in the .npy file."""
    import netCDF4

    array = numpy.load(source, mmap_mode="r")
    with netCDF4.Dataset(path, "w", format="NETCDF4") as file:
        for axis, size in zip(case.axes, case.shape):
            file.createDimension(axis, size)
        variable = file.createVariable("x", "f4", tuple(case.axes), contiguous=True, fill_value=False)
        rows = max(1, (64 << 20) // (case.source_bytes // case.shape[0]))
        for start in range(0, case.shape[0], rows):
            variable[start : start + rows] = array[start : start + rows]


def check(case, shape, read, samples):
    """What is wrong with a result of this shape whose elements `read(position)` gives, or None: its shape, its corners
    and `samples` positions at random."""
    if tuple(shape) != case.result_shape:
        return f"the result has the shape {tuple(shape)} and must have {case.result_shape}"
    random = numpy.random.default_rng(1)
    last = [size - 1 for size in shape]
    positions = [[0] * len(shape), last] + [[int(random.integers(size)) for size in shape] for _ in range(samples)]
    for position in positions:
        found, wanted = float(read(tuple(position))), case.expected(position)
        if found != wanted:
            return f"the element at {tuple(position)} is {found} and must be {wanted}"
    return None
