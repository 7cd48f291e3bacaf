# SPDX-License-Identifier: Apache-2.0
"""Where the audit of PyTorch places a copy: at its call, whatever PyTorch wraps around the program or the mode."""

from __future__ import annotations

import functools
import sys

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed for this Python")

from auditing import NAMES, line, operations  # noqa: E402
from tenstride.audit import audit  # noqa: E402
from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402


@pytest.mark.parametrize("names", NAMES)
def test_the_users_own_line_is_no_line_of_pytorch(names):
    x = torch.randn(2, 3, 4)
    with audit(names=names) as report:
        y = x.transpose(0, 1)
        y.contiguous().view(-1)
        expected = line() - 1
    (copy,) = report.copies
    assert (copy.line, copy.file, copy.inside) == (expected, __file__, None)
    assert "PyTorch's own" not in copy.fix


def test_composite_operations_of_inference_mode_have_their_names_and_lines():
    flatten = torch.nn.Flatten()
    with torch.inference_mode(), audit() as report:
        flatten(torch.randn(2, 3, 4).transpose(1, 2))
        expected = line() - 1
    (copy,) = report.copies
    assert (copy.operation, copy.line) == ("flatten", expected)
    assert copy.inside is not None and copy.inside.function.endswith("forward")


def test_two_copies_on_one_line_are_two_entries_and_a_loop_is_one():
    x = torch.randn(2, 3)
    with audit() as report:
        _ = x.t().contiguous(), x.t().contiguous()
        for _ in range(3):
            x.t().contiguous()
    assert [len(group) for group in sorted(report.groups(), key=len)] == [1, 1, 3]


def test_two_operands_of_one_product_are_two_entries():
    q, k = (torch.randn(2, 5, 3, 4).transpose(1, 2) for _ in range(2))
    with audit() as report:
        q, k = q[:], k[:]
        q @ k.transpose(-1, -2)
    assert operations(report) == ["matmul", "matmul"]
    assert len(report.groups()) == 2


class Passing(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))


def test_a_mode_of_the_programs_own_does_not_take_the_blame():
    x = torch.randn(2, 3)
    with audit() as report, Passing():
        x.t().contiguous()
        expected = line() - 1
    (copy,) = report.copies
    assert (copy.line, copy.operation) == (expected, "contiguous")


def test_a_function_that_pytorch_wraps_has_its_own_lines():
    @torch.no_grad()
    def step(x):
        return x.t().contiguous()

    with audit() as report:
        step(torch.randn(2, 3))
    (copy,) = report.copies
    assert copy.code == "return x.t().contiguous()" and copy.inside is None


@pytest.mark.skipif(not hasattr(torch, "compile"), reason="PyTorch 2 has torch.compile")
def test_a_compiled_function_is_said_to_run_eagerly():
    def step(x):
        return x.t().contiguous() + 1

    compiled = torch.compile(step, backend="eager")
    with audit() as report:
        compiled(torch.randn(2, 3))
        compiled(torch.randn(2, 3))
    found = [sentence for sentence in report.missed if "torch.compile" in sentence]
    assert len(found) == 1 and found[0].startswith("step (") and "runs eagerly" in found[0]
    assert operations(report) == ["contiguous"] * 2
    with audit() as report:
        step(torch.randn(2, 3))
    assert report.missed == []


@pytest.mark.skipif(not hasattr(torch, "compile"), reason="PyTorch 2 has torch._dynamo.disable")
def test_a_function_that_is_kept_from_being_compiled_is_not():
    @torch._dynamo.disable
    def step(x):
        return x.t().contiguous() + 1

    with audit() as report:
        step(torch.randn(2, 3))
    assert report.missed == []


@pytest.mark.skipif(sys.version_info < (3, 11), reason="before Python 3.11 the bytecode does not tell calls apart")
def test_overloads_of_operations_have_the_name_of_the_operation():
    aten = torch.ops.aten
    x = torch.randn(2, 3, 4)
    with audit() as report:
        y = torch.ops.aten.transpose.int(x, 0, 2)
        torch.ops.aten.clone.default(y, memory_format=torch.contiguous_format)
        aten.reshape.default(torch.ops.aten.transpose.int(x, 0, 2), [-1])
    assert [copy.since.operation for copy in report.copies] == ["transpose(0, 2)"] * 2
    assert operations(report) == ["clone", "reshape"]


@pytest.mark.skipif(not hasattr(torch, "export") or sys.version_info < (3, 11), reason="needs torch.export")
def test_exported_graphs_say_transpose():
    class Net(torch.nn.Module):
        def forward(self, x):
            return x.transpose(1, 2).contiguous() + 1

    x = torch.randn(2, 3, 4)
    exported = torch.export.export(Net(), (x,)).module()
    with torch.no_grad(), audit() as report:
        exported(x)
    (copy,) = report.copies
    assert copy.since.operation.startswith("transpose")
    assert copy.operation in ("clone", "contiguous")


def test_contiguous_is_pytorchs_again_after_the_scope():
    before = torch.Tensor.contiguous
    with audit(), audit():
        torch.zeros(2).contiguous()
    assert torch.Tensor.contiguous is before
    functools.reduce(lambda x, _: x.contiguous(), range(3), torch.zeros(2))
