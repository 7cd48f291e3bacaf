#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The contenders written in Python, each in its own process:

    bench/large_files_peers.py numpy|tensorstore|dask CASE SOURCE_BYTES MEMORY SOURCE.npy RESULT"""

import itertools
import mmap
import pathlib
import sys

import large_files_cases
import numpy

MIB = 1 << 20
READAHEAD_BYTES = 128 << 10  # MADV_WILLNEED fetches the disk's readahead at most, of which this is the default


def run_elements(extents, shape, axes):
    """The contiguous elements in a block of these extents; `axes` are sorted from the fastest to the slowest."""
    run = 1
    for axis in axes:
        run *= extents[axis]
        if extents[axis] < shape[axis]:
            break
    return run


def choose_block(shape, source_axes, block_bytes):
    """Extents of a block of at most `block_bytes` whose runs are long on both sides: the innermost axis that is not
    whole yet on the side of the shorter run is doubled while there is room."""
    result_axes = tuple(reversed(range(len(shape))))
    extents = [1] * len(shape)
    bytes_now = large_files_cases.ITEM_BYTES
    while True:
        sides = sorted((source_axes, result_axes), key=lambda axes: run_elements(extents, shape, axes))
        axis = next((axis for axis in sides[0] if extents[axis] < shape[axis]), None)
        if axis is None:
            return extents
        room = block_bytes // (bytes_now // extents[axis])
        wider = min(2 * extents[axis], shape[axis], room)
        if wider == extents[axis]:
            return extents
        bytes_now = bytes_now // extents[axis] * wider
        extents[axis] = wider


def blocks(shape, extents):
    starts = [range(0, size, extent) for size, extent in zip(shape, extents)]
    for place in itertools.product(*starts):
        yield tuple(slice(first, min(first + extent, size)) for first, extent, size in zip(place, extents, shape))


def source_axes(view):
    return sorted(range(view.ndim), key=lambda axis: view.strides[axis])


def fetch(array, part):
    """Has the system read the pages of `part`, a view of the mapped `array`, except gaps of a page and more."""
    axis = max(range(part.ndim), key=lambda axis: part.strides[axis] * (part.shape[axis] > 1))
    one = (slice(None),) * axis
    low, high = numpy.lib.array_utils.byte_bounds(part[(*one, slice(0, 1))])
    if part.strides[axis] - (high - low) >= mmap.PAGESIZE and part.shape[axis] > 1:
        for i in range(part.shape[axis]):
            fetch(array, part[(*one, slice(i, i + 1))])
        return
    map_start = numpy.lib.array_utils.byte_bounds(array)[0] - large_files_cases.HEADER_BYTES
    first, last = (address - map_start for address in numpy.lib.array_utils.byte_bounds(part))
    for piece in range(first - first % mmap.PAGESIZE, last, READAHEAD_BYTES):
        array._mmap.madvise(mmap.MADV_WILLNEED, piece, min(READAHEAD_BYTES, last - piece))


def with_numpy(case, memory, source, result):
    """Maps both files and copies block by block, reading in the order of the source and writing in that of the result. The
    pages of a block are released before the next one.

    The system's own readahead is off, because it reads megabytes around each page; `fetch` reads a block's ranges."""
    array = numpy.load(source, mmap_mode="r")
    view = case.view(array)
    out = numpy.lib.format.open_memmap(result, mode="w+", dtype="<f4", shape=case.result_shape)
    for mapped in (array, out):
        mapped._mmap.madvise(mmap.MADV_RANDOM)
    for block in blocks(view.shape, choose_block(view.shape, source_axes(view), memory // 5)):
        fetch(array, view[block])
        out[block] = numpy.array(view[block], order="K")
        for mapped in (array, out):
            mapped._mmap.madvise(mmap.MADV_DONTNEED)
    out.flush()


def with_tensorstore(case, memory, source, result):
    """Writes the transposed view of the mapped file chunk by chunk, two at a time. Each chunk is read in the order of the
    source: tensorstore itself would read the map in the order of the chunk, and fetch the same pages many times."""
    import tensorstore

    array = numpy.load(source, mmap_mode="r")
    array._mmap.madvise(mmap.MADV_RANDOM)
    view = case.view(array)
    chunk = choose_block(view.shape, source_axes(view), memory // 16)
    store = tensorstore.open(
        {
            "driver": "zarr",
            "kvstore": {"driver": "file", "path": str(result)},
            "metadata": {"compressor": None, "dtype": "<f4", "shape": list(view.shape), "chunks": chunk},
            "context": {"cache_pool": {"total_bytes_limit": memory // 10}, "data_copy_concurrency": {"limit": 2}},
        },
        create=True,
    ).result()
    unfinished = []
    for block in blocks(view.shape, chunk):
        fetch(array, view[block])
        unfinished.append(store[block].write(numpy.array(view[block], order="K")))
        if len(unfinished) == 2:
            unfinished.pop(0).result()
    for write in unfinished:
        write.result()


class Lazy:
    """An array in a file that a worker opens when it needs a part. Only the path is pickled."""

    def __init__(self, path):
        array = numpy.load(path, mmap_mode="r")
        self.path, self.shape, self.dtype, self.ndim = path, array.shape, array.dtype, array.ndim

    def __getitem__(self, index):
        return numpy.array(numpy.load(self.path, mmap_mode="r")[index])


def with_dask(case, memory, source, result):
    """One worker with one thread; chunks along the first axis of the source and of the result."""
    import dask
    import dask.array
    import zarr
    from distributed import Client, LocalCluster

    shuffled = pathlib.Path(result).with_suffix(".shuffle")
    # The buffers hold 1 GiB and 100 MiB by default. A worker that pauses to free memory never resumes: nothing can be spilled.
    dask.config.set({"array.rechunk.method": "p2p", "distributed.worker.memory.pause": False,
                     "distributed.p2p.comm.buffer": memory // 32, "distributed.p2p.storage.buffer": memory // 32,
                     "distributed.p2p.threads": 1})
    limit = memory * 3 // 4
    with LocalCluster(n_workers=1, threads_per_worker=1, processes=False, memory_limit=limit,
                      local_directory=str(shuffled), dashboard_address=None) as cluster, Client(cluster):
        chunk_bytes = memory // 32
        rows = max(1, chunk_bytes // (case.source_bytes // case.shape[0]))
        lazy = dask.array.from_array(Lazy(source), chunks=(rows,) + case.shape[1:], name=False)
        view = case.view(lazy)
        rows = max(1, chunk_bytes // (case.result_bytes // case.result_shape[0]))
        chunks = (rows,) + view.shape[1:]
        out = zarr.create_array(str(result), shape=view.shape, chunks=chunks, dtype="<f4", compressors=None)
        view.rechunk(chunks).to_zarr(out)


def main():
    contender, name, size, memory, source, result = sys.argv[1:]
    case = next(case for case in large_files_cases.cases(int(size)) if case.name == name)
    work = {"numpy": with_numpy, "tensorstore": with_tensorstore, "dask": with_dask}[contender]
    work(case, int(memory), source, result)


if __name__ == "__main__":
    main()
