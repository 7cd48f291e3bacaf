# SPDX-License-Identifier: Apache-2.0
"""The explanation of Python code beside PyTorch itself: the same outcomes, and the shapes and strides of the rules."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from questions import outcomes, questions, unmet
from tenstride.explaining import explain_code

torch = pytest.importorskip("torch")

QUESTIONS = [question for question in questions() if "einops" not in question.code]


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.name)
def test_pytorch_does_what_is_explained(question):
    explanation = explain_code(question.code, real=True)
    assert unmet(question, explanation) == [], str(explanation)
    assert outcomes(explanation).get("self") == outcomes(explain_code(question.code)).get("self")


PROGRAMS = sorted((Path(__file__).resolve().parents[1] / "data" / "explained").glob("*.py"))


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.stem)
def test_each_step_is_pytorchs(program):
    """The same steps with the same lines, kinds, layouts, bytes and causes."""
    code = program.read_text(encoding="utf-8")
    ours, theirs = (explain_code(code, real=real) for real in (False, True))
    assert ours.errors == theirs.errors == () and ours.printed == theirs.printed

    def facts(explanation):
        return [
            (step.line, step.code, step.kind, str(step.layout), step.dtype, step.reason, step.cause, step.bytes_moved)
            for step in explanation.steps
        ]

    assert facts(ours) == facts(theirs)


CALLS = """
F.adaptive_avg_pool2d(x4, (3, None))
F.avg_pool2d(x4, 3, 2, 1)
F.conv1d(x3, torch.randn(5, 3, 3), stride=2)
F.conv2d(x4, torch.randn(6, 3, 3, 3), padding=1)
F.conv2d(x4.to(memory_format=torch.channels_last), torch.randn(6, 3, 3, 3), stride=2)
F.conv_transpose2d(x4, torch.randn(3, 6, 3, 3), stride=2, output_padding=1)
F.cosine_similarity(x3, x3, dim=2)
F.cross_entropy(x2, torch.tensor([0, 2]))
F.embedding(torch.tensor([[0, 1]]), x2)
F.gelu(x2.t())
F.interpolate(x4, scale_factor=2)
F.layer_norm(x2, (3,))
F.linear(x3, torch.randn(7, 8))
F.log_softmax(x2.t(), dim=0)
F.max_pool2d(x4, 2, ceil_mode=True)
F.mse_loss(x2, x2)
F.normalize(x2.t(), dim=0)
F.relu(x4.permute(0, 2, 3, 1))
F.softmax(x2.t(), dim=-1)
nn.BatchNorm2d(3)(x4.permute(0, 1, 3, 2))
nn.Conv2d(3, 4, 3, 2)(x4)
nn.GRU(8, 5, batch_first=True)(x3)[0]
nn.GRUCell(3, 4)(x2)
nn.LSTM(8, 5, 2, bidirectional=True)(x3)[0]
nn.LSTM(8, 5, 2, bidirectional=True)(x3)[1][0]
nn.LayerNorm(8)(x3)
nn.Linear(8, 4)(x3.permute(1, 0, 2))
nn.MultiheadAttention(8, 2)(x3, x3, x3)[1]
nn.MultiheadAttention(8, 2)(x3, x3, x3)[0]
torch.bmm(x3, x3.transpose(1, 2))
torch.einsum("ij->ji", x2)
torch.einsum("bij,bkj->bik", x3, x3)
torch.matmul(x2, torch.randn(4, 3, 5))
torch.matmul(x3, torch.randn(8))
torch.norm(x3, dim=(1, 2), keepdim=True)
torch.sigmoid(x2.t())
torch.sqrt(x2[:, ::2])
torch.std(x3, 1)
torch.topk(x2, 2).indices
torch.var(x2)
x2 @ x2.t()
""".strip().split("\n")

REFUSED = """
F.conv2d(x4, torch.randn(6, 4, 3, 3))
F.linear(x2, torch.randn(7, 8))
nn.Linear(8, 4)(x2)
torch.bmm(x3, x3)
torch.cat([x2, x2.t()])
torch.mm(x3, x2)
torch.topk(x2, 4)
x2 + torch.randn(4)
x2 @ x2
x2.expand(2, 4)
x2.reshape(7)
x2.sum(4)
x2.transpose(0, 3)
x2.view(5)
x2[5]
x2[0].expand(2, 3).add_(1)
x3 @ x2
""".strip().split("\n")

HEAD = """
import torch
import torch.nn as nn
import torch.nn.functional as F
x2 = torch.randn(2, 3)
x3 = torch.randn(2, 3, 8)
x4 = torch.randn(2, 3, 9, 7)
result = None
"""


@pytest.mark.parametrize("call", CALLS)
def test_a_rule_gives_pytorchs_layout(call):
    code = f"{HEAD}\nresult = {call}\nresult.shape, result.stride(), str(result.dtype)"
    ours, theirs = (explain_code(code, real=real) for real in (False, True))
    assert theirs.value is not None, str(theirs)
    shape, stride, dtype = ours.value
    assert (tuple(shape), dtype) == (tuple(theirs.value[0]), theirs.value[2]), str(ours)
    assert all(a == b for a, b, size in zip(stride, theirs.value[1], shape) if size != 1), (stride, theirs.value[1])


@pytest.mark.parametrize("call", REFUSED)
def test_a_refusal_has_pytorchs_words(call):
    code = f"{HEAD}\nresult = {call}"
    ours, theirs = (explain_code(code, real=real).error for real in (False, True))
    assert ours is not None and theirs is not None
    # Newer versions name the operation first, and some tell what they got instead.
    said = re.sub(r"^(RuntimeError: )(add|b)?mm: ", r"\1", theirs.split("\n")[0])
    assert said.partition(", got ")[0] == ours.split("\n")[0].partition(", got ")[0]
