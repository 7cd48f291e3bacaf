#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The contenders of bench/formats.sh that are written in Python, each in its own process:

    bench/formats_peers.py tensorstore|dask MEMORY SOURCE.zarr ORDER CHUNKS RESULT.zarr
    bench/formats_peers.py numpy SOURCE.npz RESULT.npy"""

import itertools
import math
import pathlib
import sys

import numpy

ITEM_BYTES = 4


def best_block(shape, read_chunk, write_chunk, nbytes):
    """The extents, multiples of `write_chunk`, with which the fewest bytes are decoded: a chunk of the source that
    reaches into several blocks is decoded for each."""
    def decoded(block):
        """Elements, counted axis by axis: the chunks that each extent touches."""
        return math.prod(
            sum(math.ceil(min(first + extent, size) / chunk) - first // chunk for first in range(0, size, extent)) * chunk
            for size, extent, chunk in zip(shape, block, read_chunk))

    extents = [[*range(chunk, size, chunk), size] for size, chunk in zip(shape, write_chunk)]
    fitting = [block for block in itertools.product(*extents) if math.prod(block) * ITEM_BYTES <= nbytes]
    return min(fitting or [tuple(write_chunk)], key=decoded)


def with_tensorstore(memory, source, order, chunks, result):
    """Block by block, as its documentation has it for rechunking: whole chunks are written, the block with the fewest
    decoded bytes is taken."""
    import tensorstore

    context = {"cache_pool": {"total_bytes_limit": memory // 16}, "data_copy_concurrency": {"limit": 2}}
    file = {"driver": "file", "path": str(source)}
    src = tensorstore.open({"driver": "zarr3", "kvstore": file, "context": context}, read=True).result()
    read_chunk = [src.chunk_layout.read_chunk.shape[axis] for axis in order]
    src = src[tensorstore.d[order].transpose[tuple(range(len(order)))]]
    dst = tensorstore.open(
        {"driver": "zarr3", "kvstore": {"driver": "file", "path": str(result)}, "context": context},
        create=True, dtype=tensorstore.float32, shape=src.shape,
        chunk_layout=tensorstore.ChunkLayout(chunk_shape=chunks),
        codec=tensorstore.CodecSpec({"driver": "zarr3", "codecs": [{"name": "zstd", "configuration": {"level": 3}}]}),
    ).result()
    block = best_block(src.shape, read_chunk, chunks, memory // 4)
    for first in itertools.product(*(range(0, size, extent) for size, extent in zip(src.shape, block))):
        part = tuple(slice(a, min(a + extent, size)) for a, extent, size in zip(first, block, src.shape))
        dst[part].write(src[part].read().result()).result()


def with_dask(memory, source, order, chunks, result):
    """One worker with two threads, and its rechunking by way of the disk."""
    import dask
    import dask.array
    import zarr
    from distributed import Client, LocalCluster

    dask.config.set({"array.rechunk.method": "p2p", "distributed.worker.memory.pause": False,
                     "distributed.p2p.comm.buffer": memory // 32, "distributed.p2p.storage.buffer": memory // 32})
    shuffled = pathlib.Path(result).with_suffix(".shuffle")
    with LocalCluster(n_workers=1, threads_per_worker=2, processes=False, memory_limit=memory * 3 // 4,
                      local_directory=str(shuffled), dashboard_address=None) as cluster, Client(cluster):
        view = dask.array.from_zarr(str(source)).transpose(order)
        out = zarr.create_array(str(result), shape=view.shape, chunks=chunks, dtype="<f4",
                                compressors=zarr.codecs.ZstdCodec(level=3))
        view.rechunk(chunks).to_zarr(out)


def with_numpy(source, result):
    with numpy.load(source) as archive:
        numpy.save(result, archive["x"])


def main():
    contender, *words = sys.argv[1:]
    if contender == "numpy":
        return with_numpy(*words)
    memory, source, order, chunks, result = words
    order, chunks = (tuple(map(int, word.split(","))) for word in (order, chunks))
    return {"tensorstore": with_tensorstore, "dask": with_dask}[contender](int(memory), source, order, chunks, result)


if __name__ == "__main__":
    main()
