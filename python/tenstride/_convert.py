# SPDX-License-Identifier: Apache-2.0
"""`convert`: arrays to another order of axes and another type in one pass, or files in another order."""

from __future__ import annotations

import os
from typing import Any

from . import _tenstride
from ._dtypes import dtype_of
from ._kinds import kind_of, take, take_all


def convert(
    source: Any,
    chain: str,
    destination: Any = None,
    *,
    dtype: Any = None,
    scale: Any = None,
    shift: Any = None,
    axis: int = 0,
    sizes: dict[str, int] | None = None,
    out: Any = None,
    **file_options: Any,
) -> Any:
    """An array in another order of axes and of another type, times scale plus shift; each element is read once and
    written once. Or a file as another one: then `source` and `destination` are paths.

    Of an array `chain` is a pattern as `rearrange` takes it, whose sizes are in `sizes`. `dtype` is the result's
    (without it the source's). Several numbers of `scale` and `shift` run along `axis` of the result. The arithmetic
    is in float32 where that holds both types, else in float64. `out`, an array of the same kind with the shape of the
    result, takes it and is given back. RuntimeError where shapes do not fit.

    >>> import numpy
    >>> images = numpy.full((8, 224, 224, 3), 51, numpy.uint8)
    >>> batch = tenstride.convert(images, "b h w c -> b c h w", dtype="float32", scale=1 / 255)
    >>> batch.shape, batch.dtype, batch.max().round(6)
    ((8, 3, 224, 224), dtype('float32'), np.float32(0.2))

    Of a file, whatever its size, `chain` may also move and convert the tensor `x` as `tenstride convert` has it:
    "x.permute(2, 0, 1)". Neither file is ever in memory as a whole. Further options: max_memory (512 << 20, "512M")
    limits the buffers, which come on top of what the process uses already; without it, half of the free memory.
    order ('C' or 'F') is the destination's. `source` may name several tensors of a file ("m.safetensors::*.weight").
    chunks, shards, codec and zarr_format are those of a .zarr destination, as `save` has them. metadata_only permutes
    a .zarr folder by its metadata and the names of its files, and decodes nothing; with overwrite the destination may
    be the source. rescale makes the elements what the file says they mean (scl_slope of NIfTI; scale_factor,
    _FillValue, valid_range and the like of netCDF, HDF5 and Zarr), in float32 or float64; missing ones become NaN, or
    the _FillValue of an integer `dtype`. `chain` must only move them then. What the source says of its elements or
    axes and would not be true of the result is left out, and told in ConvertResult.dropped; a UserWarning tells of
    attributes that rescale cannot use. verify reads the destination back and compares checksums. progress is called
    some 20 times a second with a ConvertProgress; an exception in it ends the run, as Ctrl-C does, and is raised
    here; what is finished stays beside the destination, and resume=True goes on ("if_there": begins anew where
    nothing is left; not to chunks of HDF5). task=(2, 8) does the second of eight parts; eight calls in any order,
    in one process or in several, do all (`tenstride.dask.convert` makes them), and the one that ends last puts the
    destination in place. Gives a ConvertResult. FileError for files that cannot be read or written, and where the
    destination exists and `overwrite` is not given; ValueError for a chain that does more than move and convert,
    and for a max_memory that is too small.

    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     a, b = os.path.join(folder, "a.npy"), os.path.join(folder, "b.npy")
    ...     torch.save(a, torch.arange(6).view(2, 3))
    ...     result = torch.convert(a, "x.T", b, max_memory="64M")
    ...     torch.load(b).tolist(), result.checksum == torch.checksum(torch.load(b))
    ([[0, 3], [1, 4], [2, 5]], True)
    """
    if isinstance(source, (str, os.PathLike)):
        if out is not None or destination is None:
            raise TypeError("convert: a file must have the path of its destination as third argument, and no out")
        numbers = {"dtype": dtype, "scale": scale, "shift": shift, "axis": axis, "sizes": sizes}
        return _tenstride._convert_file(source, chain, destination, **numbers, **file_options)
    if destination is not None or file_options:
        extra = ["destination"] * (destination is not None) + list(file_options)
        raise TypeError(f"convert: {', '.join(extra)} must be left out for an array; out=… takes the result")
    if isinstance(source, (list, tuple)):
        kind, tensors = take_all("convert", source)
    else:
        kind, tensors = take("convert", source)
    wanted = None if dtype is None else dtype_of(dtype, "convert", of_numpy=kind.name == "NumPy")
    given = (tensors, chain, sizes or {}, wanted, scale, shift, axis)
    if out is None:
        return kind.give(_tenstride._convert_elements(*given, None))
    if kind_of([out], "convert").name != kind.name:
        raise TypeError(f"convert: out must be of the kind of the source, {kind.name} ({type(out).__name__})")
    _tenstride._convert_elements(*given, kind.share(out))
    return out
