# SPDX-License-Identifier: Apache-2.0
"""Refusals are of the kinds that PyTorch 1.13 raises; NumPy's names of arguments are taken where it takes them."""

from __future__ import annotations

import pytest
import tenstride as torch


@pytest.mark.parametrize("key", [1.5, {}, object(), (None, 1.5), (0, 2.0)])
def test_what_is_no_index_is_an_index_error(key):
    with pytest.raises(IndexError, match="must be an int, a slice, None"):
        torch.zeros(3, 4)[key]


def test_a_text_is_a_type_error():
    with pytest.raises(TypeError):
        torch.zeros(3)["a"]
    with pytest.raises(TypeError):
        torch.tensor([1, "a"])


@pytest.mark.parametrize(
    "call",
    [
        lambda: torch.tensor(1 << 70),
        lambda: torch.zeros(3)[1 << 70],
        lambda: torch.zeros(3).view(1 << 70),
        lambda: -(torch.zeros(3) > 0),
    ],
)
def test_runtime_errors(call):
    with pytest.raises(RuntimeError):
        call()


@pytest.mark.parametrize(
    "call",
    [
        lambda: torch.promote_types(None, None),
        lambda: torch.promote_types(torch.float32, None),
        lambda: torch.view_copy(torch.zeros(2)),
        lambda: torch.view_copy(torch.zeros(2), None),
        lambda: torch.zeros(2).view(None),
    ],
)
def test_a_type_that_must_be_given_is_not_none(call):
    with pytest.raises(TypeError):
        call()


@pytest.mark.parametrize(
    ("a", "b", "answer"),
    [
        (torch.tensor([1.0]), torch.tensor([1]), True),
        (torch.tensor([1.5]), torch.tensor([1]), False),
        (torch.tensor([2**24 + 1]), torch.tensor([2.0**24]), True),
        (torch.tensor([-1]), torch.tensor([255], dtype=torch.uint8), False),
        (torch.tensor([1 + 0j]), torch.tensor([1]), True),
        (torch.zeros(2, dtype=torch.int32), torch.zeros(3), False),
    ],
)
def test_tensors_of_two_types_can_be_equal(a, b, answer):
    assert torch.equal(a, b) is a.equal(b) is answer


@pytest.mark.parametrize("join", [torch.cat, torch.stack, torch.hstack, torch.vstack, torch.dstack, torch.column_stack])
def test_one_tensor_is_no_list_of_tensors(join):
    with pytest.raises(TypeError):
        join(torch.zeros(2, 3))


def test_inverting_floats_is_a_type_error():
    with pytest.raises(TypeError, match="dtype float32 must be an integer's or bool"):
        ~torch.zeros(3)
    assert (~torch.tensor([0, 1])).tolist() == [-1, -2]


@pytest.mark.parametrize(
    ("call", "twin"),
    [
        (lambda x: x.sum(axis=0), lambda x: x.sum(0)),
        (lambda x: x.sum(axis=1, keepdims=True), lambda x: x.sum(1, keepdim=True)),
        (lambda x: x.mean(axis=1), lambda x: x.mean(1)),
        (lambda x: x.max(axis=0)[0], lambda x: x.max(0)[0]),
        (lambda x: x.argmax(axis=0), lambda x: x.argmax(0)),
        (lambda x: x.all(axis=0), lambda x: x.all(0)),
        (lambda x: x.unsqueeze(axis=0), lambda x: x.unsqueeze(0)),
        (lambda x: x.select(axis=0, index=1), lambda x: x.select(0, 1)),
        (lambda x: x.narrow(axis=1, start=1, length=2), lambda x: x.narrow(1, 1, 2)),
        (lambda x: torch.sum(input=x, axis=0), lambda x: x.sum(0)),
        (lambda x: torch.cat([x, x], axis=1), lambda x: torch.cat([x, x], 1)),
        (lambda x: torch.stack([x, x], axis=1), lambda x: torch.stack([x, x], 1)),
    ],
)
def test_numpys_names_of_arguments(call, twin):
    x = torch.arange(6).view(2, 3).to(torch.float32)
    assert torch.equal(call(x), twin(x))


def test_an_argument_is_given_once():
    with pytest.raises(TypeError, match="given twice"):
        torch.zeros(2, 3).sum(0, axis=1)


def test_reversed():
    x = torch.arange(6).view(3, 2)
    assert reversed(x).tolist() == [[4, 5], [2, 3], [0, 1]]
    assert reversed(torch.tensor(3)).item() == 3


def test_type_is_the_name_of_a_class():
    assert torch.tensor([1]).type() == "torch.LongTensor"
    assert torch.zeros(1).type() == "torch.FloatTensor"
    assert torch.zeros(1, dtype=torch.bfloat16).type() == "torch.BFloat16Tensor"
    assert torch.zeros(1).type(torch.float64).dtype is torch.float64


def test_preserve_format_asks_for_the_usual_one():
    x = torch.zeros(2, 3)
    assert x.is_contiguous(memory_format=torch.preserve_format)
    assert not x.T.is_contiguous(memory_format=torch.preserve_format)
