# SPDX-License-Identifier: Apache-2.0
"""The checksum against its definition, the NumPy function in docs/convert.md."""

from __future__ import annotations

import pathlib
import re

import pytest
import tenstride as torch

numpy = pytest.importorskip("numpy")

PAGE = pathlib.Path(__file__).parents[2] / "docs" / "convert.md"


@pytest.fixture(scope="module")
def definition():
    """The function `checksum` of the page."""
    code = re.search(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    names = {}
    exec(code[1], names)
    return names["checksum"]


DTYPES = [
    "bool",
    "int8",
    "uint8",
    "int16",
    "uint16",
    "int32",
    "uint32",
    "int64",
    "uint64",
    "float16",
    "float32",
    "float64",
    "complex64",
    "complex128",
]


@pytest.mark.parametrize("dtype", DTYPES)
def test_is_that_of_the_definition(definition, dtype):
    random = numpy.random.default_rng(1)
    x = (random.standard_normal((7, 13, 29)) * 50).astype("int8").astype(dtype)
    for view in (x, x.T, x[:, ::-2], x[3:, 1:2], x[0, 0, 0], x[:0], numpy.broadcast_to(x[:1], x.shape)):
        digits = definition(view)
        assert torch.checksum(torch.from_numpy(numpy.array(view))) == digits
        assert torch.checksum(view) == digits


def test_conjugates_count_by_their_values(definition):
    z = torch.randn(5, 6, dtype=torch.complex64)
    assert torch.checksum(z.conj().T) == definition(z.numpy().conj().T)


def test_refuses_what_is_no_array():
    with pytest.raises(TypeError, match=r"^checksum: a Tensor or an array must be given \(str\)$"):
        torch.checksum("x.npy")
