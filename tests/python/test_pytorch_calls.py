# SPDX-License-Identifier: Apache-2.0
"""Single calls give what PyTorch 2.6 gave: tests/data/kinds.jsonl, recorded by tests/record/record_kinds.py."""

from __future__ import annotations

import ast
import builtins
import json
from pathlib import Path

import pytest
import tenstride as torch

ROOT = Path(__file__).resolve().parents[1]
RECORDED = [json.loads(line) for line in (ROOT / "data" / "kinds.jsonl").read_text().splitlines()]


def recorded_names():
    """`NAMES` of the recorder: the names that the calls use, with what makes them."""
    tree = ast.parse((ROOT / "record" / "record_kinds.py").read_text())
    assigned = {node.targets[0].id: node.value for node in tree.body if isinstance(node, ast.Assign)}
    return ast.literal_eval(assigned["NAMES"])


NAMES = recorded_names()


@pytest.mark.parametrize("row", RECORDED, ids=[row["call"][:80] for row in RECORDED])
def test_call(row):
    names = {"torch": torch, **{name: eval(source, {"torch": torch}) for name, source in NAMES.items()}}
    if "numpy" in row["call"]:
        names["numpy"] = pytest.importorskip("numpy")
    torch.manual_seed(1)
    if "raises" in row:
        with pytest.raises(getattr(builtins, row["raises"])):
            eval(row["call"], names)
    else:
        assert repr(eval(row["call"], names)) == row["gives"]
