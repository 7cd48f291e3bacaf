#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records what PyTorch's DTensor answers, for tests/distribution/test_dtensor.cpp.

Run by hand where PyTorch 2.15 is installed:  tests/record/record_dtensor.py | gzip -9n > tests/data/dtensor.jsonl.gz

Processes over gloo, as many as the mesh has ranks, spread the elements 0, 1, 2, ... of each shape over it. One JSON
object a line: {"shape", "mesh", "placements", "locals"}, the elements of each rank's own tensor, row by row; or, of an
operation, {"shape", "mesh", "placements", "view"} or {"permute"} with its argument, and either {"raises"} or
{"gives"}, the placements of the result, {"communicates"}, how many collective calls it took, and {"locals"}.
"""

import itertools
import json
import math
import os
import sys
import tempfile

import torch
import torch.distributed
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import Replicate, Shard, distribute_tensor
from torch.distributed.tensor.debug import CommDebugMode

MESHES = [(2,), (3,), (4,), (2, 2)]
SHAPES = [
    (12,),
    (3, 4),
    (4, 3),
    (2, 6),
    (6, 2),
    (2, 2, 3),
    (2, 3, 2),
    (20,),
    (5, 4),
    (4, 5),
    (10, 2),
    (7,),
    (1, 7),
    (0, 3),
]


def text_of(placement):
    if placement.is_replicate():
        return "Replicate()"
    if hasattr(placement, "split_factor"):  # parts of each of so many consecutive pieces of an axis
        return f"StridedShard({placement.dim},{placement.split_factor})"
    return f"Shard({placement.dim})"


def locals_of(tensor):
    """What each rank holds, on all ranks."""
    own = tensor.to_local().contiguous().flatten().tolist()
    everything = [None] * torch.distributed.get_world_size()
    torch.distributed.all_gather_object(everything, own)
    return everything


def answer(call, argument, spread):
    try:
        with CommDebugMode() as calls:
            result = getattr(spread, call)(*argument)
    except (RuntimeError, NotImplementedError) as error:
        return {call: argument, "raises": str(error).splitlines()[0]}
    placements = [text_of(placement) for placement in result.placements]
    return {call: argument, "gives": placements, "communicates": calls.get_total_counts(), "locals": locals_of(result)}


def cases(mesh):
    """Yields a record for each case. All ranks make the same calls in the same order."""
    for shape in SHAPES:
        choices = [Replicate(), *(Shard(axis) for axis in range(len(shape)))]
        for placements in itertools.product(choices, repeat=mesh.ndim):
            elements = torch.arange(math.prod(shape)).reshape(shape)
            spread = distribute_tensor(elements, mesh, placements)
            head = {"shape": shape, "mesh": tuple(mesh.shape), "placements": [text_of(each) for each in placements]}
            yield head | {"locals": locals_of(spread)}
            for to in SHAPES:
                if math.prod(to) == math.prod(shape) and to != shape:
                    yield head | answer("view", to, spread)
            for order in itertools.permutations(range(len(shape))):
                if len(shape) > 1:
                    yield head | answer("permute", order, spread)


def record(rank, shape, store):
    ranks = math.prod(shape)
    torch.distributed.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=ranks)
    mesh = init_device_mesh("cpu", shape)
    with open(os.devnull if rank else f"{store}.jsonl", "w") as out:
        for case in cases(mesh):
            out.write(json.dumps(case) + "\n")
    torch.distributed.destroy_process_group()


def main():
    for shape in MESHES:
        with tempfile.TemporaryDirectory() as folder:
            store = os.path.join(folder, "store")
            torch.multiprocessing.spawn(record, (shape, store), nprocs=math.prod(shape))
            with open(f"{store}.jsonl") as lines:
                sys.stdout.write(lines.read())


if __name__ == "__main__":
    main()
