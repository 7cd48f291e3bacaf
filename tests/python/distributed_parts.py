# SPDX-License-Identifier: Apache-2.0
"""Distributions by their slow definition, and random ones."""

from __future__ import annotations

import itertools
import random

import numpy
from tenstride.distributed import BlockCyclic, Distribution, Placement, Replicate, Shard, StridedShard, distribute


def indices_held(size: int, distribution: Distribution, axis: int, rank: int) -> list[int]:
    """The indices of an axis that a rank holds: each axis of the mesh deals out what those before it left."""
    left = list(range(size))
    coordinate = numpy.unravel_index(rank, distribution.mesh) if distribution.mesh else ()
    for placement, ranks, place in zip(distribution.placements, distribution.mesh, coordinate):
        if placement.is_replicate or placement.dim != axis:
            continue
        if placement.block:
            left = [index for i, index in enumerate(left) if i // placement.block % ranks == place]
            continue
        pieces = chunks(left, max(placement.split_factor, 1))
        left = [index for piece in pieces for index in chunks(piece, ranks)[place]]
    return left


def chunks(entries: list[int], count: int) -> list[list[int]]:
    """As `torch.chunk` cuts, with empty ones to make up the number."""
    each = max(1, -(-len(entries) // count))
    return [entries[i * each : (i + 1) * each] for i in range(count)]


def part_of(whole: numpy.ndarray, distribution: Distribution, rank: int) -> numpy.ndarray:
    """What a rank holds of an array."""
    for axis, size in enumerate(whole.shape):
        whole = numpy.take(whole, indices_held(size, distribution, axis, rank), axis)
    return whole


def random_placement(draw: random.Random, rank: int) -> Placement:
    dim = draw.randrange(rank)
    return draw.choice(
        [Replicate(), Shard(dim), Shard(dim), StridedShard(dim, 2), BlockCyclic(dim, draw.randint(1, 3))]
    )


def random_mesh(draw: random.Random, size: int) -> tuple[int, ...]:
    meshes = [mesh for mesh in itertools.product(range(1, size + 1), repeat=2) if mesh[0] * mesh[1] == size]
    return draw.choice([(size,), *meshes])


def random_problem(draw: random.Random, size: int) -> tuple[Distribution, tuple[int, ...], Distribution]:
    """A tensor as it is held, an order of its axes, and as it is wanted, perhaps in another shape."""
    shape = tuple(draw.choice([1, 2, 3, 4, 5, 6, 8]) for _ in range(draw.randint(1, 3)))
    order = tuple(draw.sample(range(len(shape)), len(shape)))
    ordered = tuple(shape[axis] for axis in order)
    count = int(numpy.prod(shape))
    divisors = [d for d in range(1, count + 1) if count % d == 0]
    first = draw.choice(divisors)
    result = draw.choice([ordered, ordered, (count,), (first, count // first)])
    spread = [
        distribute(sizes, mesh, [random_placement(draw, len(sizes)) for _ in mesh])
        for sizes in (shape, result)
        for mesh in [random_mesh(draw, size)]
    ]
    return spread[0], order, spread[1]
