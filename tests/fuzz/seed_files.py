# SPDX-License-Identifier: Apache-2.0
"""Small files of each format, by the format's own library."""

import gzip
import io
import itertools
import json
import struct
import zipfile

from seed_parts import join_files, numpy, values

SHAPES = ((), (0, 3), (3,), (2, 3), (2, 1, 3))
DESCRS = ("?", "i1", "u1", "<i2", ">u2", "<i4", ">i8", "<f2", "<f4", ">f8", "<c8", ">c16")


def npy():
    for shape, descr, order in itertools.product(SHAPES, DESCRS, "CF"):
        file = io.BytesIO()
        numpy.save(file, values(shape, descr, order))
        yield file.getvalue()
    for version in ((1, 0), (2, 0), (3, 0)):
        file = io.BytesIO()
        numpy.lib.format.write_array(file, values((2, 3), "<f4"), version=version)
        yield file.getvalue()
        yield gzip.compress(file.getvalue(), mtime=0)
    for descr in ("<M8[ns]", ">M8[25s]", "<m8", "<U2", "S3", "<f16"):
        file = io.BytesIO()
        numpy.save(file, numpy.zeros(3, descr))
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
    image = nibabel.Nifti1Image(values((2, 3, 4), "u1"), numpy.eye(4))
    image.header.extensions.append(nibabel.nifti1.Nifti1Extension("comment", b"text"))
    yield image.to_bytes()
    pairs = (nibabel.AnalyzeImage, nibabel.Nifti1Pair, nibabel.Nifti2Pair)
    for image_class, descr in itertools.product(pairs, ("u1", "<i2", ">i4", "<f4", ">f8", "<c8")):
        header = image_class.header_class(endianness=">" if descr.startswith(">") else "<")
        header.set_data_dtype(descr)
        image = image_class(values((2, 3, 4), descr), numpy.diag([2, 2, 3, 1]), header)
        halves = {name: io.BytesIO() for name in ("header", "image")}
        image.to_file_map({name: nibabel.FileHolder(fileobj=file) for name, file in halves.items()})
        contents = [halves[name].getvalue() for name in ("header", "image")]
        yield join_files({"x.hdr": contents[0], "x.img": contents[1]})
    yield join_files({"x.hdr.gz": gzip.compress(contents[0], mtime=0), "x.img": contents[1]})


def netcdf(folder):
    netcdf4 = __import__("netCDF4")
    classic = ("i1", "S1", "i2", "i4", "f4", "f8")
    versions = {"NETCDF3_CLASSIC": classic, "NETCDF3_64BIT_OFFSET": classic}
    versions["NETCDF3_64BIT_DATA"] = (*classic, "u1", "u2", "u4", "i8", "u8")
    sizes = {"time": 2, "y": 2, "x": 3}
    all_axes = (("y", "x"), ("time", "x"), ("time",), ())

    def file(version, variables):
        path = folder / "x.nc"
        with netcdf4.Dataset(path, "w", format=version) as new:
            numbers = {f"a_{code}": values((2,), code) for code in versions[version] if code != "S1"}
            new.setncatts({"title": "text", "empty": "", **numbers})
            for name, size in sizes.items():
                new.createDimension(name, None if name == "time" else size)
            for code, axes in variables:
                shape = [sizes[axis] for axis in axes]
                variable = new.createVariable("_".join([code, *axes]), code, axes)
                variable[...] = numpy.full(shape, b"a") if code == "S1" else values(shape, code)
                if code != "S1":
                    variable.setncatts({"units": "K", "scale_factor": 0.5})
        return path.read_bytes()

    for version, codes in versions.items():
        for first in range(len(all_axes)):
            yield file(version, zip(codes, itertools.cycle([*all_axes[first:], *all_axes[:first]])))
        # One record variable alone has no bytes between its records.
        for code in codes:
            yield file(version, [(code, ("time", "x"))])
        yield file(version, [("i1", ("y", "x")), ("i1", ("time",))])


def tiff():
    tifffile = __import__("tifffile")
    image_module = __import__("PIL.Image").Image
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
    codecs = ("zlib", "lzw", "packbits", "zstd", "lzma", "jpeg", "lerc")
    for compression, predictor, descr in itertools.product(codecs, (False, True), ("u1", ">u2", "<f4")):
        try:
            yield file(
                values((2, 16, 16), descr), compression=compression, predictor=predictor, photometric="minisblack"
            )
        except Exception:  # a codec that is not installed, or takes no predictor or no such type
            continue
    for inner in ("deflate", "zstd"):
        options = {"compression": "lerc", "compressionargs": {"compression": inner}}
        yield file(values((16, 16), "f4"), photometric="minisblack", **options)
    for codec in ("png", "jpeg2000"):
        yield file(values((16, 16, 3), "u1"), photometric="rgb", compression=codec, tile=(16, 16))
    options = {"compression": "webp", "compressionargs": {"lossless": True}}
    yield file(values((16, 16, 3), "u1"), photometric="rgb", **options)
    yield file(values((16, 16, 3), "u1"), photometric="ycbcr", compression="jpeg", subsampling=(2, 2))
    for codec in ("group3", "group4", "tiff_ccitt"):
        written = io.BytesIO()
        image_module.effect_noise((20, 10), 50).convert("1").save(written, "TIFF", compression=codec)
        yield written.getvalue()
    for compression, byteorder in itertools.product((None, "zlib", "lzw"), "<>"):
        options = {"tile": (16, 16, 16), "volumetric": True, "compression": compression, "byteorder": byteorder}
        yield file(values((17, 5, 6), "u1"), photometric="minisblack", **options)
    yield file(values((6, 5), "u1"), photometric="palette", colormap=values((3, 256), "u2"))
    yield file(values((6, 5, 4), "u1"), photometric="separated")
    yield file(values((6, 5, 4), "u1"), photometric="rgb", extrasamples=["unassalpha"])
    yield file(values((6, 5, 3), "u1"), photometric="rgb", planarconfig="contig", rowsperstrip=2)
    yield file(values((3, 6, 5), "u1"), photometric="rgb", planarconfig="separate")
    yield file(values((2, 3, 6, 5), "u2"), imagej=True, metadata={"axes": "ZCYX"})
    yield file(values((2, 3, 6, 5), "u2"), ome=True, metadata={"axes": "CZYX"})
    yield file(values((2, 6, 5), "u1"), photometric="minisblack", metadata={"axes": "QYX"})
    for bits in (*range(1, 17), 20, 24, 31):
        descr = "u1" if bits <= 8 else "u2" if bits <= 16 else "u4"
        yield file(values((6, 5), descr) % 2, bitspersample=bits, photometric="minisblack")
    for bits in (4, 12):
        options = {"bitspersample": bits, "photometric": "rgb", "planarconfig": "contig", "rowsperstrip": 2}
        yield file(values((6, 5, 3), "u1" if bits < 8 else "u2") % 16, **options)
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
        for format_name in ("PNG", "JPEG", "GIF", "JPEG2000"):
            for options in ({}, {"progressive": True}, {"quality": 95, "subsampling": 0, "restart_marker_blocks": 1}):
                file = io.BytesIO()
                exif = image_module.Exif()
                exif[0x0112] = 6
                try:
                    picture.save(file, format_name, exif=exif, **options)
                except (OSError, ValueError):  # a mode that the format lacks
                    continue
                yield file.getvalue()
    several = io.BytesIO()
    first, second = (image_module.effect_noise((5, height), 50) for height in (4, 6))
    first.save(several, "MPO", save_all=True, append_images=[second])
    yield several.getvalue()
    frames = [image_module.effect_noise((5, 4), 50).convert(mode) for mode in ("P", "P", "P")]
    for format_name, options in (("GIF", {"disposal": 2}), ("GIF", {"transparency": 3}), ("PNG", {"blend": 1})):
        animation = io.BytesIO()
        frames[0].save(animation, format_name, save_all=True, append_images=frames[1:], **options)
        yield animation.getvalue()
    for options in ({"no_jp2": True}, {"irreversible": True}, {"tile_size": (16, 16)}):
        file = io.BytesIO()
        image_module.effect_noise((20, 24), 50).convert("RGB").save(file, "JPEG2000", **options)
        yield file.getvalue()
