# SPDX-License-Identifier: Apache-2.0
"""The elements that bench/formats.sh measures with: a smooth field with noise, as a year of temperatures is, in 64ths.

Each is known from its position, so that results are checked without a second copy."""

import numpy

FACTOR = 2654435761


def field(t, y, x):
    """float32; t, y and x are arrays of positions that broadcast."""
    t, y, x = (numpy.asarray(axis, dtype=numpy.int64) for axis in (t, y, x))
    smooth = numpy.rint(1280 * numpy.sin(y / 97) + 960 * numpy.cos(x / 71) + 320 * numpy.sin(t / 24)).astype(numpy.int64)
    noise = (((t * 1000003 + y * 8191 + x) * FACTOR) >> 13) & 31
    return ((smooth + noise) / 64).astype(numpy.float32)


def slab(shape, first, last):
    """The elements [first:last] of the first axis."""
    t, y, x = (numpy.arange(size) for size in shape)
    return field(t[first:last, None, None], y[None, :, None], x[None, None, :])


def check(shape, order, found_shape, read, samples):
    """What is wrong with a result whose axis i is axis order[i] of a field of this shape, or None."""
    wanted_shape = tuple(shape[axis] for axis in order)
    if tuple(found_shape) != wanted_shape:
        return f"the result has the shape {tuple(found_shape)} and must have {wanted_shape}"
    random = numpy.random.default_rng(1)
    last = tuple(size - 1 for size in wanted_shape)
    positions = [(0,) * len(last), last]
    positions += [tuple(int(random.integers(size)) for size in wanted_shape) for _ in range(samples)]
    for position in positions:
        index = [0] * len(shape)
        for place, axis in zip(position, order):
            index[axis] = place
        found, wanted = float(read(position)), float(field(*index))
        if found != wanted:
            return f"the element at {position} is {found} and must be {wanted}"
    return None
