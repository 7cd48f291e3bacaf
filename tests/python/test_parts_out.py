# SPDX-License-Identifier: Apache-2.0
"""`out=` of the copies that give several tensors: what PyTorch 2.6 gives, and the kinds of what it refuses."""

from __future__ import annotations

import pytest
import tenstride as torch


def outs(*sizes, dtype=torch.float32):
    return [torch.empty(size, dtype=dtype) for size in sizes]


@pytest.mark.parametrize(
    ("write", "given", "wanted"),
    [
        (lambda x, out: torch.split_copy(x, 2, out=out), outs(2, 2), [[0, 1], [2, 3]]),
        (lambda x, out: torch.split_copy(x, 2, out=tuple(out)), outs(2, 2), [[0, 1], [2, 3]]),
        (lambda x, out: torch.split_copy(x, 2, out=out), outs(2, 2, dtype=torch.int64), [[0, 1], [2, 3]]),
        (lambda x, out: torch.split_copy(x, 3, out=out), outs(3, 2), [[0, 1, 2], [3, 3]]),
        (lambda x, out: torch.unbind_copy(x, out=out), outs((), (), (), ()), [0, 1, 2, 3]),
        (lambda x, out: torch.split_with_sizes_copy(x, [1, 3], out=out), outs(0, 3), [[0], [1, 2, 3]]),
    ],
)
def test_each_part_goes_into_its_tensor_and_none_comes_back(write, given, wanted):
    assert write(torch.arange(4.0), given) is None
    assert [one.tolist() for one in given] == wanted


@pytest.mark.parametrize(
    ("write", "kind"),
    [
        (lambda x: torch.split_copy(x, 2, out=outs(2)), RuntimeError),
        (lambda x: torch.split_copy(x, 2, out=outs(0, 2)), RuntimeError),
        (lambda x: torch.split_copy(x, 2, out=torch.empty(2)), TypeError),
        (lambda x: torch.unbind_copy(x, out=outs((), ())), RuntimeError),
        (lambda x: torch.split_copy(x, 2, out=[x[:2], x[1:3]]), RuntimeError),
        (lambda x: torch.split_with_sizes_copy(x, [1, 3], out=outs(1, 3, dtype=torch.float64)), RuntimeError),
    ],
)
def test_refusals(write, kind):
    with pytest.raises(kind):
        write(torch.arange(4.0))
