# SPDX-License-Identifier: Apache-2.0
"""Explanations and pictures, of expressions, tensors and the arrays of others."""

from __future__ import annotations

import json
import subprocess
import sys
from xml.etree import ElementTree

import pytest
import tenstride as torch

VIEW = "torch.randn(2,3,2).permute(0,2,1).view(-1)"


def test_an_expression_is_explained():
    explanation = torch.explain(VIEW)
    assert explanation.error.startswith("RuntimeError: view size is not compatible")
    assert explanation.copies == 0 and "since: .permute(0,2,1)" in str(explanation)
    assert "steps" in json.loads(explanation.to_json())
    assert torch.explain("x.T.reshape(-1)", x=torch.zeros(2, 3)).bytes_moved == 48
    assert torch.explain("torch.arange(3) + 1").value.tolist() == [1, 2, 3]
    assert torch.explain("torch.zeros(2, 3).reshape(3, 2)").error is None
    assert "scramble" in torch.explain("torch.zeros(2, 3).reshape(3, 2)", strict=True).error
    assert torch.explain("torch.zeros(2, 3).permut(0)").error.startswith("AttributeError")
    assert torch.explain("torch.zeros(").error.startswith("SyntaxError: expression: a value was expected")


def test_the_offered_fixes_do_what_they_say():
    x = torch.arange(6).view(2, 3).T
    reason = torch.why_not_view(x, (6,))
    assert reason.axes == (0, 1) and (reason.stride_found, reason.stride_needed) == (1, 6)
    for fix in reason.fixes:
        with torch.CopyLedger() as ledger:
            y = eval(f"x{fix.code}", {"x": x})
        assert y.shape == (6,) and ledger.bytes_written == fix.bytes_copied
        assert torch.equal(y, x.reshape(6)) is not fix.reorders
    assert torch.why_not_view(x, (3, 2)) is None and torch.why_not_view(x, 6).axes == (0, 1)
    with pytest.raises(RuntimeError):
        torch.why_not_view(x, (5,))


def test_arrays_of_others_are_explained():
    numpy = pytest.importorskip("numpy")
    array = numpy.arange(6, dtype="float32").reshape(2, 3).T
    assert "(3,2):(1,3)+0 float32" in torch.explain(array)
    assert torch.why_not_contiguous(array) is not None and torch.why_not_contiguous(array.T) is None
    assert torch.why_not_view(array, (6,)).axes == (0, 1)
    assert torch.explain("a.reshape(-1)", a=array).copies == 1
    assert torch.show(array).to_svg().startswith("<svg")
    for refused in (lambda: torch.explain(3.5j), lambda: torch.why_not_view("x", (6,)), lambda: torch.show(None)):
        with pytest.raises(TypeError):
            refused()


@pytest.mark.parametrize("subject", ["tensors", "atoms", "walk"])
@pytest.mark.parametrize("color", ["axis", "position"])
def test_pictures_are_whole(subject, color):
    picture = torch.show("x = torch.arange(6).view(2, 3); x.T.contiguous()", subject=subject, color=color)
    root = ElementTree.fromstring(picture.to_svg())
    assert root.tag.endswith("svg") and len(list(root.iter())) > 10
    assert picture._repr_svg_() == picture.to_svg() and str(picture) == picture.to_text()
    assert picture.to_html().lstrip().lower().startswith("<!doctype html>")


def test_pictures_are_saved_whole_or_not_at_all(tmp_path):
    picture = torch.show(torch.zeros(2, 3), title="zeros")
    picture.save(str(tmp_path / "x.svg"))
    picture.save(str(tmp_path / "x.html"))
    with pytest.raises(torch.FileError):
        picture.save(str(tmp_path / "x.svg"))
    picture.save(str(tmp_path / "x.svg"), overwrite=True)
    with pytest.raises(ValueError, match=r"must end in \.svg or \.html"):
        picture.save(str(tmp_path / "x.gif"))
    with pytest.raises(ValueError, match="subject 'x'"):
        torch.show(torch.zeros(2), subject="x")
    assert "zeros" in (tmp_path / "x.svg").read_text(encoding="utf-8")


def test_the_program_runs_as_a_module():
    run = subprocess.run(
        [sys.executable, "-m", "tenstride", "explain", VIEW], capture_output=True, text=True, check=False
    )
    assert "view size is not compatible" in run.stdout + run.stderr
    assert subprocess.run([sys.executable, "-m", "tenstride", "--version"], check=True, capture_output=True).stdout


def test_held_back_operations_copy_once():
    x = torch.arange(120).view(2, 3, 4, 5)
    chain = torch.lazy(x).permute(0, 2, 1, 3).reshape(2, 4, 15).transpose(0, 1).flatten(1).unsqueeze(0)
    eager = x.permute(0, 2, 1, 3).reshape(2, 4, 15).transpose(0, 1).flatten(1).unsqueeze(0)
    with torch.CopyLedger() as ledger:
        result = chain.materialize()
    assert torch.equal(result, eager) and ledger.copies == chain.copies == 1
    assert chain.shape == eager.shape and chain.dtype is torch.int64 and not chain.is_view
    assert torch.lazy(x).permute(3, 0, 1, 2).select(0, 1).slice(1, 0, None, 2).is_view
    assert torch.equal(
        torch.lazy(x).rearrange("a b c d -> a (c b) d").materialize(), x.permute(0, 2, 1, 3).reshape(2, 12, 5)
    )
    with pytest.raises(ValueError, match="copy=False"):
        chain.materialize(copy=False)
    assert torch.lazy(x).transpose(0, 1).materialize(copy=True).is_contiguous()


@pytest.mark.parametrize("name", ["explain", "show", "why_not_contiguous"])
def test_refusals_name_the_function(name):
    with pytest.raises(TypeError, match=f"^{name}: a tensor, or an array that speaks DLPack"):
        getattr(torch, name)([1, 2])


def test_a_file_is_opened_by_its_layout(tmp_path):
    path = tmp_path / "f.safetensors"
    torch.save(path, {"weight": torch.zeros(2, 3), "bias": torch.zeros(4)})
    explanation = torch.explain(f'open("{path}")["weight"].T.contiguous()')
    assert explanation.copies == 1 and "24 B: mapped" in str(explanation)
    assert 'did you mean "weight"' in torch.explain(f'open("{path}")["weigth"]').error
    assert "must name one tensor" in torch.explain(f'open("{path}")').error
    assert "file: storage A, 24 B" in str(torch.show(f'open("{path}")["weight"]'))
