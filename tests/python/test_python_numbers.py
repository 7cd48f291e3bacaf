# SPDX-License-Identifier: Apache-2.0
"""`int(x)`, `float(x)`, `complex(x)` and `value in x`: what PyTorch 2.6 gives, and the kinds of what it refuses."""

from __future__ import annotations

import math

import pytest
import tenstride as torch


@pytest.mark.parametrize("convert", [int, float, complex])
@pytest.mark.parametrize("x", [torch.arange(3), torch.zeros(0), torch.zeros(3, device="meta")])
def test_other_than_one_element_is_a_value_error(convert, x):
    with pytest.raises(ValueError, match="elements and must have 1"):
        convert(x)


def test_a_complex_number_without_an_imaginary_part_is_real():
    assert int(torch.tensor([1.5 + 0j])) == 1
    assert float(torch.tensor(1.5 + 0j)) == 1.5
    assert math.isnan(float(torch.tensor(complex(math.nan, 0))))
    assert math.floor(torch.tensor(1.5 + 0j)) == 1


@pytest.mark.parametrize("convert", [int, float, math.floor])
def test_a_complex_number_with_an_imaginary_part_is_not(convert):
    with pytest.raises(RuntimeError, match="imaginary"):
        convert(torch.tensor(1 + 2j))


def test_int_of_what_no_int64_holds():
    assert int(torch.tensor(2.0**100)) == 2**100
    with pytest.raises(ValueError, match="NaN"):
        int(torch.tensor(math.nan))
    for value in (math.nan, math.inf):
        with pytest.raises(RuntimeError, match="fit"):
            int(torch.tensor(complex(value, 0)))


@pytest.mark.parametrize("value", [None, "a", object()])
def test_what_is_no_number_cannot_be_in_a_tensor(value):
    assert 2 in torch.arange(3)
    with pytest.raises(RuntimeError, match="must be a number or a Tensor"):
        value in torch.arange(3)  # noqa: B015
