# SPDX-License-Identifier: Apache-2.0
"""Python code is run and explained: steps with lines, refusals that the rest goes on after, what is asked for."""

from __future__ import annotations

import json

import pytest
import tenstride
from tenstride.explaining import explain_code

HEAD = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n"


def steps_of(code: str, **options):
    return [(step.line, step.code, step.kind) for step in explain_code(code, **options).steps]


def test_each_call_is_a_step_with_its_line_and_its_text():
    code = "import torch\nx = (torch.arange(6)  # six\n     .view(2, 3)\n     .t())\ny = x.contiguous()[0]\n"
    assert steps_of(code) == [
        (2, "torch.arange(6)", "new"),
        (3, ".view(2, 3)", "view"),
        (4, ".t()", "view"),
        (5, "x.contiguous()", "copy"),
        (5, "[0]", "view"),
    ]


def test_a_step_says_the_layout_the_reason_and_the_step_to_blame():
    explanation = explain_code("import torch\nx = torch.zeros(2, 3).t()\ny = x.reshape(-1)\nx += 1\n")
    zeros, transposed, flat, added = explanation.steps
    assert (str(transposed.layout), transposed.dtype, transposed.contiguous) == (
        "(3,2):(1,3)+0",
        "float32",
        "not contiguous",
    )
    assert transposed.why_not_contiguous == "axes out of order" and zeros.bytes_allocated == 24
    assert flat.reason == "no view: axes 0 and 1 would merge, axis 0 has stride 1 and must have 6"
    assert (flat.cause, flat.bytes_moved, flat.bytes_written) == (2, 48, 24)
    assert added.kind == "self" and explanation.copies == 1
    assert (explanation.bytes_moved, explanation.bytes_written, explanation.errors) == (48, 24, ())


def test_a_refusal_is_a_step_with_its_explanation_and_the_rest_goes_on():
    explanation = explain_code("import torch\nx = torch.zeros(2, 3).t()\ny = x.view(6)\nz = y + 1\nw = x.reshape(6)\n")
    refused = explanation.steps[2]
    assert (refused.kind, refused.line, refused.layout) == ("refused", 3, None)
    first, *rest = refused.error.split("\n")
    assert first.startswith("RuntimeError: view size is not compatible with input tensor's size and stride")
    assert rest[-1] == "  since: .t() (step 2) made (3,2):(1,3)+0 of the contiguous (2,3):(3,1)+0"
    assert "  fixes: .reshape(6)            copies 6 elements (24 B), silently" in rest
    assert explanation.errors[1:] == ("skipped: needs y of line 3",) and explanation.steps[3].kind == "copy"


def test_a_name_that_was_bound_before_keeps_its_value():
    assert steps_of("import torch\nx = torch.zeros(2, 3).t()\nx = x.view(6)\nx = x.reshape(6)\n")[-1][2] == "copy"


def test_a_refusal_inside_of_functions_ends_the_statement_at_its_own_line():
    code = f"{HEAD}def f(a):\n    b = a.t()\n    return b.view(-1)\n\ndef g(a):\n    return f(a)\n\n"
    code += "y = g(torch.zeros(2, 3))\n"
    refused = explain_code(code).steps[-1]
    assert (refused.kind, refused.line, refused.code) == ("refused", 6, "b.view(-1)")


def test_what_the_code_catches_is_a_refused_step_and_no_more():
    code = 'import torch\ntry:\n    torch.zeros(2, 3).view(5)\nexcept RuntimeError as e:\n    print("caught:", e)\n'
    explanation = explain_code(code)
    assert explanation.printed == "caught: shape '[5]' is invalid for input of size 6\n"
    assert len(explanation.errors) == 1 and explanation.steps[-1].kind == "refused"


def test_undefined_names_are_asked_for_at_once():
    explanation = explain_code("y = x.view(2, n)\nz = y.t()\n")
    assert explanation.errors == (
        "x and n are not defined: say their sizes, --let x=2x3x4 --let n=2x3x4 (a number: --let n=5)",
        "skipped: needs x, which is not defined",
        "skipped: needs x, which is not defined",
    )
    explanation = explain_code("y = x.view(2, n)\nz = y.t()\n", let={"x": (2, 3, 4), "n": 12})
    assert explanation.errors == () and [str(step.layout) for step in explanation.steps] == [
        "(2,3,4):(12,4,1)+0",
        "(2,12):(12,1)+0",
        "(12,2):(1,12)+0",
    ]


def test_what_is_not_understood_can_be_declared_by_the_name_it_is_assigned_to():
    code = (
        "import torch\nimport mystery\nbatch = mystery.load()\nx = torch.zeros(3).frobnicate(2)\ny = x[0] + batch[0]\n"
    )
    told = explain_code(code)
    assert [error.partition(":")[0] for error in told.errors] == [
        "ModuleNotFoundError",
        "skipped",
        "AttributeError",
        "skipped",
    ]
    assert (
        "--real runs the code with PyTorch, or assign what it gives to a name, and --let NAME=2x3x4" in told.errors[2]
    )
    declared = explain_code(code, let={"batch": (4, 3), "x": ((2, 3), "float64")})
    assert [error.partition(":")[0] for error in declared.errors] == ["ModuleNotFoundError"]
    assert str(declared.steps[-1].layout) == "(3):(1)+0" and declared.steps[-1].dtype == "float64"


def test_modules_that_were_not_imported_are_taken_for_what_their_names_say():
    explanation = explain_code("x = torch.zeros(2, 3)\ny = F.relu(x)\nz: Tensor = nn.Linear(3, 4)(y)\n")
    assert explanation.errors == () and explanation.notes == (
        "torch is not imported: taken as imported",
        "F is not imported: taken for torch.nn.functional",
        "nn is not imported: taken for torch.nn",
    )


def test_elements_that_nobody_computes_are_asked_for():
    code = f"{HEAD}x = torch.softmax(torch.zeros(2, 3), 1)\nn = int(x.argmax())\ny = x[x > 0]\nz = x.sum().item()\n"
    explanation = explain_code(code)
    assert [step.kind for step in explanation.steps if step.line > 4] == ["new", "refused", "new", "refused", "new"]
    assert explanation.errors[0].startswith("int(x.argmax()) needs elements, and explain computes none here")
    assert explanation.errors[0].endswith("say what it is: --let n=2x3x4 (a number: n=5)")
    assert explanation.notes == (".item() is not computed: taken for nan",)
    assert len(explain_code(code, let={"n": 2, "y": (4,)}).errors) == 0


def test_elements_stay_known_until_something_unknown_is_written():
    code = f"{HEAD}x = torch.arange(4.)\nv = x[1:]\nprint(v.sum().item())\nx[0] = torch.exp(x)[0]\nprint(v)\n"
    assert explain_code(code).printed == "6.0\ntensor(..., size=(3,))\n"


def test_scrambles_are_noted_unless_meant():
    code = "import torch\nx = torch.arange(6).view(2, 3)\na = x.reshape(3, 2)\nb = x.reshape(3, 2)  # as meant: pairs\n"
    explanation = explain_code(code)
    first, second = explanation.steps[-2:]
    assert first.scramble.startswith("the sizes (2,3) are reordered to (3,2)") and second.scramble is None
    assert "4 of 6 places hold another element" in first.scramble and explanation.errors == ()
    assert explain_code(code, strict=True).error.startswith("scramble: the sizes (2,3)")


def test_devices_gradients_and_optimizers_change_no_layout():
    code = (
        f"{HEAD}device = torch.device('cuda' if torch.cuda.is_available() else 'cpu')\n"
        "x = torch.zeros(2, 3, device='cuda:0', requires_grad=True)\n"
        "net = nn.Linear(3, 1).to(device)\nopt = torch.optim.SGD(net.parameters(), lr=0.1)\n"
        "opt.zero_grad()\nwith torch.no_grad():\n    y = net(x.cuda().to('cuda', non_blocking=True).float())\n"
        "y.sum().backward()\nopt.step()\nassert x.requires_grad and x.grad is None\n"
    )
    explanation = explain_code(code)
    assert explanation.errors == () and [step.kind for step in explanation.steps] == ["new", "self", "new", "new"]
    assert sum("no device cuda is used" in note for note in explanation.notes) == 2
    assert any("backward() is left out" in note for note in explanation.notes)


def test_modules_know_their_parts():
    code = (
        f"{HEAD}class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.body = nn.Sequential(nn.Linear(2, 3), nn.ReLU())\n"
        "        self.heads = nn.ModuleList([nn.Linear(3, 1) for _ in range(2)])\n"
        "        self.scale = nn.Parameter(torch.ones(1))\n"
        "    def forward(self, x):\n        return [head(self.body(x)) * self.scale for head in self.heads]\n\n"
        "net = Net().eval()\nprint([tuple(p.shape) for p in net.parameters()], len(net.state_dict()), net.training)\n"
        "a, b = net(torch.zeros(5, 2))\n"
    )
    explanation = explain_code(code)
    assert explanation.printed == "[(1,), (3, 2), (3,), (1, 3), (1,), (1, 3), (1,)] 7 False\n"
    assert [step.notes for step in explanation.steps[2:4]] == [["Linear"], ["ReLU"]]


@pytest.mark.parametrize(
    "code",
    [
        "x: 'list[int]' = [1, 2]\ny = [*x, 3]",
        "first, *rest = range(3)",
        "f = lambda t: t if t else None",
        "if (n := 3) > 2: print(n)",
        "class A:\n    def __call__(self, *args, **kw): return kw",
        "def gen():\n    yield 1\nprint(list(gen()))",
        "try:\n    1 / 0\nexcept ZeroDivisionError:\n    pass\nfinally:\n    print('end')",
        "import math, os.path as p\nfrom collections import namedtuple\nprint(math.pi, p.sep)",
        "from dataclasses import dataclass\n@dataclass\nclass C:\n    n: int = 2\nprint(C())",
        "i = 0\nwhile True:\n    i += 1\n    if i > 3: break\nelse:\n    pass",
        "print(f'{3.14159:.2f} {[1, 2]!r}', end='')",
    ],
)
def test_all_of_python_is_understood(code):
    assert explain_code(code).errors == ()


def test_a_large_tensor_has_a_layout_and_no_elements():
    explanation = explain_code(
        "import torch\nx = torch.zeros(2, 3).expand(100000, 2, 3).expand(1000, -1, -1, -1).reshape(-1)\n"
    )
    assert str(explanation.steps[-1].layout) == "(600000000):(1)+0" and explanation.bytes_moved == 2 * 2_400_000_000


def test_the_run_stops_at_the_limit_of_steps_and_at_ctrl_c():
    explanation = explain_code("import torch\nwhile True:\n    x = torch.zeros(2)\n", most_steps=20)
    assert len(explanation.steps) == 20 and explanation.errors == ("stopped after 20 steps, which is the limit",)
    explanation = explain_code("import torch\nx = torch.zeros(2)\nraise KeyboardInterrupt\nx = torch.zeros(3)\n")
    assert len(explanation.steps) == 1 and explanation.errors == ("stopped by Ctrl-C",)
    explanation = explain_code("import sys\nsys.exit(3)\nprint(1)\n")
    assert "the code ended itself (SystemExit: 3)" in str(explanation) and explanation.printed == ""


def test_the_result_is_data_too():
    explanation = explain_code("import torch\nx = torch.zeros(2, 3)\nprint('a')\nx.shape\nx.view(7)\n")
    data = json.loads(explanation.to_json())
    assert [event["kind"] for event in data["events"]] == ["step", "print", "value", "step"]
    assert data["steps"][0]["shape"] == [2, 3] and data["steps"][1]["error"] == data["errors"][0]
    assert data["totals"] == {"copies": 0, "bytes_moved": 0, "bytes_written": 0} and data["runs"] == "tenstride"


def test_tenstride_explain_chooses_by_the_text():
    assert isinstance(tenstride.explain("torch.arange(6).view(2, 3)"), tenstride.Explanation)
    assert isinstance(tenstride.explain("torch.zeros("), tenstride.Explanation)
    code = tenstride.explain("import torch\nx = torch.zeros(2, 3)\nx.t()")
    assert [step.kind for step in code.steps] == ["new", "view"] and code.error is None
    assert code.copies == 0 and tuple(code.value.shape) == (3, 2)
    soft = tenstride.explain("x.softmax(0).T.reshape(-1)", x=tenstride.zeros(2, 3))
    assert [step.kind for step in soft.steps] == ["new", "new", "view", "copy"]
    assert tenstride.explain("x.t()", let={"x": (2, 3)}).steps[1].kind == "view"
