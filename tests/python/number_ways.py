# SPDX-License-Identifier: Apache-2.0
"""The ways by which a number becomes an element, which record_scalars.py asks PyTorch and test_scalars.py tenstride."""

from __future__ import annotations


def put(x, key, number):
    x[key] = number
    return x


def ways_of(torch):
    """Each way by its name: a function of a tensor and a number that gives the tensor with the number in it."""
    return {
        "fill_": lambda x, n: x.fill_(n),
        "set_all": lambda x, n: put(x, Ellipsis, n),
        "set_row": lambda x, n: put(x, 0, n),
        "set_mask": lambda x, n: put(x, torch.tensor([True, False]), n),
        "set_list": lambda x, n: put(x, [0], n),
        "full": lambda x, n: torch.full((2,), n, dtype=x.dtype),
        "full_like": lambda x, n: torch.full_like(x, n),
        "new_full": lambda x, n: x.new_full((2,), n),
        "scalar_tensor": lambda x, n: torch.scalar_tensor(n, dtype=x.dtype),
        "tensor": lambda x, n: torch.tensor([n], dtype=x.dtype),
        "where_first": lambda x, n: torch.where(torch.tensor([True, False]), n, x),
        "where_second": lambda x, n: torch.where(torch.tensor([False, True]), x, n),
        "where_method": lambda x, n: x.where(torch.tensor([False, True]), n),
        "clamp_min": lambda x, n: torch.clamp(x, min=n),
        "clamp_max": lambda x, n: torch.clamp(x, max=n),
        "clamp_": lambda x, n: x.clamp_(n, n),
    }
