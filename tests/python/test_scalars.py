# SPDX-License-Identifier: Apache-2.0
"""A number that becomes an element: taken, wrapped or refused as PyTorch 2.6 does, of every type and by every way in.

The answers were recorded by tests/record/record_scalars.py.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
import tenstride as torch
from number_ways import put, ways_of

DATA = Path(__file__).resolve().parent.parent / "data" / "scalars.jsonl.gz"
NAMES = {"inf": float("inf"), "nan": float("nan"), "infj": complex(0, float("inf")), "nanj": complex(0, float("nan"))}


WAYS = ways_of(torch)


def rows():
    with gzip.open(DATA, "rt") as lines:
        return [json.loads(line) for line in lines]


def is_beyond_64_bits(number):
    return isinstance(number, int) and not -(2**63) <= number < 2**64


def is_left_out(way, dtype, number):
    """What docs/conformance.md lists, and element types that are not one with a complex number yet."""
    is_complex = isinstance(number, complex)
    if way == "tensor":
        return is_beyond_64_bits(number)
    if way.startswith("clamp"):
        return is_complex or dtype.startswith("float8")
    is_half = dtype == "float16" and not hasattr(torch, "complex32")
    return way.startswith("where") and is_complex and (is_half or dtype in ("uint16", "uint32", "uint64"))


def bytes_of_first(result):
    return memoryview(result.reshape(-1)[:1].clone().view(torch.uint8)).tobytes().hex()


def disagreement(way, dtype, number, kind, answer):
    """What went otherwise than recorded; empty where nothing did."""
    x = torch.zeros(2, dtype=getattr(torch, dtype))
    try:
        result = WAYS[way](x, number)
    except Exception as error:
        if kind == "ok":
            return f"{number!r}: refused ({error}), PyTorch gives {answer}"
        is_kind = any(base.__name__ == kind for base in type(error).__mro__)
        return "" if is_kind else f"{number!r}: {type(error).__name__} ({error}), PyTorch {kind} ({answer})"
    given = [str(result.dtype).split(".")[1], bytes_of_first(result)]
    if kind != "ok":
        return f"{number!r}: gives {given}, PyTorch {kind} ({answer})"
    # The bits of a NaN are the processor's own.
    if given != answer and (given[0] != answer[0] or bool(result[:1].isnan().all()) is False):
        return f"{number!r}: gives {given}, PyTorch {answer}"
    return ""


@pytest.mark.parametrize("row", [pytest.param(row, id=f"{row['entry']}-{row['dtype']}") for row in rows()])
def test_a_number_becomes_an_element_as_in_pytorch(row):
    wrong = []
    for text, kind, answer in row["numbers"]:
        number = eval(text, dict(NAMES))
        if kind == "absent" or is_left_out(row["entry"], row["dtype"], number):
            continue
        wrong.append(disagreement(row["entry"], row["dtype"], number, kind, answer))
    assert [line for line in wrong if line] == []


def test_ints_beyond_64_bits_are_refused_by_tensor_too():
    for dtype in (torch.bool, torch.float32, torch.int64):
        with pytest.raises(RuntimeError, match="must fit 64 bits"):
            torch.tensor([1 << 70], dtype=dtype)


def test_the_text_says_what_and_why():
    with pytest.raises(RuntimeError) as refused:
        torch.full((2,), 300, dtype=torch.uint8)
    assert str(refused.value) == (
        "full: 300 must lie in the range of uint8 (value cannot be converted to type uint8 without overflow)"
    )


def test_nothing_is_checked_on_meta_and_everything_where_nothing_is_written():
    meta = {"dtype": torch.uint8, "device": "meta"}
    assert torch.full((2,), 300, **meta).shape == (2,)
    assert torch.zeros(2, **meta).fill_(300).shape == (2,)
    put(torch.zeros(2, **meta), Ellipsis, 300)
    for call in (
        lambda: torch.full((0,), 300, dtype=torch.uint8),
        lambda: torch.zeros(0, dtype=torch.uint8).fill_(300),
        lambda: put(torch.zeros(0, dtype=torch.uint8), Ellipsis, 300),
        lambda: torch.where(torch.zeros(0, dtype=torch.bool), torch.zeros(0, dtype=torch.uint8), 300),
        lambda: torch.zeros(0, dtype=torch.uint8).clamp(300),
    ):
        with pytest.raises(RuntimeError, match="without overflow"):
            call()


def test_a_tensor_of_one_element_is_a_number_where_pytorch_takes_it_as_one():
    mask = torch.tensor([True, False])
    bytes_ = torch.zeros(2, dtype=torch.uint8)
    for value in (torch.tensor(300), torch.tensor([300])):
        with pytest.raises(RuntimeError, match="without overflow"):
            bytes_[mask] = value
    with pytest.raises(RuntimeError, match="without overflow"):
        torch.full((2,), torch.tensor(300), dtype=torch.uint8)
    bytes_[mask] = torch.tensor(-5)
    assert bytes_.tolist() == [251, 0]
    bytes_[0] = torch.tensor(300)
    assert bytes_.tolist() == [44, 0]
    assert bytes_.fill_(torch.tensor(300)).tolist() == [44, 44]
    with pytest.raises(RuntimeError, match="must have rank 0"):
        bytes_.fill_(torch.tensor([3]))


def test_copy_takes_a_number_and_converts_it_as_elements():
    assert torch.zeros(3).copy_(1).tolist() == [1, 1, 1]
    assert torch.zeros(3, dtype=torch.int32).copy_(1.5).tolist() == [1, 1, 1]
    assert torch.zeros(3, dtype=torch.uint8).copy_(300).tolist() == [44, 44, 44]
    assert torch.zeros(3, dtype=torch.uint8).copy_(-1).tolist() == [255, 255, 255]
    assert torch.zeros(3, dtype=torch.float16).copy_(1e300).tolist() == [float("inf")] * 3
    assert torch.zeros(3, dtype=torch.int64).copy_(2**63).tolist() == [-(2**63)] * 3
    for wrong in ([1], None, "a"):
        with pytest.raises(TypeError):
            torch.zeros(3).copy_(wrong)
