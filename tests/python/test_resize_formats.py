# SPDX-License-Identifier: Apache-2.0
"""`resize_` and `resize_as_` with a memory format; the strides are those that PyTorch 2.6 gives."""

from __future__ import annotations

import pytest
import tenstride as torch

LAST, PRESERVE, CONTIGUOUS = torch.channels_last, torch.preserve_format, torch.contiguous_format
ROWS, CHANNELS_LAST = (60, 20, 5, 1), (60, 1, 15, 3)


def images(memory_format=CONTIGUOUS):
    return torch.zeros(2, 3, 4, 5).contiguous(memory_format=memory_format)


@pytest.mark.parametrize(
    ("template", "memory_format", "strides"),
    [
        (images(LAST), None, ROWS),
        (images(LAST), PRESERVE, CHANNELS_LAST),
        (images(LAST), LAST, CHANNELS_LAST),
        (images(LAST), CONTIGUOUS, ROWS),
        (images(LAST)[:, :, ::2], PRESERVE, (30, 1, 15, 3)),
        (images(LAST).permute(1, 0, 2, 3), PRESERVE, (40, 20, 5, 1)),
        (images().permute(1, 0, 2, 3), PRESERVE, (40, 20, 5, 1)),
        (torch.zeros(3, 4).t(), PRESERVE, (3, 1)),
    ],
)
def test_resize_as_takes_the_templates_format_where_it_is_to_be_preserved(template, memory_format, strides):
    x = torch.zeros(120)
    assert x.resize_as_(template, memory_format=memory_format) is x
    assert (x.shape, x.stride()) == (template.shape, strides)


@pytest.mark.parametrize(
    ("x", "memory_format", "strides"),
    [
        (torch.zeros(120), LAST, CHANNELS_LAST),
        (images(), LAST, CHANNELS_LAST),
        (images(LAST), None, CHANNELS_LAST),
        (images(LAST), CONTIGUOUS, ROWS),
    ],
)
def test_a_format_that_is_given_counts_where_the_sizes_stay(x, memory_format, strides):
    x.resize_((2, 3, 4, 5), memory_format=memory_format)
    assert (tuple(x.shape), x.stride()) == ((2, 3, 4, 5), strides)


def test_a_format_of_another_rank_is_refused():
    with pytest.raises(RuntimeError):
        torch.zeros(120).resize_((2, 3, 4), memory_format=LAST)
    with pytest.raises(RuntimeError):
        torch.zeros(120).resize_as_(torch.zeros(3, 4), memory_format=LAST)
    with pytest.raises(RuntimeError):
        torch.zeros(120).resize_((2, 3, 4, 5), memory_format=PRESERVE)


def test_to_memory_format_moves_elements_within_their_own_memory():
    x = torch.arange(120).view(2, 3, 4, 5)
    expected, address = x.tolist(), x.data_ptr()
    assert x.to_memory_format_(LAST) is x
    assert (x.tolist(), x.stride(), x.data_ptr()) == (expected, CHANNELS_LAST, address)
    x.to_memory_format_(CONTIGUOUS, extra_bytes=1 << 10)
    assert (x.tolist(), x.stride()) == (expected, ROWS)


@pytest.mark.parametrize(
    ("x", "arguments", "error", "text"),
    [
        (images(), (PRESERVE,), ValueError, "preserve must be one that says where elements lie"),
        (torch.zeros(3, 4), (LAST,), torch.ShapeError, "channels_last"),
        (images()[:, :, ::2], (LAST,), RuntimeError, "to_memory_format_"),
    ],
)
def test_to_memory_format_refuses(x, arguments, error, text):
    with pytest.raises(error, match=text):
        x.to_memory_format_(*arguments)
