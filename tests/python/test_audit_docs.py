# SPDX-License-Identifier: Apache-2.0
"""README.md and docs/audit.md quote what examples/audit_models.py prints, and what they say of the two models holds."""

from __future__ import annotations

import importlib.util
import os
import pathlib
import re
import subprocess
import sys

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed for this Python")

import tenstride  # noqa: E402
from tenstride.audit import audit  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "audit_models.py"


def models():
    spec = importlib.util.spec_from_file_location("audit_models", EXAMPLE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.skipif(not torch.__version__.startswith("2.6"), reason="the documents quote lines of PyTorch 2.6")
@pytest.mark.skipif(sys.version_info < (3, 11), reason="inner operations have their names from Python 3.11 on")
def test_the_documents_quote_what_the_example_prints(tmp_path):
    folder = str(pathlib.Path(tenstride.__file__).parents[1])
    found = subprocess.run(
        [sys.executable, str(EXAMPLE), str(tmp_path)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": folder},
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stderr
    printed = dict(part.split("\n", 1) for part in found.stdout.split("== ")[1:])
    document = (ROOT / "docs" / "audit.md").read_text(encoding="utf-8")
    readme = (
        (ROOT / "README.md")
        .read_text(encoding="utf-8")
        .replace("$ python examples/audit_models.py\n== transformer\n", "")
    )
    blocks = re.findall(r"^```\w*\n(.*?)^```$", document + readme, re.DOTALL | re.MULTILINE)
    quoted = [block for block in blocks if " copies (" in block.partition("\n")[0]]
    assert len(quoted) == 3
    for text, block in zip([printed["transformer"], printed["convnet"], printed["transformer"]], quoted):
        position = 0
        for part in block.split("\n…\n"):
            position = text.find(part.strip("\n"), position)
            assert position >= 0, part
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "convnet.html",
        "convnet.json",
        "transformer.html",
        "transformer.json",
    ]


def test_time_first_from_the_beginning_spares_the_copy_into_the_layer():
    layer = torch.nn.TransformerEncoderLayer(64, 4, 256)
    x = torch.randn(8, 32, 64)
    with audit() as permuted:
        layer(x.permute(1, 0, 2))
    with audit() as straight:
        layer(torch.randn(32, 8, 64))
    assert len(permuted.copies) == len(straight.copies) + 1
    assert permuted.missed and not straight.missed


def test_pooling_to_one_pixel_spares_the_copy_of_flatten():
    net = models().ConvNet()
    images = torch.randint(256, (2, 16, 16, 3), dtype=torch.uint8)
    with audit() as report:
        net(images)
    assert len(report.of_kind("silent")) == 1
    net.features[-1] = torch.nn.AdaptiveAvgPool2d(1)
    net.classify[1] = torch.nn.Linear(32, 10)
    with audit() as report:
        net(images)
    report.assert_no_copies(kinds="silent")
