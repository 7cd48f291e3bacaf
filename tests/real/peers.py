# SPDX-License-Identifier: Apache-2.0
"""What the usual libraries read of a file: {name: array}, one function for each format.

Only arrays of numbers count. What a library has that is none (text, references) is left out.
"""

import logging
import pathlib
import warnings

import numpy

# Kinds of NumPy's types that are numbers: bool, signed, unsigned, floating, complex, and dates, which count from 1970.
NUMBERS = "biufcmM"
# Compressions of TIFF that are those of fax machines.
FAX = (2, 3, 4)
# Larger arrays are not compared: files of some bytes may have fill values of any number.
MAX_ELEMENTS = 1 << 27


def plain(array):
    """An array in this machine's byte order, dates as the integers that they are."""
    array = numpy.asanyarray(array)
    array = array.astype(array.dtype.newbyteorder("="), copy=False)
    return numpy.asarray(array.view("i8") if array.dtype.kind in "mM" else array)


def npy(path):
    array = numpy.load(path, allow_pickle=False)
    return {"": plain(array)} if array.dtype.kind in NUMBERS else {}


def npz(path):
    found = {}
    with numpy.load(path, allow_pickle=False) as archive:
        for name in archive.files:
            try:
                array = archive[name]
            except ValueError:
                continue  # objects
            if array.dtype.kind in NUMBERS:
                found[name] = plain(array)
    return found


def _of_dataset(name, dataset, found):
    """A dataset of HDF5, each field of a compound by itself."""
    kind = dataset.dtype
    if dataset.shape is None or dataset.size > MAX_ELEMENTS:
        return
    # netCDF keeps dimensions without a variable so.
    if bytes(dataset.attrs.get("NAME", b"")).startswith(b"This is a netCDF dimension but not a netCDF variable"):
        return
    if kind.names is not None:
        for field in kind.names:
            if kind[field].base.kind in NUMBERS:
                found[f"{name}.{field}"] = plain(dataset[field])
    elif kind.base.kind in NUMBERS:
        found[name] = plain(dataset[()])


def hdf5(path):
    import h5py

    found = {}
    with h5py.File(path, "r") as file:

        def walk(group, prefix, above):
            for name in group:
                try:
                    item = group[name]
                except (KeyError, OSError):
                    continue  # a link that leads nowhere
                if isinstance(item, h5py.Dataset):
                    _of_dataset(prefix + name, item, found)
                elif isinstance(item, h5py.Group) and item.id not in above:
                    walk(item, f"{prefix}{name}/", [*above, item.id])

        walk(file, "", [file.id])
    return found


def netcdf(path):
    import netCDF4

    found = {}
    with netCDF4.Dataset(path) as file:
        file.set_auto_mask(False)
        file.set_auto_scale(False)
        for name, variable in file.variables.items():
            if numpy.dtype(variable.dtype).kind in NUMBERS:
                found[name] = plain(variable[...])
    return found


def zarr(path):
    import zarr as library

    store = library.storage.ZipStore(path, mode="r") if pathlib.Path(path).is_file() else path
    found = {}
    root = library.open(store, mode="r")
    if isinstance(root, library.Array):
        arrays = [("", root)]
    else:
        arrays = [(name, item) for name, item in root.members(max_depth=None) if isinstance(item, library.Array)]
    for name, array in arrays:
        if numpy.dtype(getattr(array.dtype, "base", array.dtype)).kind in NUMBERS:
            found[name] = plain(array[...])
    return found


def tiff(path):
    """Each page by its number; those of one format are parts of one tensor of ours. Fax pages by Pillow's libtiff,
    where that does not rotate them: tifffile loses rows of some."""
    import tifffile
    from PIL import Image

    logging.getLogger("tifffile").setLevel(logging.CRITICAL)
    found = {}
    with tifffile.TiffFile(path) as file:
        for number, page in enumerate(file.pages):
            page = page.aspage()
            is_fax = page.compression in FAX and page.tags.valueof(274, 1) == 1
            # tifffile takes a number in a byte for another.
            if is_fax or page.planarconfig not in (1, 2):
                with Image.open(path) as image:
                    image.seek(number)
                    pixels = numpy.asarray(image)
                    found[f"page {number}"] = pixels != (page.photometric == 0) if is_fax else pixels
            else:
                found[f"page {number}"] = plain(page.asarray())
            for level, smaller in enumerate(page.pages or []):
                found[f"page {number} level {level + 1}"] = plain(smaller.aspage().asarray())
    return found


def _frames(path):
    from PIL import Image

    Image.MAX_IMAGE_PIXELS = None
    frames = {}
    with Image.open(path) as image:
        for number in range(getattr(image, "n_frames", 1)):
            image.seek(number)
            frames[f"page {number}"] = image.copy()
    return frames


def jpeg(path):
    """Of four colours as they are stored: Pillow inverts them, whatever the file says."""
    return {
        name: 255 - numpy.asarray(frame) if frame.mode == "CMYK" else numpy.asarray(frame)
        for name, frame in _frames(path).items()
    }


def over(above, below):
    """A picture over another one, as the PNG specification has it."""
    if above.shape[-1:] not in ((2,), (4,)):
        return above
    whole = numpy.iinfo(above.dtype).max
    above, below = above.astype("u8"), below.astype("u8")
    of_above = above[..., -1:] * whole
    of_below = (whole - above[..., -1:]) * below[..., -1:]
    total = of_above + of_below
    colours = (above * of_above + below * of_below + total // 2) // numpy.maximum(total, 1)
    colours[..., -1:] = (total + whole // 2) // whole
    return colours


def png(path):
    """By libpng, since Pillow cuts 16 bits of colours and lets opaque pixels fade below transparent frames."""
    import imagecodecs
    from PIL import Image

    data = pathlib.Path(path).read_bytes()
    if b"acTL" not in data[: data.find(b"IDAT")]:
        return {"page 0": imagecodecs.png_decode(data)}
    found = {}
    with Image.open(path) as image:
        canvas = numpy.zeros_like(imagecodecs.apng_decode(data, index=0))
        for number in range(image.n_frames):
            image.seek(number)
            left, top, right, bottom = image.info.get("bbox", (0, 0, *image.size))
            place = numpy.s_[top:bottom, left:right]
            before = canvas.copy()
            own = imagecodecs.apng_decode(data, index=number)[place]
            is_over = image.info.get("blend") == 1
            canvas[place] = over(own, canvas[place]) if is_over else own
            found[f"page {number}"] = canvas.copy()
            end = image.info.get("disposal", 0)
            if end == 1 or (number == 0 and (end == 2 or "bbox" not in image.info)):
                canvas[place] = 0
            elif end == 2:
                canvas = before
    return found


def jpeg2000(path):
    import imagecodecs

    return {"page 0": imagecodecs.jpeg2k_decode(pathlib.Path(path).read_bytes())}


def gif(path):
    """Without the colours that a transparent pixel would have; and without the frames behind one whose place becomes
    background while it has no transparent colour: Pillow takes that from the table of the frame, not of the file."""
    from PIL import Image

    found = {}
    with Image.open(path) as image:
        for number in range(image.n_frames):
            image.seek(number)
            pixels = numpy.array(image.convert("RGBA"))
            pixels[pixels[..., 3] == 0] = 0
            found[f"page {number}"] = pixels
            if image.disposal_method == 2 and "transparency" not in image.info:
                break
    return found


def nifti(path):
    import nibabel

    data = nibabel.load(path).dataobj
    array = data.get_unscaled() if hasattr(data, "get_unscaled") else numpy.asanyarray(data)
    if array.dtype.names is not None:
        array = numpy.stack([array[name] for name in array.dtype.names], 0)
    return {"page 0": plain(array)}  # axes of size 1 do not count: those of CIFTI are the last two of six


def kind_of(path):
    """The format by its first bytes, as far as it is compared, and its reader."""
    path = pathlib.Path(path)
    if path.is_dir():
        return ("Zarr", zarr) if any((path / name).exists() for name in ("zarr.json", ".zarray", ".zgroup")) else None
    with path.open("rb") as file:
        start = file.read(4096)
    signs = {
        b"\x93NUMPY": ("npy", npy),
        b"\x89HDF\r\n\x1a\n": ("HDF5", hdf5),
        b"CDF\x01": ("netCDF-3", netcdf),
        b"CDF\x02": ("netCDF-3", netcdf),
        b"CDF\x05": ("netCDF-3", netcdf),
        b"II*\0": ("TIFF", tiff),
        b"MM\0*": ("TIFF", tiff),
        b"II+\0": ("TIFF", tiff),
        b"MM\0+": ("TIFF", tiff),
        b"\xff\xd8\xff": ("JPEG", jpeg),
        b"\x89PNG\r\n\x1a\n": ("PNG", png),
        b"GIF8": ("GIF", gif),
        b"\0\0\0\x0cjP  ": ("JPEG 2000", jpeg2000),
        b"\xff\x4f\xff\x51": ("JPEG 2000", jpeg2000),
    }
    for sign, found in signs.items():
        if start.startswith(sign):
            return found
    if start.startswith(b"PK\x03\x04"):
        return ("npz", npz) if path.suffix == ".npz" else ("Zarr", zarr) if path.name.endswith(".zarr.zip") else None
    name = path.name.lower().removesuffix(".gz")
    if name.endswith((".nii", ".hdr")) or start[344:348] in (b"n+1\0", b"ni1\0"):
        return ("NIfTI, Analyze", nifti)
    return None


def read(path):
    """{name: array} of a file whose kind is known. Raises what the library does."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return kind_of(path)[1](path)
