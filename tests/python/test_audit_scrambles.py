# SPDX-License-Identifier: Apache-2.0
"""The audit's scrambles, held against the definition and the reshapes of real models."""

from __future__ import annotations

import gzip
import itertools
import math
import random
from pathlib import Path

import numpy
import pytest
import tenstride
from tenstride.audit.layouts import find_scramble

RESHAPES = Path(__file__).resolve().parents[1] / "data" / "reshapes_of_models.txt.gz"


def test_another_order_of_the_sizes_is_one_and_the_order_undoes_it():
    """The definition: without ones the same sizes in another order; `order` permutes to the new sizes."""
    sizes = (1, 2, 3, 3)
    for source in itertools.product(sizes, repeat=3):
        for to in set(itertools.permutations((*source, 1))) | set(itertools.permutations(source)):
            found = find_scramble(source, to)
            kept = [size for size in source if size != 1], [size for size in to if size != 1]
            assert (found is not None) == (kept[0] != kept[1] and sorted(kept[0]) == sorted(kept[1]))
            if found is not None:
                assert found.split == source and sorted(found.order) == [0, 1, 2]
                assert [source[i] for i in found.order if source[i] != 1] == kept[1]


@pytest.mark.parametrize(
    ("source", "to"),
    [
        ((4, 4), (4, 4)),
        ((6,), (3, 2)),
        ((2, 3), (2, 1, 3)),
        ((2, 3), (6,)),
        ((0, 2), (2, 0)),
        ((2, 7, 5, 7), (2, 35, 7)),
        ((16, 64, 8, 8), (16, 64, 64)),
    ],
)
def test_split_merge_ones_and_equal_sizes_are_none(source, to):
    assert find_scramble(source, to) is None


def test_in_words():
    assert str(find_scramble((2, 3), (3, 2))) == (
        "the sizes (2,3) are reordered to (3,2) but no axis is moved, so the elements are scrambled; "
        "probably meant: .transpose(0, 1)"
    )
    assert str(find_scramble((2, 4, 5), (4, 10))) == (
        "the sizes (2,4,5) become (4,10) but no axis is moved, so the elements may be scrambled; "
        "possibly meant: .transpose(0, 1).reshape(4, 10)"
    )


def random_sizes(rng, count):
    """Sizes of so many elements, ones among them."""
    sizes = []
    while count > 1:
        sizes.append(rng.choice([size for size in range(2, count + 1) if count % size == 0]))
        count //= sizes[-1]
    rng.shuffle(sizes)
    for _ in range(rng.choice((0, 0, 1, 2))):
        sizes.insert(rng.randrange(len(sizes) + 1), 1)
    return tuple(sizes)


def test_the_code_gives_what_split_and_order_say():
    """With NumPy: the code in its words, and elements in other places than after the reshape."""
    rng = random.Random(12)
    certainties = set()
    for _ in range(4000):
        count = rng.choice((12, 24, 30, 36, 48))
        source, to = random_sizes(rng, count), random_sizes(rng, count)
        found = find_scramble(source, to)
        if found is None:
            continue
        certainties.add(found.certainty)
        x = tenstride.arange(math.prod(source)).view(source)
        meant = eval("x" + found.code, {"x": x})
        expected = numpy.arange(math.prod(source)).reshape(found.split).transpose(found.order).reshape(to)
        assert tuple(meant.shape) == to
        assert numpy.array_equal(meant.numpy(), expected), (source, to)
        assert not numpy.array_equal(expected.ravel(), numpy.arange(math.prod(source)))
        assert find_scramble(found.split, to) is not None or found.split == source
    assert certainties == {"possible", "likely", "certain"}


def read_reshapes():
    """The pairs of sizes that models reshape."""
    for line in gzip.decompress(RESHAPES.read_bytes()).decode().splitlines():
        source, to = (tuple(int(size) for size in sizes.split(",") if size) for sizes in line.split(" "))
        yield source, to


def is_skew(source, to):
    """Diagonals become rows on purpose: rows of 2n or 2n-1 elements are read as rows of n, as Transformer-XL does with
    relative positions, or rows of n+1 as rows of n, as Longformer does with its band."""
    (rows, columns), short = source[-2:], min(source[-1], source[-2])
    return to == (*source[:-2], columns, rows) and max(rows, columns) in (2 * short, 2 * short - 1, short + 1)


ALLOWED = {
    # torch.nn.MultiheadAttention: (time, batch, heads·64) to (time, batch·heads, 64) where the batch is 64, too
    ((64, 64, 512), (64, 512, 64)),
    # and the heads of its result merged
    ((64, 512, 64), (4096, 512)),
}


def test_honest_reshapes_of_real_models_raise_no_alarm():
    """Recorded of 198 models (tools/record_reshapes.py); but for the cases named, none is found."""
    count = 0
    skews = 0
    for source, to in read_reshapes():
        count += 1
        if find_scramble(source, to) is None or (source, to) in ALLOWED:
            continue
        assert is_skew(source, to), (source, to)
        skews += 1
    assert (count, skews) == (5134, 29)
