#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records chains of views and element-wise operations, for tests/python/test_replay_torch.py.

Run by hand where PyTorch is installed:
    tests/record/record_elementwise.py | gzip -9n > tests/data/conformance/torch-elementwise.jsonl.gz

One chain a line, in the format of torch-1.jsonl.gz (docs/conformance.md). Beside the views it has four operations
whose results are laid as their operands lie:
    abs            the absolute values
    add_scalar     x + value
    add_permuted   x + y, y of x's shape and type, counting, contiguous where its axes stand in the order `dims`
    add_rowvec     x + y, y of the shape (x.shape[-1],) and x's type, counting
"""

import json
import random
import sys
import zlib

import torch

CHAINS = 1500
TYPES = [
    "bool",
    "uint8",
    "int8",
    "int16",
    "int32",
    "int64",
    "float16",
    "bfloat16",
    "float32",
    "float64",
    "complex64",
    "complex128",
]


def counting(shape, dtype):
    count = 1
    for size in shape:
        count *= size
    numbers = torch.arange(count) % (2 if dtype is torch.bool else 113)
    if dtype.is_complex:
        numbers = torch.complex(numbers.double(), (torch.arange(count) % 7).double())
    return numbers.to(dtype).reshape(shape)


def checksum(x):
    flat = x.clone(memory_format=torch.contiguous_format).reshape(-1)
    return zlib.crc32(bytes(flat.view(torch.uint8).tolist()) if flat.numel() else b"")


def meta(x, source, first, has_crc=True):
    def shares(other):
        return x.untyped_storage()._cdata == other.untyped_storage()._cdata

    formats = (torch.contiguous_format, torch.channels_last, torch.channels_last_3d)
    return {
        "shape": list(x.shape),
        "strides": list(x.stride()),
        "offset": x.storage_offset(),
        "dtype": str(x.dtype)[6:],
        "contig": [x.is_contiguous(memory_format=memory_format) for memory_format in formats],
        "dense": torch.ops.aten.is_non_overlapping_and_dense(x),
        "alias": source is not None and shares(source),
        "root": shares(first),
        "nbytes": x.untyped_storage().nbytes(),
        "crc": checksum(x) if has_crc else None,
    }


def inverse(dims):
    return [dims.index(axis) for axis in range(len(dims))]


def add_permuted(x, dims):
    return x + counting([x.shape[dim] for dim in dims], x.dtype).permute(inverse(dims))


def view_step(x, draw):
    """A view of x, with its name and its arguments."""
    rank = x.dim()
    dims = draw.sample(range(rank), rank)
    choices = ["permute", "unsqueeze"]
    if rank:
        choices += ["select", "slice", "slice", "narrow", "expand", "diagonal"] if rank > 1 else ["slice", "expand"]
    name = draw.choice(choices)
    axis = draw.randrange(rank) if rank else 0
    size = x.shape[axis] if rank else 1
    if name == "permute":
        return name, {"dims": dims}, x.permute(dims)
    if name == "unsqueeze":
        dim = draw.randint(0, rank)
        return name, {"dim": dim}, x.unsqueeze(dim)
    if name == "select" and size:
        index = draw.randrange(size)
        return name, {"dim": axis, "index": index}, x.select(axis, index)
    if name == "slice":
        start, step = draw.randint(0, size), draw.randint(1, 3)
        return name, {"dim": axis, "start": start, "step": step}, torch.ops.aten.slice(x, axis, start, None, step)
    if name == "narrow" and size:
        start = draw.randrange(size)
        length = draw.randint(1, size - start)
        return name, {"dim": axis, "start": start, "length": length}, x.narrow(axis, start, length)
    if name == "expand":
        sizes = [draw.choice((1, 2, 3)) if n == 1 else n for n in x.shape]
        sizes = [2, *sizes] if rank < 4 and draw.random() < 0.5 else sizes
        return name, {"size": sizes}, x.expand(sizes)
    if name == "diagonal":
        dim0, dim1 = dims[:2]
        return name, {"offset": 0, "dim1": dim0, "dim2": dim1}, x.diagonal(0, dim0, dim1)
    return "permute", {"dims": dims}, x.permute(dims)


def elementwise_step(x, draw):
    """An element-wise operation on x; a refused one raises."""
    names = ["abs", "add_scalar", "add_permuted"] + ["add_rowvec"] * (x.dim() > 0)
    name = draw.choice(names)
    if name == "abs":
        return name, {}, lambda: x.abs()
    if name == "add_scalar":
        value = draw.choice((1, -3, 200, 0.5, True))
        return name, {"value": value}, lambda: x + value
    if name == "add_permuted":
        dims = draw.sample(range(x.dim()), x.dim())
        return name, {"dims": dims}, lambda: add_permuted(x, dims)
    return name, {}, lambda: x + counting(x.shape[-1:], x.dtype)


def chain(number, draw):
    shape = [draw.choice((0, 1, 2, 3, 4, 5)) if draw.random() < 0.97 else 0 for _ in range(draw.randint(0, 4))]
    dtype = getattr(torch, draw.choice(TYPES))
    first = counting(shape, dtype)
    init = {"shape": shape, "dtype": str(dtype)[6:], "fill": "arange113"}
    steps, x = [], first
    for _ in range(draw.randint(2, 6)):
        if draw.random() < 0.5:
            name, args, out = view_step(x, draw)
        else:
            name, args, run = elementwise_step(x, draw)
            try:
                out = run()
            except Exception as error:
                steps.append({"op": name, "args": args, "ok": False, "err": {"type": type(error).__name__}})
                continue
        # The absolute value of a complex number depends on the platform in its last bit.
        has_crc = not (name == "abs" and x.dtype.is_complex)
        steps.append({"op": name, "args": args, "ok": True, "outs": meta(out, x, first, has_crc)})
        if not has_crc:
            break
        x = out
    return {"id": number, "init": init, "init_meta": meta(first, None, first), "steps": steps}


def main():
    draw = random.Random(31)
    for number in range(CHAINS):
        json.dump(chain(number, draw), sys.stdout, separators=(",", ":"))
        print()


if __name__ == "__main__":
    main()
