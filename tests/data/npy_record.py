#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes npy.txt: what NumPy writes, one file a line as `NAME HEX`. Run it again where NumPy's writing changes.

The elements are 0, 1, 2, … in row-major order; complex ones have k + (k+1)j, bools k % 2."""

import io
import pathlib
import warnings

import numpy

NUMBERS = ["b1", "u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f2", "f4", "f8", "c8", "c16"]


def values(shape, descr):
    count = numpy.arange(numpy.prod(shape, dtype=int)).reshape(shape)
    if descr.endswith("b1"):
        return (count % 2).astype(descr)
    return (count + (count + 1) * 1j).astype(descr) if "c" in descr else count.astype(descr)


def record(array, version=None):
    file = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        numpy.lib.format.write_array(file, array, version=version)
    return file.getvalue().hex()


def lines():
    yield f"numpy {numpy.__version__}"
    for code in NUMBERS:
        for order in "<" if code[1:] == "1" else "<>":
            name = f"{'swapped' if order == '>' else 'native'}-{code}"
            yield f"{name}-C {record(values((2, 3), order + code))}"
            yield f"{name}-F {record(numpy.asfortranarray(values((2, 3), order + code)))}"
    for shape in [(), (0,), (1,), (5,), (0, 3), (3, 0), (1, 4), (4, 1), (2, 1, 3), (2, 3, 1), (2,) * 6, (1,) * 20]:
        text = "x".join(map(str, shape)) or "scalar"
        yield f"shape-{text}-C {record(values(shape, '<i2'))}"
        yield f"shape-{text}-F {record(values(shape, '<i2').copy(order='F'))}"
    for version in (1, 2, 3):
        yield f"version-{version} {record(values((2, 3), '<f4'), (version, 0))}"
    strangers = {
        "object": numpy.array([None, 1], object),
        "text": numpy.array(["a", "bc"]),
        "bytes": numpy.array([b"a"]),
        "raw": numpy.zeros(2, "V2"),
        "date": numpy.zeros(2, "M8[s]"),
        "span": numpy.zeros(2, "m8[ms]"),
        "long": numpy.zeros(2, "f16"),
        "clong": numpy.zeros(2, "c32"),
        "fields": numpy.zeros(2, [("x", "<f4"), ("ü", "<i2", (2,))]),
    }
    for name, array in strangers.items():
        yield f"stranger-{name} {record(array)}"


if __name__ == "__main__":
    pathlib.Path(__file__).with_name("npy.txt").write_text("\n".join(lines()) + "\n", encoding="ascii")
