# SPDX-License-Identifier: Apache-2.0
"""Small files of each format, by the format's own library."""

import gzip
import io
import itertools
import json
import struct
import zipfile

try:
    import numpy
except ImportError:
    numpy = None

SHAPES = ((), (0, 3), (3,), (2, 3), (2, 1, 3))
DESCRS = ("?", "i1", "u1", "<i2", ">u2", "<i4", ">i8", "<f2", "<f4", ">f8", "<c8", ">c16")


def values(shape, descr, order="C"):
    count = numpy.arange(numpy.prod(shape, dtype=int)).reshape(shape) % (2 if descr == "?" else 100)
    return numpy.asarray(count.astype(descr), order=order)


def npy():
    for shape, descr, order in itertools.product(SHAPES, DESCRS, "CF"):
        file = io.BytesIO()
        numpy.save(file, values(shape, descr, order))
        yield file.getvalue()
    for version in ((1, 0), (2, 0), (3, 0)):
        file = io.BytesIO()
        numpy.lib.format.write_array(file, values((2, 3), "<f4"), version=version)
        yield file.getvalue()


def npz():
    arrays = {"a": values((2, 3), "<f4"), "b/c": values((4,), ">i2"), "empty": values((0,), "?")}
    arrays["dates"] = values((3,), "<i8").view("<M8[25s]")
    for save in (numpy.savez, numpy.savez_compressed):
        file = io.BytesIO()
        save(file, **arrays)
        yield file.getvalue()
    for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2):
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w", method) as archive:
            archive.comment = b"comment"
            for name, array in arrays.items():
                with archive.open(name + ".npy", "w", force_zip64=method == zipfile.ZIP_STORED) as member:
                    numpy.lib.format.write_array(member, array)
            archive.writestr("note.txt", "text")
        yield file.getvalue()
    array = {"zarr_format": 2, "shape": [2, 3], "chunks": [2, 2], "dtype": "<i2", "compressor": None}
    array |= {"fill_value": 0, "order": "C", "filters": None}
    for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w", method) as archive:
            archive.writestr("g/.zgroup", '{"zarr_format": 2}')
            archive.writestr("g/a/.zarray", json.dumps(array))
            for key in ("0.0", "0.1"):
                archive.writestr("g/a/" + key, bytes(8))
        yield file.getvalue()


def safetensors():
    def file(header, elements):
        text = json.dumps(header).encode()
        text += b" " * (-len(text) % 8)
        return struct.pack("<Q", len(text)) + text + elements

    types = {
        "BOOL": 1,
        "U8": 1,
        "I16": 2,
        "U16": 2,
        "BF16": 2,
        "F16": 2,
        "I32": 4,
        "F32": 4,
        "I64": 8,
        "F64": 8,
        "F4": 1,
    }
    header, end = {"__metadata__": {"format": "pt", "key": "a \u00e9"}}, 0
    for name, width in types.items():
        header[f"layer.{name}"] = {"dtype": name, "shape": [2, 3], "data_offsets": [end, end + 6 * width]}
        end += 6 * width
    header["F4"] = {"dtype": "F4", "shape": [2, 2], "data_offsets": [end, end + 2]}
    del header["layer.F4"]
    end -= 6
    header["F4"]["data_offsets"] = [end, end + 2]
    yield file(header, bytes(end + 2))
    yield file({}, b"")
    yield file({"w": {"dtype": "F32", "shape": [], "data_offsets": [0, 4]}}, bytes(4))
    yield file({"w": {"dtype": "F8_E4M3", "shape": [0, 2], "data_offsets": [0, 0]}}, b"")


def nifti():
    nibabel = __import__("nibabel")
    for image_class, descr, shape in itertools.product(
        (nibabel.Nifti1Image, nibabel.Nifti2Image), ("u1", "<i2", ">i2", "<f4", ">f8", "<c8"), ((2, 3, 4), (2, 3, 2, 2))
    ):
        array = values(shape, descr)
        header = image_class.header_class(endianness=">" if descr.startswith(">") else "<")
        header.set_data_dtype(array.dtype)
        image = image_class(array, numpy.diag([2, 2, 3, 1]), header)
        image.header["descrip"] = b"text"
        yield image.to_bytes()
    image = nibabel.Nifti1Image(values((2, 3, 4), "<i2"), numpy.eye(4))
    image.header.set_slope_inter(2, 1)
    yield image.to_bytes()
    yield gzip.compress(image.to_bytes(), mtime=0)
    yield gzip.compress(image.to_bytes()[:100], mtime=0) + gzip.compress(image.to_bytes()[100:], mtime=0)
    rgb = numpy.zeros((2, 3, 2), [("R", "u1"), ("G", "u1"), ("B", "u1")])
    yield nibabel.Nifti1Image(rgb, numpy.eye(4)).to_bytes()


def netcdf(folder):
    netcdf4 = __import__("netCDF4")
    types = {"NETCDF3_CLASSIC": ("i1", "i2", "f8"), "NETCDF3_64BIT_OFFSET": ("i4", "f4", "S1")}
    types["NETCDF3_64BIT_DATA"] = ("u1", "u2", "u4", "i8", "u8")
    for number, (version, codes) in enumerate(types.items()):
        path = folder / f"{number}.nc"
        with netcdf4.Dataset(path, "w", format=version) as file:
            file.setncatts({"title": "text", "levels": numpy.array([1, 2.5], "f4")})
            for name, size in (("time", None), ("y", 2), ("x", 3)):
                file.createDimension(name, size)
            for code in codes:
                for axes in (("y", "x"), ("time", "x"), ("time",), ()):
                    variable = file.createVariable("_".join([code, *axes]), code, axes)
                    if code != "S1":
                        variable[...] = values(
                            [2 if axis == "time" else len(file.dimensions[axis]) for axis in axes], code
                        )
                        variable.setncatts({"units": "K", "scale_factor": 0.5})
        yield path.read_bytes()


def tiff():
    tifffile = __import__("tifffile")
    array = values((2, 16, 16), "u1")

    def file(array, **options):
        written = io.BytesIO()
        kind = {name: options.pop(name) for name in ("bigtiff", "byteorder", "imagej", "ome") if name in options}
        tifffile.imwrite(written, array, **kind, **options)
        return written.getvalue()

    for descr in ("u1", "u2", "i2", "u4", "f2", "f4", "f8", "c8"):
        yield file(values((5, 4), descr), photometric="minisblack")
    for bigtiff, byteorder in itertools.product((False, True), "<>"):
        yield file(array, bigtiff=bigtiff, byteorder=byteorder, photometric="minisblack")
        yield file(array, bigtiff=bigtiff, byteorder=byteorder, photometric="minisblack", tile=(16, 16))
    for compression in ("zlib", "lzw", "packbits", "zstd", "lzma", "jpeg"):
        for predictor in (False, True):
            try:
                yield file(array, compression=compression, predictor=predictor, photometric="minisblack")
            except Exception:  # a codec that is not installed, or takes no predictor
                continue
    yield file(values((6, 5, 3), "u1"), photometric="rgb", planarconfig="contig", rowsperstrip=2)
    yield file(values((3, 6, 5), "u1"), photometric="rgb", planarconfig="separate")
    yield file(values((2, 3, 6, 5), "u2"), imagej=True, metadata={"axes": "ZCYX"})
    yield file(values((2, 3, 6, 5), "u2"), ome=True, metadata={"axes": "CZYX"})
    yield file(values((2, 6, 5), "u1"), photometric="minisblack", metadata={"axes": "QYX"})
    for bits in (4, 12, 20):
        yield file(values((6, 5), "u1" if bits < 8 else "u2" if bits < 16 else "u4"), bitspersample=bits)
    for ome in (False, True):
        written = io.BytesIO()
        with tifffile.TiffWriter(written, ome=ome) as writer:
            writer.write(array, subifds=1, photometric="minisblack", tile=(16, 16))
            writer.write(array[:, :8, :8], subfiletype=1, photometric="minisblack")
            writer.write(values((6, 5, 3), "u1"), photometric="rgb", compression="zlib")
        yield written.getvalue()


def images():
    image_module = __import__("PIL.Image").Image
    colours = {
        "1": None,
        "L": (5, 4),
        "LA": (5, 4, 2),
        "RGB": (5, 4, 3),
        "RGBA": (5, 4, 4),
        "I;16": None,
        "P": None,
        "CMYK": None,
    }
    for mode in colours:
        picture = image_module.effect_noise((5, 4), 50).convert("L")
        picture = picture.convert(mode) if mode != "I;16" else picture.convert("I").convert("I;16")
        for format_name in ("PNG", "JPEG"):
            for options in ({}, {"progressive": True}, {"quality": 95, "subsampling": 0, "restart_marker_blocks": 1}):
                file = io.BytesIO()
                exif = image_module.Exif()
                exif[0x0112] = 6
                try:
                    picture.save(file, format_name, exif=exif, **options)
                except OSError:  # a mode that the format lacks
                    continue
                yield file.getvalue()
    several = io.BytesIO()
    first, second = (image_module.effect_noise((5, height), 50) for height in (4, 6))
    first.save(several, "MPO", save_all=True, append_images=[second])
    yield several.getvalue()


def zarr_folder(folder):
    """A folder as one input: see `split_input` in support.hpp."""
    parts = []
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            parts.append(b"=== %s\n" % path.relative_to(folder).as_posix().encode() + path.read_bytes())
    return b"\n".join(parts)


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
    delta = numcodecs.Delta("<i4", "<i2")
    scale = numcodecs.FixedScaleOffset(offset=1, scale=10, dtype="<f4", astype="<i2")
    sums = [numcodecs.CRC32(), numcodecs.Adler32(location="end"), numcodecs.Fletcher32()]
    for kind, filters, codec in (
        ("<i4", [delta], numcodecs.LZ4()),
        ("<f4", [scale], numcodecs.BZ2()),
        ("?", [numcodecs.PackBits()], numcodecs.LZMA()),
        ("<i4", [], numcodecs.LZMA(format=2)),
        ("<f4", [numcodecs.Quantize(1, "<f4", "<f2"), *sums], None),
        ("<f4", [numcodecs.BitRound(3), numcodecs.AsType("<f2", "<f4")], None),
    ):
        yield create(values((5, 6), kind), chunks=(2, 3), filters=filters, compressors=codec, zarr_format=2)
    numcodecs_of_3 = codecs.numcodecs
    filters = [numcodecs_of_3.Delta(dtype="<i4", astype="<i2")]
    chain = [numcodecs_of_3.LZ4(), numcodecs_of_3.CRC32()]
    yield create(values((5, 6), "<i4"), chunks=(2, 3), filters=filters, compressors=chain)
    inner = codecs.ShardingCodec(chunk_shape=(1, 3), codecs=[codecs.BytesCodec(), codecs.ZstdCodec(level=1)])
    nested = codecs.ShardingCodec(chunk_shape=(2, 3), codecs=[inner])
    yield create(values((5, 6), "<i4"), chunks=(4, 6), serializer=nested, compressors=None)
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


def zarr(folder):
    return [zarr_folder(path) for path in zarr_arrays(folder)]


def zarr_metadata(folders):
    """The metadata at the top of each folder."""
    names = (b"=== zarr.json\n", b"=== .zarray\n", b"=== .zattrs\n")
    for folder in folders:
        parts = [part for part in (b"\n" + folder).split(b"\n=== ") if part]
        yield b"\n".join(b"=== " + part for part in parts if (b"=== " + part).startswith(names))


def files(folder):
    """The inputs of each target, as far as the libraries are installed."""
    makers = {
        "npy": npy,
        "npz": npz,
        "nifti": nifti,
        "netcdf": lambda: netcdf(folder),
        "tiff": tiff,
        "images": images,
        "zarr_chunks": lambda: zarr(folder),
    }
    inputs = {"safetensors": list(safetensors())}
    for target, make in makers.items():
        try:
            if numpy is None:
                raise ImportError("numpy")
            inputs[target] = list(make())
        except ImportError as error:
            print(f"{target}: no inputs without {error.name or error}")
            inputs[target] = [b""]
    inputs["zarr_metadata"] = list(zarr_metadata(inputs["zarr_chunks"]))
    return inputs
