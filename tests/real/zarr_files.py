#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes what people have of Zarr, by the libraries that they have: zarr-python, numcodecs and xarray.

    tests/real/zarr_files.py --out FOLDER       # a thousand arrays, 2 MB; files.py reads them

Each array, or group, is a folder below `v2` or `v3`; what the libraries do not write is left out and told.
"""

from __future__ import annotations

import argparse
import itertools
import pathlib
import shutil
import sys
import warnings

from environment import run_in
from zarr_codec_files import codecs_of_2, codecs_of_3, shards
from zarr_maker import CHUNKS, SHAPE, Maker, elements

NUMBERS = [
    "bool",
    *(f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)),
    *(f"float{bits}" for bits in (16, 32, 64)),
    *(f"complex{bits}" for bits in (64, 128)),
]
UNITS = ("Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as")


def types(maker):
    """Each type in each order of bytes; dates of each unit; what is no number."""
    import numpy
    from zarr.codecs import BytesCodec

    for kind in NUMBERS:
        maker.array(f"v2/types/{kind}", elements(kind))
        maker.array(f"v3/types/{kind}", elements(kind))
        if numpy.dtype(kind).itemsize > 1:
            maker.array(f"v2/types/{kind}_big", elements(numpy.dtype(kind).newbyteorder(">")))
            maker.array(f"v3/types/{kind}_big", elements(kind), serializer=BytesCodec(endian="big"))
    for kind, unit in itertools.product(("M8", "m8"), [*UNITS, "10s", "25us", ""]):
        dtype = numpy.dtype(f"{kind}[{unit}]" if unit else kind)
        for version in (2, 3):
            maker.array(f"v{version}/times/{kind}_{unit}", elements(dtype))
    maker.array("v2/times/M8_big", elements(">M8[ns]"))
    maker.array("v3/times/M8_big", elements("M8[ns]"), serializer=BytesCodec(endian="big"))
    words = numpy.array(["", "a", "Zürich", "日本語", "abcdefgh"])
    fields = numpy.array([(1, 2.5), (3, -4.5)], dtype=[("x", "<i4"), ("y", "<f8")])
    strangers = {
        "U8": words.astype("U8"),
        "S3": numpy.array([b"", b"ab", b"abc"]),
        "V4": numpy.array([b"abcd", b"\0efg"], dtype="V4"),
        "text": words.astype(numpy.dtypes.StringDType()),
        "structured": fields,
        "nested": numpy.array([((1, 2), 3)], dtype=[("x", [("y", "<i2"), ("z", "<i2")]), ("w", "<f4")]),
    }
    for (kind, data), version in itertools.product(strangers.items(), (2, 3)):
        maker.array(f"v{version}/types/{kind}", data)
    for version in (2, 3):
        maker.make(f"v{version}/types/bytes", lambda path, version=version: of_bytes(path, version))


def of_bytes(path, version):
    import numpy
    import zarr

    array = zarr.create_array(path, shape=(3,), dtype=zarr.dtype.VariableLengthBytes(), zarr_format=version)
    array[...] = numpy.array([b"a", b"", b"bcd"], dtype=object)


def shapes(maker):
    """Ranks, empty axes, chunks that end before, at and behind the edge, and those that are missing."""
    cases = [
        ((), ()),
        ((1,), (1,)),
        ((5,), (100,)),
        ((100,), (7,)),
        ((0,), (1,)),
        ((0, 4), (1, 4)),
        ((3, 0, 2), (2, 1, 2)),
        ((4, 6), (4, 6)),
        ((4, 6), (2, 3)),
        ((5, 7, 3), (2, 3, 2)),
        ((2, 3, 4, 5), (2, 2, 3, 3)),
        ((2, 1, 3, 1, 2), (1, 1, 2, 1, 2)),
        ((2,) * 8, (1, 2) * 4),
        ((1000,), (1,)),
    ]
    for number, (shape, chunks) in enumerate(cases):
        for version in (2, 3):
            data = elements("int32", shape)
            maker.array(f"v{version}/shapes/{number}", data, chunks=chunks)
            sparse = data * (data % 11 == 0)
            maker.array(
                f"v{version}/shapes/{number}_sparse", sparse, chunks=chunks, config={"write_empty_chunks": False}
            )
    for version in (2, 3):
        nothing = elements("float32", (0, 0))
        maker.array(f"v{version}/shapes/nothing", nothing)

        def unwritten(path, version=version):
            import zarr

            zarr.create_array(path, shape=SHAPE, chunks=CHUNKS, dtype="f8", fill_value=2.5, zarr_format=version)

        maker.make(f"v{version}/shapes/unwritten", unwritten)

        def grown(path, version=version):
            import zarr

            array = zarr.create_array(path, shape=SHAPE, chunks=CHUNKS, dtype="i4", zarr_format=version)
            array[...] = elements("i4")
            array.resize((4, 13))
            array.append(elements("i4", (5, 13)))

        maker.make(f"v{version}/shapes/grown", grown)


def fills(maker):
    """Fill values of each type, seen in chunks that are missing."""
    import numpy

    nan = numpy.array(0x7FF8000000001234, "u8").view("f8")[()]
    values = {
        "bool": [True, False],
        "int8": [-128, 127],
        "uint8": [255],
        "int64": [-(2**63), 2**63 - 1, 2**53 + 1],
        "uint64": [2**64 - 1],
        "float16": [numpy.nan, numpy.inf, -1.5],
        "float32": [numpy.nan, -numpy.inf, 1e-45, 3.4e38, -0.0],
        "float64": [numpy.nan, nan, numpy.inf, -numpy.inf, 5e-324, 0.1, 1e300],
        "complex64": [complex(numpy.nan, 1), complex(1, -numpy.inf)],
        "complex128": [complex(0.1, -0.0), 0],
        "datetime64[ns]": [numpy.datetime64("NaT"), numpy.datetime64(5, "ns")],
        "timedelta64[s]": [numpy.timedelta64("NaT"), numpy.timedelta64(-5, "s")],
    }
    for version, (kind, all_of) in itertools.product((2, 3), values.items()):
        for number, value in enumerate([*all_of, None] if version == 2 else all_of):

            def partly(path, kind=kind, value=value, version=version):
                import zarr

                array = zarr.create_array(
                    path, shape=SHAPE, chunks=CHUNKS, dtype=kind, fill_value=value, zarr_format=version
                )
                array[3:6, 4:] = elements(kind)[3:6, 4:]

            maker.make(f"v{version}/fills/{kind.partition('[')[0]}_{number}", partly)


def keys(maker):
    """The order of elements, and the names of chunks."""
    from zarr.codecs import TransposeCodec

    for order, separator in itertools.product("CF", "./"):
        options = {"order": order, "chunk_key_encoding": {"name": "v2", "separator": separator}}
        name = "dot" if separator == "." else "slash"
        for kind in ("uint8", "float64"):
            maker.array(f"v2/keys/{order}_{name}_{kind}", elements(kind), **options)
        maker.array(f"v2/keys/{order}_{name}_rank_0", elements("int16", ()), **options)
        maker.array(f"v2/keys/{order}_{name}_rank_3", elements("int16", (4, 5, 6)), chunks=(3, 2, 4), **options)
    for style, separator in itertools.product(("default", "v2"), "./"):
        options = {"chunk_key_encoding": {"name": style, "separator": separator}}
        name = f"v3/keys/{style}_{'dot' if separator == '.' else 'slash'}"
        maker.array(name, elements("float32"), **options)
        maker.array(f"{name}_rank_0", elements("float32", ()), **options)
        maker.array(f"{name}_shards", elements("float32"), shards=(6, 8), **options)
    for axes in itertools.permutations(range(3)):
        data = elements("int16", (4, 5, 6))
        name = "".join(map(str, axes))
        maker.array(f"v3/keys/transpose_{name}", data, chunks=(3, 2, 4), filters=[TransposeCodec(order=axes)])
        twice = [TransposeCodec(order=axes), TransposeCodec(order=(1, 2, 0))]
        maker.array(f"v3/keys/transpose_twice_{name}", data, chunks=(3, 2, 4), filters=twice)
    maker.array("v3/keys/order_F", elements("int16"), order="F")


def groups(maker):
    """Groups within groups, with attributes, with consolidated metadata or without, in folders and in zip archives."""
    import zarr

    attributes = {
        "of": "a group",
        "list": [1, 2.5, None, True],
        "nested": {"a": {"b": [1, [2]]}},
        "ü": "日本",
        "big": 2**70,
    }

    def fill(store, version):
        root = zarr.create_group(store, zarr_format=version, attributes=attributes)
        deep = root.create_group("a/b/c", attributes={"depth": 3})
        root.create_group("empty")
        for number, group in enumerate((root, root["a"], deep)):
            for kind in ("int16", "float32"):
                array = group.create_array(
                    f"{kind} {number}", shape=SHAPE, chunks=CHUNKS, dtype=kind, attributes=attributes
                )
                array[...] = elements(kind)
        return root

    for version in (2, 3):

        def plain_group(path, version=version):
            fill(path, version)

        def consolidated(path, version=version):
            fill(path, version)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                zarr.consolidate_metadata(path)

        def pyramid(path, version=version):
            """As OME-Zarr has it: levels of a picture, and where they lie."""
            levels = [
                {"path": str(n), "coordinateTransformations": [{"type": "scale", "scale": [1, 2**n, 2**n]}]}
                for n in range(3)
            ]
            axes = [{"name": n, "type": "channel" if n == "c" else "space"} for n in "cyx"]
            scales = [{"version": "0.4", "axes": axes, "datasets": levels}]
            root = zarr.create_group(path, zarr_format=version, attributes={"multiscales": scales})
            for level in range(3):
                data = elements("uint16", (2, 16 >> level, 20 >> level))
                keys_of = {"name": "v2" if version == 2 else "default", "separator": "/"}
                array = root.create_array(
                    str(level), shape=data.shape, chunks=(1, 8, 8), dtype="u2", chunk_key_encoding=keys_of
                )
                array[...] = data

        maker.make(f"v{version}/groups/plain", plain_group)
        maker.make(f"v{version}/groups/consolidated", consolidated)
        maker.make(f"v{version}/groups/pyramid", pyramid)
        maker.array(f"v{version}/groups/attributes", elements("int16"), attributes=attributes)
        for kind, number in (("stored", 0), ("deflated", 8)):

            def archived(path, version=version, number=number, write=fill):
                with zarr.storage.ZipStore(f"{path}.zip", mode="w", compression=number) as store:
                    write(store, version)

            def archived_array(path, version=version, number=number):
                def write(store, version):
                    options = {"shards": (6, 8)} if version == 3 else {}
                    array = zarr.create_array(
                        store, shape=SHAPE, chunks=CHUNKS, dtype="f4", zarr_format=version, **options
                    )
                    array[...] = elements("f4")

                archived(path, version, number, write)

            maker.make(f"v{version}/zip/{kind}", archived)
            maker.make(f"v{version}/zip/{kind}_array", archived_array)


def datasets(maker):
    """What xarray writes: coordinates, dates, packed numbers, texts, missing values."""
    import numpy
    import xarray

    times = numpy.array(["2001-01-01", "2001-01-02T12", "NaT"], "datetime64[ns]")
    data = xarray.Dataset(
        {
            "t2m": (("time", "lat", "lon"), elements("float32", (3, 4, 5)), {"units": "K"}),
            "rain": (("time", "lat", "lon"), numpy.abs(numpy.sin(numpy.arange(60.0))).reshape(3, 4, 5)),
            "mask": (("lat", "lon"), elements("bool", (4, 5))),
            "span": ("time", numpy.array([1, 2, 3], "timedelta64[s]").astype("timedelta64[ns]")),
            "name": ("lat", numpy.array(["a", "bb", "", "dddd"])),
            "code": ("lat", numpy.array([b"a", b"bb", b"", b"dd"])),
            "wave": ("lon", elements("complex64", (5,))),
            "alone": ((), 3.5),
        },
        {"time": times, "lat": numpy.arange(4.0), "lon": numpy.arange(5)},
        {"title": "of all kinds"},
    )
    packed = {"rain": {"dtype": "int16", "scale_factor": 0.001, "add_offset": 0.5, "_FillValue": -9999}}
    encodings = {
        "usual": {},
        "packed": packed,
        "chunks": {"t2m": {"chunks": (1, 2, 5)}, "rain": {"chunks": (3, 1, 1)}},
        "filled": {"t2m": {"_FillValue": -1.0}, "time": {"units": "hours since 2000-01-01", "dtype": "int32"}},
        "unsigned": {"rain": {"dtype": "uint8", "scale_factor": 0.01, "_FillValue": 255}},
        "small": {"t2m": {"dtype": "float16"}, "rain": {"dtype": "float32"}},
    }
    for (name, encoding), version, is_consolidated in itertools.product(encodings.items(), (2, 3), (True, False)):

        def write(path, encoding=encoding, options={"zarr_format": version, "consolidated": is_consolidated}):  # noqa: B006
            data.to_zarr(path, encoding=encoding, **options)

        maker.make(f"v{version}/xarray/{name}{'_consolidated' if is_consolidated else ''}", write)
    for version in (2, 3):

        def appended(path, version=version):
            data.drop_vars(["name", "code"]).to_zarr(path, zarr_format=version, consolidated=False)
            data.drop_vars(["name", "code"]).to_zarr(path, append_dim="time", consolidated=False)

        def tree(path, version=version):
            nodes = {"/": data[["alone"]], "/fine": data[["t2m"]], "/fine/coarse": data[["rain"]]}
            xarray.DataTree.from_dict(nodes).to_zarr(path, zarr_format=version, consolidated=False)

        maker.make(f"v{version}/xarray/appended", appended)
        maker.make(f"v{version}/xarray/tree", tree)


def write(folder):
    """Writes all anew, and tells what the libraries do not write."""
    warnings.simplefilter("ignore")
    folder = pathlib.Path(folder)
    for version in ("v2", "v3"):
        shutil.rmtree(folder / version, ignore_errors=True)
    maker = Maker(folder)
    for part in (types, shapes, fills, keys, codecs_of_2, codecs_of_3, shards, groups, datasets):
        part(maker)
    for refused in maker.refused:
        print(f"not written: {refused[:160]}", file=sys.stderr)
    nbytes = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    print(f"{maker.count} arrays and groups of Zarr, {nbytes / 1e6:.1f} MB, {len(maker.refused)} not written")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", required=True, help="the folder, which may exist")
    parser.add_argument("--here", action="store_true", help="use this Python, which has the libraries")
    options = parser.parse_args()
    if not options.here:
        return run_in("files", "zarr, numcodecs and xarray", __file__, ["--here", *sys.argv[1:]])
    write(options.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
