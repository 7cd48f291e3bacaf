# SPDX-License-Identifier: Apache-2.0
"""Arrays of Zarr in a folder, each with elements that show what is wrong with them."""

from __future__ import annotations

import shutil

SHAPE, CHUNKS = (7, 10), (3, 4)


def elements(dtype, shape=SHAPE):
    """Different numbers, with those that are special to the type."""
    import numpy

    dtype = numpy.dtype(dtype)
    count = int(numpy.prod(shape, dtype=int))
    numbers = numpy.arange(count)
    if dtype.kind == "b":
        array = numbers % 3 == 0
    elif dtype.kind in "mM":
        array = (numbers * 7 - 20).astype("i8")
        array[3:4] = numpy.iinfo("i8").min
        return array.view(dtype.newbyteorder("=")).astype(dtype).reshape(shape)
    elif dtype.kind in "iu":
        info = numpy.iinfo(dtype)
        array = (numbers * 5 % 100).astype(dtype)
        array[:2] = [info.min, info.max][: array.size]
    else:
        array = (numbers / 4 - 3).astype(dtype)
        array[:4] = [numpy.nan, numpy.inf, -numpy.inf, -0.0][: array.size]
        if dtype.kind == "c":
            array = array + (1j * numbers[::-1]).astype(dtype)
    return array.astype(dtype).reshape(shape)


def version_of(name):
    return int(name[1])


class Maker:
    """Makes arrays and groups in a folder, and counts them."""

    def __init__(self, folder):
        self.folder = folder
        self.count = 0
        self.refused = []

    def make(self, name, write):
        """`write(path)` writes what is at the path; nothing stays where the library refuses it."""
        path = self.folder / f"{name}.zarr"
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            write(path)
            self.count += 1
        except Exception as error:  # whatever a library raises
            shutil.rmtree(path, ignore_errors=True)
            self.refused.append(f"{name}: {type(error).__name__}: {error}")

    def array(self, name, data, **options):
        """The version is that of the name's first folder."""
        import zarr

        def write(path):
            given = {"chunks": CHUNKS if data.shape == SHAPE else "auto", "zarr_format": version_of(name), **options}
            array = zarr.create_array(path, shape=data.shape, dtype=data.dtype, **given)
            if data.size:
                array[...] = data

        self.make(name, write)
