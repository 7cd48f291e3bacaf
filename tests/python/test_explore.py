# SPDX-License-Identifier: Apache-2.0
"""What notebooks show of explanations: `explore`, and the rich display of what `explain` gives."""

from __future__ import annotations

import json
import re
from xml.etree import ElementTree

import nbclient
import nbformat
import pytest
import tenstride as torch

SVG = "{http://www.w3.org/2000/svg}"
COPY = "torch.arange(6).view(2, 3).T.contiguous()"
LOOP = """import torch
for i in range(5):
    y = torch.arange(6).view(2, 3).T.reshape(-1)
print("<b>printed</b>")
torch.zeros(2, 3).view(3, 2)
y.view(5)
z = y.add(unknown)
y
"""


def shown(thing):
    """The display as XML, which JSON, a notebook's form, can hold."""
    html = thing._repr_html_()
    assert json.loads(json.dumps(html).encode()) == html
    return ElementTree.fromstring(html)


def rows(root):
    return [["".join(cell.itertext()) for cell in row] for row in root.iter("tr")]


def said(root, kind):
    return ["".join(one.itertext()) for one in root.iter() if one.get("class") == f"said {kind}"]


def test_the_steps_are_a_table_with_a_picture_below():
    root = shown(torch.explore(COPY))
    assert "".join(root.find(".//caption").itertext()) == "What each call does in memory: 1 copy, 96 B moved"
    assert rows(root) == [
        ["step", "call", "layout", "dtype", "kind", "bytes", "reason"],
        ["1", "torch.arange(6)", "(6):(1)+0", "int64", "new", "48 B", ""],
        ["2", ".view(2, 3)", "(2,3):(3,1)+0", "int64", "view", "", ""],
        ["3", ".T", "(3,2):(1,3)+0", "int64", "view", "", "axes out of order"],
        [
            "4",
            ".contiguous()",
            "(3,2):(2,1)+0",
            "int64",
            "copy",
            "96 B moved",
            "strides (1,3) are not the row-major (2,1) (since step 3)",
        ],
        ["valuetensor([[0, 3],\n        [1, 4],\n        [2, 5]])"],
    ]
    assert {head.get("scope") for head in root.iter("th")} == {"col", "row"}
    assert len(root.findall(f".//{SVG}g[@class='row']")) == 3


def test_outside_of_a_notebook_it_is_the_explanation():
    explored = torch.explore(COPY)
    assert repr(explored) == str(explored) == repr(torch.explain(COPY))
    assert explored.explanation.bytes_moved == 96


def test_a_refusal_has_its_message_and_fixes():
    text = "torch.arange(6).view(2, 3).T.view(-1)"
    root = shown(torch.explore(text))
    assert rows(root)[4] == ["4", ".view(-1)", "", "", "refused", "", ""]
    assert said(root, "refusal") == [torch.explain(text).error.replace("\n", "", 1)]
    assert ".contiguous().view(6)  copies 6 elements (48 B), visibly" in said(root, "refusal")[0]
    assert len(root.findall(f".//{SVG}g[@class='row']")) == 3  # the refused view is the last


@pytest.mark.parametrize("text", ["torch.zeros(", "torch.zeros(2).permut(0)", "x.T"])
def test_what_is_no_notation_has_the_error_of_explain(text):
    (refusal,) = said(shown(torch.explore(text)), "refusal")
    assert refusal.replace("line 1: ", "") == torch.explain(text).error.replace("\n", "", 1)


def test_texts_are_escaped():
    for text in ("torch.zeros(2)  # <script>", 'torch.zeros(2); "<script>&\\"\'"', "<script>"):
        assert "<script" not in torch.explore(text)._repr_html_()
    root = shown(torch.explain(LOOP))
    assert "line 4: printed<b>printed</b>" in said(root, "printed") and root.find(".//td/b") is not None
    assert said(shown(torch.explain("import torch\nprint('a\\x1b\\x00\\ud800b')")), "printed") == [
        "line 2: printeda\ufffd\ufffd\ufffdb"
    ]


def test_displays_do_not_clash_and_style_nothing_else():
    explored = torch.explore(COPY)
    both = [shown(explored), shown(explored)]
    ids = [one.get("id") for root in both for one in root.iter() if one.get("id")]
    assert len(ids) == len(set(ids)) == 4
    for root in both:
        svg = root.find(f".//{SVG}svg")
        assert svg.get("role") == "img"
        assert svg.get("aria-labelledby").split() == [one.get("id") for one in svg if one.get("id")]
        (style,) = [one for one in root.iter() if one.tag.endswith("style")]
        rules = style.text.replace("@media (prefers-color-scheme:dark){", "")
        selectors = [one for rule in re.findall(r"([^{}]+)\{[^{}]*\}", rules) for one in rule.strip().split(",")]
        assert len(selectors) > 100 and all(".tenstride-explained ." in one for one in selectors)


@pytest.mark.parametrize(
    "text", ["2 + 3", "torch.zeros(", "print(1)", "import math\nmath.pi", "import math\n'torch.' + 'zeros(2)'"]
)
def test_without_a_tensor_there_is_no_picture(text):
    root = shown(torch.explore(text))
    assert root.find(f".//{SVG}svg") is None and root.find(".//table") is None
    assert said(root, "value") + said(root, "printed") + said(root, "refusal")
    assert said(shown(torch.explore("import math")), "note") == ["noteno copy, 0 B moved"]


def test_a_given_tensor_is_not_written_again():
    x = torch.zeros(2)
    explanation = torch.explain("x.add_(1)", x=x)
    root = shown(explanation)
    assert x.tolist() == [1, 1] and rows(root)[1][:5] == ["1", ".add_(1)", "(2):(1)+0", "float32", "self"]
    assert len(root.findall(f".//{SVG}g[@class='row']")) == 1  # the value alone


def test_python_code_has_its_lines():
    root = shown(torch.explain(LOOP))
    table = rows(root)
    assert table[0] == ["step", "line", "call", "layout", "dtype", "kind", "bytes", "reason"]
    assert ["3", "3", ".T", "(3,2):(1,3)+0", "int64", "view", "", "axes out of order"] in table
    assert said(root, "refusal")[1].startswith("RuntimeError: shape '[5]' is invalid for input of size 6")
    assert "line 7: noteskipped: needs unknown, which is not defined" in said(root, "note")
    assert said(root, "note")[-1] == "note8 further steps repeat what their lines did before"
    assert said(root, "value") == ["line 8: valuetensor([0, 3, 1, 4, 2, 5])"]
    assert root.find(f".//{SVG}svg") is not None
    array = shown(torch.explain("import numpy\nnumpy.arange(6).reshape(2, 3)"))
    assert rows(array)[1][:4] == ["1", "2", "numpy.arange(6)", "(6):(1)+0"] and array.find(f".//{SVG}svg") is not None
    repeated = shown(torch.explain("\n".join(["import torch", "x = torch.zeros(2)", *["y = x.clone()"] * 300])))
    assert len(rows(repeated)) == 202 and said(repeated, "note") == ["note… 101 further rows …"]


def test_what_explore_refuses():
    with pytest.raises(TypeError, match=r"^explore: the text \(Tensor\) must be a str; `show` draws a tensor$"):
        torch.explore(torch.zeros(2))
    with pytest.raises(TypeError, match=r"^explore: the height \(str\) must be an int, in pixels$"):
        torch.explore(COPY, height='1"')
    with pytest.raises(ValueError, match=r"^explore: the height \(0\) must be at least 1 pixel$"):
        torch.explore(COPY, height=0)
    for given, height in ((torch.explore(COPY, height=50), 50), (torch.explore(COPY), 600), (torch.explain(COPY), 600)):
        assert f'style="max-height:{height}px"' in given._repr_html_()


def test_a_notebook_shows_them(tmp_path, monkeypatch):
    for name in ("JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "JUPYTER_CONFIG_DIR", "IPYTHONDIR"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))
    sources = [
        f"import tenstride\ntenstride.explore({COPY!r})",
        "tenstride.explain('torch.zeros(2, 3).T.view(6)')",
        "tenstride.explain('import torch\\ntorch.zeros(2, 3).T')",
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in sources])
    nbclient.NotebookClient(notebook, timeout=None, startup_timeout=900, kernel_name="python3").execute()
    nbformat.validate(notebook)
    for cell in notebook.cells:
        assert [output.output_type for output in cell.outputs] == ["execute_result"], cell.outputs
        root = ElementTree.fromstring(cell.outputs[0].data["text/html"])
        assert root.find(".//table") is not None and root.find(f".//{SVG}svg") is not None
    assert notebook.cells[0].outputs[0].data["text/plain"] == repr(torch.explain(COPY)).rstrip()
