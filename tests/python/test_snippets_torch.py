# SPDX-License-Identifier: Apache-2.0
"""scripts/snippets.py --beside: what a text does not say is held against PyTorch."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed for this Python")

ROOT = Path(__file__).resolve().parents[2]
TEXT = """
x = torch.rand(2, 3, 4)
x.t()

y = torch.arange(120).view(2, 3, 4, 5).transpose(1, 2)
y.stride(), y.storage_offset(), torch.zeros(2).dtype

>>> y[0, 0, 0, 0]
tensor(0)
[torch.LongStorage of size 120]
>>> y.stride(0)
"""


def test_says_where_pytorch_does_the_same(tmp_path):
    text = tmp_path / "text.txt"
    text.write_text(TEXT, encoding="utf-8")
    program = [sys.executable, "-B", str(ROOT / "scripts/snippets.py"), "--all", str(text)]
    alone = subprocess.run(program, capture_output=True, text=True)
    assert alone.stdout.splitlines()[-1] == "text.txt: 4 statements: 3 differs, 1 ran"
    beside = subprocess.run([*program, "--list", "--beside", sys.executable], capture_output=True, text=True)
    assert beside.returncode == 0, beside.stderr
    assert [line for line in beside.stdout.splitlines() if line.startswith("text.txt:")] == [
        "text.txt:2: as PyTorch: x = torch.rand(2, 3, 4) …",
        "text.txt:5: ran: y = torch.arange(120).view(2, 3, 4, 5).transpose(1, 2) …",
        "text.txt:8: as PyTorch: y[0, 0, 0, 0]",
        "text.txt:11: as PyTorch: y.stride(0)",
        "text.txt: 4 statements: 3 as PyTorch, 1 ran",
    ]
