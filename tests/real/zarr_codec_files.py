# SPDX-License-Identifier: Apache-2.0
"""Arrays of Zarr with each codec that zarr-python and numcodecs have, and shards."""

from __future__ import annotations

import itertools

from zarr_maker import SHAPE, elements


def compressors():
    """{name: (numcodecs' name, configuration)} of what makes bytes of bytes, with defaults and others."""
    found = {
        "zlib": ("zlib", {}),
        "zlib_9": ("zlib", {"level": 9}),
        "gzip": ("gzip", {}),
        "gzip_0": ("gzip", {"level": 0}),
        "bz2": ("bz2", {}),
        "lz4": ("lz4", {}),
        "lz4_9": ("lz4", {"acceleration": 9}),
        "zstd": ("zstd", {}),
        "zstd_19": ("zstd", {"level": 19}),
        "zstd_checksum": ("zstd", {"level": 3, "checksum": True}),
        "zstd_fast": ("zstd", {"level": -5}),
        "lzma": ("lzma", {}),
        "lzma_alone": ("lzma", {"format": 2}),
        "lzma_raw": ("lzma", {"format": 3, "filters": [{"id": 0x21, "preset": 6}]}),
        "lzma_delta": ("lzma", {"filters": [{"id": 3, "dist": 4}, {"id": 0x21, "preset": 1}]}),
        "lzma_crc32": ("lzma", {"check": 1, "preset": 9}),
        "blosc": ("blosc", {}),
    }
    for cname, shuffle in itertools.product(("blosclz", "lz4", "lz4hc", "zlib", "zstd"), (-1, 0, 1, 2)):
        found[f"blosc_{cname}_{'auto' if shuffle < 0 else shuffle}"] = (
            "blosc",
            {"cname": cname, "shuffle": shuffle, "clevel": 5},
        )
    found["blosc_block"] = ("blosc", {"cname": "lz4", "blocksize": 256})
    found["blosc_0"] = ("blosc", {"cname": "lz4", "clevel": 0})
    for checksum in ("crc32", "crc32c", "adler32", "fletcher32", "jenkins_lookup3"):
        found[checksum] = (checksum, {})
    for checksum in ("crc32", "crc32c", "adler32"):
        found[f"{checksum}_other"] = (checksum, {"location": "start" if checksum == "crc32c" else "end"})
    return found


#: Of version 2 alone: zarr-python 3.1 does not read what it writes of them in version 3.
FILTERS_OF_2 = ("delta_big", "astype_big", "quantize_f2_float32", "quantize_f2_float64")


def filters():
    """{name: (type of elements, numcodecs' name, configuration)} of what makes other elements."""
    found = {}
    for kind in ("int8", "uint16", "int32", "uint64", "float32", "float64"):
        short = {"int8": "|i1", "uint16": "<u2", "int32": "<i4", "uint64": "<u8", "float32": "<f4", "float64": "<f8"}[
            kind
        ]
        found[f"delta_{kind}"] = (kind, "delta", {"dtype": short})
        found[f"shuffle_{kind}"] = (kind, "shuffle", {"elementsize": int(short[2])})
    found["delta_astype"] = ("int32", "delta", {"dtype": "<i4", "astype": "<i8"})
    found["delta_big"] = ("int32", "delta", {"dtype": ">i4"})
    for kind, short in (("float32", "<f4"), ("float64", "<f8")):
        scaled = {"dtype": short, "offset": -3, "scale": 4}
        found[f"scale_{kind}"] = (kind, "fixedscaleoffset", {**scaled, "astype": "<i2"})
        found[f"scale_u1_{kind}"] = (kind, "fixedscaleoffset", {**scaled, "astype": "|u1"})
        found[f"scale_same_{kind}"] = (kind, "fixedscaleoffset", {"dtype": short, "offset": 1, "scale": 10})
        found[f"quantize_{kind}"] = (kind, "quantize", {"digits": 2, "dtype": short})
        found[f"quantize_f2_{kind}"] = (kind, "quantize", {"digits": 1, "dtype": short, "astype": "<f2"})
        found[f"bitround_{kind}"] = (kind, "bitround", {"keepbits": 5})
    scaled = {"dtype": "<i4", "offset": 10}
    found["scale_int"] = ("int32", "fixedscaleoffset", {**scaled, "scale": 1, "astype": "|u1"})
    found["scale_fraction"] = ("int32", "fixedscaleoffset", {**scaled, "scale": 0.5, "astype": "<i2"})
    found["astype"] = ("float64", "astype", {"encode_dtype": "<f4", "decode_dtype": "<f8"})
    found["astype_int"] = ("int64", "astype", {"encode_dtype": "<i2", "decode_dtype": "<i8"})
    found["astype_big"] = ("int32", "astype", {"encode_dtype": ">i2", "decode_dtype": "<i4"})
    found["astype_complex"] = ("complex128", "astype", {"encode_dtype": "<c8", "decode_dtype": "<c16"})
    found["astype_bool"] = ("bool", "astype", {"encode_dtype": "|u1", "decode_dtype": "|b1"})
    found["packbits"] = ("bool", "packbits", {})
    return found


def plain(kind):
    """Numbers of which filters lose nothing but digits."""
    import numpy

    numbers = numpy.arange(70).reshape(SHAPE)
    return numbers % 3 == 0 if kind == "bool" else (numbers + numpy.sin(numbers) * (kind[0] in "fc")).astype(kind)


def codecs_of_2(maker):
    import numcodecs
    from numcodecs.pcodec import PCodec

    def codec(name, configuration):
        return numcodecs.get_codec({"id": name, **configuration})

    for name, (kind, configuration) in compressors().items():
        for dtype in ("int16", "float64", ">f4", "bool"):
            one = codec(kind, configuration)
            maker.array(f"v2/compressors/{name}_{dtype.strip('>')}", elements(dtype), compressors=one)
    for name, (dtype, kind, configuration) in filters().items():
        one = codec(kind, configuration)
        maker.array(f"v2/filters/{name}", plain(dtype), filters=[one], compressors=None)
        maker.array(f"v2/filters/{name}_zstd", plain(dtype), filters=[one], compressors=codec("zstd", {"level": 1}))
    several = [("delta", {"dtype": "<i4"}), ("shuffle", {"elementsize": 4}), ("crc32", {}), ("fletcher32", {})]
    for count in range(2, 5):
        chosen = [codec(*one) for one in several[:count]]
        maker.array(f"v2/filters/{count}", plain("int32"), filters=chosen, compressors=codec("blosc", {}))
        maker.array(f"v2/filters/{count}_F", plain("int32"), filters=chosen, compressors=None, order="F")
    maker.array("v2/filters/delta_of_times", plain("M8[s]"), filters=[codec("delta", {"dtype": "<i8"})])
    maker.array("v2/compressors/none", elements("int16"), compressors=None)
    maker.array("v2/compressors/pcodec", elements("float32"), compressors=PCodec())
    maker.array("v2/compressors/zlib_as_filter", elements("int16"), filters=[codec("zlib", {})], compressors=None)


def codecs_of_3(maker):
    """Codecs of the format, numcodecs' by their names, and shards of each."""
    import zarr.codecs as of
    from numcodecs import zarr3 as more

    maker.array("v3/codecs/none", elements("int16"), compressors=None)
    bytes_to_bytes = {
        "gzip": of.GzipCodec(),
        "gzip_9": of.GzipCodec(level=9),
        "zstd": of.ZstdCodec(),
        "zstd_checksum": of.ZstdCodec(level=7, checksum=True),
        "crc32c": of.Crc32cCodec(),
    }
    for cname, shuffle in itertools.product(of.BloscCname, of.BloscShuffle):
        if cname == of.BloscCname.snappy:  # not in numcodecs' Blosc
            continue
        bytes_to_bytes[f"blosc_{cname.value}_{shuffle.value}"] = of.BloscCodec(cname=cname, shuffle=shuffle)
    for name, (kind, configuration) in compressors().items():
        wrapper = {"gzip": "GZip", "bz2": "BZ2", "jenkins_lookup3": "JenkinsLookup3"}.get(kind)
        wrapper = wrapper or (kind.upper() if kind in ("crc32", "crc32c", "lz4", "lzma") else kind.capitalize())
        bytes_to_bytes[f"numcodecs_{name}"] = getattr(more, wrapper)(**configuration)
    for name, codec in bytes_to_bytes.items():
        for kind in ("uint8", "float32", "complex128"):
            maker.array(f"v3/codecs/{name}_{kind}", elements(kind), compressors=codec)
    several = [of.ZstdCodec(), of.GzipCodec(), of.Crc32cCodec()]
    maker.array("v3/codecs/three", elements("int32"), compressors=several)
    wrappers = {
        "delta": "Delta",
        "fixedscaleoffset": "FixedScaleOffset",
        "quantize": "Quantize",
        "bitround": "BitRound",
    }
    wrappers |= {"astype": "AsType", "packbits": "PackBits"}
    for name, (dtype, kind, configuration) in filters().items():
        if name in FILTERS_OF_2:
            continue
        if kind == "shuffle":
            maker.array(f"v3/filters/{name}", plain(dtype), compressors=more.Shuffle(**configuration))
        else:
            codec = getattr(more, wrappers[kind])(**configuration)
            maker.array(f"v3/filters/{name}", plain(dtype), filters=[codec])
            maker.array(f"v3/filters/{name}_shards", plain(dtype), filters=[codec], shards=(6, 8))
    maker.array("v3/codecs/pcodec", elements("float32"), serializer=more.PCodec())


def shards(maker):
    """Shards of one and of several levels, with each place and each form of the index."""
    import zarr.codecs as of

    def sharding(chunk, codecs=None, **options):
        return of.ShardingCodec(chunk_shape=chunk, codecs=codecs or [of.BytesCodec(), of.ZstdCodec()], **options)

    indexes = {
        "usual": {},
        "start": {"index_location": "start"},
        "no_checksum": {"index_codecs": [of.BytesCodec()]},
        "big": {"index_codecs": [of.BytesCodec(endian="big"), of.Crc32cCodec()], "index_location": "start"},
    }
    inner = {
        "plain": [of.BytesCodec()],
        "zstd": [of.BytesCodec(), of.ZstdCodec()],
        "big_gzip": [of.BytesCodec(endian="big"), of.GzipCodec()],
        "blosc": [of.BytesCodec(), of.BloscCodec()],
        "transpose": [of.TransposeCodec(order=(1, 0)), of.BytesCodec(), of.ZstdCodec()],
        "crc32c": [of.BytesCodec(), of.Crc32cCodec()],
        "zstd_crc32c": [of.BytesCodec(), of.ZstdCodec(), of.Crc32cCodec()],
    }
    sparse = elements("int32") * (elements("int32") % 3 == 0)
    for (index, options), (name, codecs) in itertools.product(indexes.items(), inner.items()):
        for kind in ("int32", "float64"):
            codec = sharding((3, 4), codecs, **options)
            path = f"v3/shards/{index}_{name}_{kind}"
            maker.array(path, elements(kind), chunks=(6, 8), serializer=codec, compressors=None)
        codec = sharding((1, 2), codecs, **options)
        maker.array(f"v3/shards/{index}_{name}_sparse", sparse, chunks=(3, 4), serializer=codec, compressors=None)
        nested = sharding((3, 4), [sharding((1, 2), codecs, **options)], **options)
        name = f"v3/shards/{index}_{name}_nested"
        maker.array(name, elements("int16"), chunks=(6, 8), serializer=nested, compressors=None)
    thrice = sharding((6, 8), [sharding((3, 4), [sharding((3, 1))])])
    maker.array("v3/shards/thrice", elements("int16"), chunks=(6, 16), serializer=thrice, compressors=None)
    transposed = {"chunks": (6, 6), "filters": [of.TransposeCodec(order=(1, 0))], "compressors": None}
    maker.array("v3/shards/transposed", elements("int16"), serializer=sharding((3, 2)), **transposed)
    outside = {"chunks": (6, 8), "serializer": sharding((3, 4))}
    maker.array("v3/shards/compressed", elements("int16"), compressors=of.GzipCodec(), **outside)
    for rank, shape in enumerate([(12,), (7, 10), (5, 6, 7), (3, 4, 5, 6)], 1):
        maker.array(f"v3/shards/rank_{rank}", elements("int64", shape), chunks=(2,) * rank, shards=(4,) * rank)
    maker.array("v3/shards/whole", elements("int64"), chunks=(1, 1), shards=SHAPE)
    maker.array("v3/shards/empty", elements("int64", (0, 4)), chunks=(1, 2), shards=(2, 4))
