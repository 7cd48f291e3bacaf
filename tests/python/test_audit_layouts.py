# SPDX-License-Identifier: Apache-2.0
"""The audit's layouts and views, held against PyTorch and the definition."""

from __future__ import annotations

import doctest
import importlib
import math
import random

import pytest
import tenstride
from tenstride.audit import layouts
from tenstride.audit.layouts import Layout, can_view, why_not_view

MODULES = ["layouts", "slices", "text", "strip"]


@pytest.mark.parametrize("name", MODULES)
def test_docstrings_give_what_they_say(name):
    module = importlib.import_module(f"tenstride.audit.{name}")
    failed, tried = doctest.testmod(module)
    assert tried and not failed


def random_layout(rng):
    """A layout as programs have them: contiguous, then permuted, sliced, expanded."""
    shape = [rng.choice((1, 1, 2, 2, 3, 4, 0 if rng.random() < 0.1 else 6)) for _ in range(rng.randrange(5))]
    strides = [math.prod(max(size, 1) for size in shape[axis + 1 :]) for axis in range(len(shape))]
    order = list(range(len(shape)))
    if rng.random() < 0.5:
        rng.shuffle(order)
    if shape and rng.random() < 0.3:
        strides[rng.randrange(len(shape))] *= rng.choice((0, 2, 3))
    return Layout(tuple(shape[i] for i in order), tuple(strides[i] for i in order), rng.randrange(3))


def random_shape(rng, count):
    sizes = []
    while count > 1 and rng.random() < 0.8:
        sizes.append(rng.choice([size for size in range(1, count + 1) if count % size == 0]))
        count //= sizes[-1]
    sizes.append(count)
    rng.shuffle(sizes)
    if rng.random() < 0.3:
        sizes.insert(rng.randrange(len(sizes) + 1), 1)
    return tuple(sizes)


def cases(count, seed):
    rng = random.Random(seed)
    for _ in range(count):
        layout = random_layout(rng)
        yield layout, random_shape(rng, layout.numel)


def test_views_are_pytorchs():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed for this Python")
    views = refusals = 0
    for layout, shape in cases(3000, 7):
        try:
            strides = tuple(torch.empty(4096).as_strided(*layout).view(shape).stride())
        except RuntimeError:
            strides = None
        assert can_view(layout, shape) == (strides is not None), (layout, shape)
        assert (why_not_view(layout, shape) is None) == (strides is not None)
        if strides is not None:
            assert tenstride.empty(4096).as_strided(*layout).view(shape).stride() == strides, (layout, shape)
        views += strides is not None
        refusals += strides is None
    assert views > 500 and refusals > 500


def test_obstacle_names_axes_that_do_not_nest():
    for layout, shape in cases(3000, 8):
        obstacle = why_not_view(layout, shape)
        if obstacle is None:
            continue
        left, right = obstacle.left_axis, obstacle.right_axis
        assert left < right and all(layout.shape[axis] == 1 for axis in range(left + 1, right))
        assert layout.strides[left] == obstacle.stride_found
        assert layout.strides[right] * layout.shape[right] == obstacle.stride_needed
        assert obstacle.stride_found != obstacle.stride_needed


def test_obstacle_in_words():
    obstacle = why_not_view(Layout((2, 2, 3), (6, 1, 2), 0), (12,))
    assert str(obstacle) == "no view: axes 1 and 2 would merge, axis 1 has stride 1 and must have 6"


def test_contiguity_is_pytorchs():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed for this Python")
    for layout, _ in cases(3000, 10):
        tensor = torch.empty(4096).as_strided(*layout)
        assert layouts.is_contiguous(layout) == tensor.is_contiguous(), layout
        if len(layout.shape) == 4:
            expected = tensor.is_contiguous(memory_format=torch.channels_last)
            assert layouts.is_channels_last(layout) == expected, layout
