# SPDX-License-Identifier: Apache-2.0
"""README.md quotes what pytest prints of its test that forbids copies."""

from __future__ import annotations

import os
import pathlib
import re
import subprocess
import sys

import tenstride

README = pathlib.Path(__file__).resolve().parents[2] / "README.md"


def test_the_readme_quotes_what_pytest_prints(tmp_path):
    text = README.read_text(encoding="utf-8")
    code, quoted = re.search(
        r"^```python\n(.*?)^```\n\n```\n\$ pytest -q test_heads.py\n(.*?)^```", text, re.M | re.S
    ).groups()
    (tmp_path / "test_heads.py").write_text(code, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_heads.py"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(pathlib.Path(tenstride.__file__).parents[1])},
        capture_output=True,
        text=True,
        check=False,
    )
    position = 0
    for part in quoted.removeprefix("…\n").split("\n…\n"):
        position = done.stdout.find(part.strip("\n"), position)
        assert position >= 0, done.stdout + done.stderr
