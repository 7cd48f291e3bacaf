# SPDX-License-Identifier: Apache-2.0
"""Small chunks, encoded by the libraries that have the codecs: folders of Zarr, and stored chunks of HDF5."""

import itertools
import struct
import warnings

from seed_parts import join_files, numpy, values

#: The type of an array, its filters, and what encodes bytes, as numcodecs configures them.
DELTA = {"id": "delta", "dtype": "<i4", "astype": "<i2"}
SCALE = {"id": "fixedscaleoffset", "offset": 1, "scale": 10, "dtype": "<f4", "astype": "<i2"}
NUMCODECS = (
    ("<i4", [DELTA], [{"id": "lz4", "acceleration": 1}]),
    ("<f8", [], [{"id": "lz4", "acceleration": 1}]),
    ("<f4", [SCALE], [{"id": "bz2", "level": 1}]),
    ("<f4", [SCALE | {"astype": "<i4"}, DELTA], [{"id": "zlib", "level": 1}]),
    ("?", [{"id": "packbits"}], [{"id": "lzma", "format": 1, "check": -1, "preset": None, "filters": None}]),
    ("u1", [], [{"id": "lzma", "format": 1, "check": 4, "preset": 1, "filters": None}]),
    ("<i4", [], [{"id": "lzma", "format": 2, "check": -1, "preset": None, "filters": None}]),
    ("<f4", [{"id": "quantize", "digits": 1, "dtype": "<f4"}], [{"id": "gzip", "level": 1}]),
    ("<f4", [{"id": "bitround", "keepbits": 3}], [{"id": "zstd", "level": 1, "checksum": True}]),
    ("<f4", [{"id": "astype", "encode_dtype": "<f2", "decode_dtype": "<f4"}], []),
    ("<f4", [], [{"id": "shuffle", "elementsize": 4}, {"id": "zlib", "level": 1}]),
    ("<i2", [], [{"id": "blosc", "cname": "lz4", "clevel": 5, "shuffle": 1, "blocksize": 0}]),
    *(("<i2", [], [{"id": name}]) for name in ("crc32", "crc32c", "adler32", "fletcher32")),
    *(("<i2", [], [{"id": name, "location": "end"}]) for name in ("crc32", "adler32")),
    ("<i2", [], [{"id": "crc32c", "location": "start"}, {"id": "zlib", "level": 1}]),
    ("<i2", [], [{"id": "fletcher32"}, {"id": "bz2", "level": 9}]),
)
#: As fuzz_hdf5_filters.cpp numbers them.
HDF5_FILTERS = (1, 2, 3, 32000, 32004, 307, 32015, 32001, 32008)


def named_codec(codec):
    """A codec as version 3 of Zarr has it."""
    fields = dict(codec)
    return {"name": "numcodecs." + fields.pop("id"), "configuration": fields}


def zarr_arrays(folder):
    zarr = __import__("zarr")
    numcodecs = __import__("numcodecs")
    codecs = zarr.codecs
    number = itertools.count()

    def create(array, **options):
        path = folder / f"{next(number)}"
        new = zarr.create_array(path, shape=array.shape, dtype=array.dtype, **options)
        new[...] = array
        return path

    array = values((5, 6), "<f4") + numpy.float32(1)
    three = [None, codecs.GzipCodec(level=1), codecs.ZstdCodec(level=1, checksum=True), codecs.Crc32cCodec()]
    three += [codecs.BloscCodec(cname=name, shuffle="bitshuffle") for name in ("lz4", "blosclz", "zstd", "zlib")]
    for codec in three:
        yield create(array, chunks=(2, 3), compressors=codec, attributes={"k": [1, "a"]}, dimension_names=("y", "x"))
        yield create(array, chunks=(2, 3), shards=(4, 6), compressors=codec)
    yield create(array, chunks=(2, 3), compressors=None, filters=codecs.TransposeCodec(order=(1, 0)))
    two = [None, numcodecs.GZip(1), numcodecs.Zlib(1), numcodecs.Zstd(1), numcodecs.Blosc(cname="lz4", shuffle=1)]
    for codec, order in itertools.product(two, "CF"):
        yield create(array, chunks=(2, 3), compressors=codec, order=order, zarr_format=2, attributes={"k": 1})
    shuffle = numcodecs.Shuffle(elementsize=4)
    yield create(array, chunks=(2, 3), filters=[shuffle], compressors=numcodecs.Zlib(1), zarr_format=2)
    for version, (kind, filters, chain) in itertools.product((2, 3), NUMCODECS):
        if version == 2:
            *sums, compressor = chain or [None]
            filters = [numcodecs.get_codec(dict(codec)) for codec in (*filters, *sums)]
            options = {"filters": filters or None, "compressors": compressor and numcodecs.get_codec(dict(compressor))}
        else:
            options = {"filters": [named_codec(codec) for codec in filters]}
            options["compressors"] = [named_codec(codec) for codec in chain]
        yield create(values((5, 6), kind), chunks=(2, 3), zarr_format=version, **options)
    inner = codecs.ShardingCodec(chunk_shape=(1, 3), codecs=[codecs.BytesCodec(), codecs.ZstdCodec(level=1)])
    nested = codecs.ShardingCodec(chunk_shape=(2, 3), codecs=[inner])
    yield create(values((5, 6), "<i4"), chunks=(4, 6), serializer=nested, compressors=None)
    # Three levels, each with its own place of the index.
    inner = codecs.ShardingCodec(chunk_shape=(1, 1), codecs=[codecs.BytesCodec()], index_location="start")
    between = codecs.ShardingCodec(chunk_shape=(3, 1), codecs=[inner], index_codecs=[codecs.BytesCodec(endian="big")])
    outer = codecs.ShardingCodec(chunk_shape=(2, 3), codecs=[codecs.TransposeCodec(order=(1, 0)), between])
    yield create(values((2, 6), "<i2"), chunks=(2, 6), serializer=outer, compressors=None)
    for version in (2, 3):
        yield create(numpy.array(["a", "bc"], "<U2"), chunks=(1,), compressors=None, zarr_format=version)
    for descr, version in itertools.product(("<M8[ns]", "<m8[25s]", "<M8"), (2, 3)):
        yield create(values((3,), "<i8").view(descr), chunks=(2,), compressors=None, zarr_format=version)
    for descr, version in itertools.product(("?", "i1", "<u2", "<i8", "<f2", "<f8", "<c8", "<c16"), (2, 3)):
        fill = True if descr == "?" else 7
        yield create(values((3,), descr), chunks=(2,), compressors=None, zarr_format=version, fill_value=fill)
    yield create(values((), "<f8"), compressors=None, fill_value=float("nan"))
    for version in (2, 3):
        path = folder / f"{next(number)}"
        group = zarr.open_group(path, mode="w", zarr_format=version)
        for name in ("a", "b/c"):
            group.create_array(name, shape=(3,), chunks=(2,), dtype="<i2", compressors=None)[...] = 3
        yield path


def zarr_folder(folder):
    paths = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return join_files({path.relative_to(folder).as_posix(): path.read_bytes() for path in paths})


def zarr(folder):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # codecs and types that the specification does not have
        return [zarr_folder(path) for path in zarr_arrays(folder)]


def zarr_metadata(folders):
    """The metadata at the top of each folder."""
    names = (b"=== zarr.json\n", b"=== .zarray\n", b"=== .zattrs\n")
    for folder in folders:
        parts = [part for part in (b"\n" + folder).split(b"\n=== ") if part]
        yield b"\n".join(b"=== " + part for part in parts if (b"=== " + part).startswith(names))


def hdf5_input(nbytes, mask, filters, stored):
    """As fuzz_hdf5_filters.cpp reads it. `filters` are numbers and parameters."""
    head = struct.pack("<HBB", nbytes, mask, len(filters))
    for number, parameters in filters:
        head += struct.pack(f"<BB{len(parameters)}I", HDF5_FILTERS.index(number), len(parameters), *parameters)
    return head + stored


def hdf5_options():
    """What makes a dataset of one chain of filters each."""
    plugin = __import__("hdf5plugin")
    compressors = [{"compression": "gzip"}, {"compression": "gzip", "compression_opts": 9}, {"compression": "lzf"}]
    compressors += [plugin.LZ4(), plugin.LZ4(nbytes=64), plugin.BZip2(), plugin.Zstd(), plugin.Zstd(clevel=19)]
    compressors += [
        plugin.Blosc(cname=name, shuffle=shuffle)
        for name in ("blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd")
        for shuffle in (plugin.Blosc.NOSHUFFLE, plugin.Blosc.SHUFFLE, plugin.Blosc.BITSHUFFLE)
    ]
    compressors += [plugin.Bitshuffle(nelems, name) for nelems in (0, 8, 64) for name in ("none", "lz4", "zstd")]
    for compressor, shuffle, fletcher32 in itertools.product(({}, *compressors), (False, True), (False, True)):
        if compressor or shuffle or fletcher32:
            yield {"shuffle": shuffle, "fletcher32": fletcher32, **compressor}


def hdf5_filters():
    h5py = __import__("h5py")
    long = numpy.concatenate([values((100,), "<i4"), numpy.zeros(700, "<i4")])
    arrays = [values((40,), descr) for descr in ("u1", "<i2", "<f4", ">f8", "<c16")]
    arrays += [values((7,), "<i2"), numpy.random.default_rng(1).integers(0, 256, 75, "u1"), long]
    for array, options in itertools.product(arrays, hdf5_options()):
        with h5py.File("seeds", "w", driver="core", backing_store=False) as file:
            try:
                data = file.create_dataset("x", data=array, chunks=array.shape, **options)
            except ValueError:  # a codec that the library of blosc lacks
                continue
            plist = data.id.get_create_plist()
            filters = [plist.get_filter(i) for i in range(plist.get_nfilters())]
            filters = [(number, parameters) for number, _, parameters, _ in filters]
            mask, stored = data.id.read_direct_chunk((0,) * array.ndim)
            yield hdf5_input(array.nbytes, mask, filters, stored)
