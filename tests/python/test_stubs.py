# SPDX-License-Identifier: Apache-2.0
"""The type stubs that the build has written: true for users (mypy --strict) and for the extension (stubtest)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import tenstride

ROOT = Path(__file__).resolve().parents[2]
HERE = ROOT / "tests" / "python"

pytest.importorskip("mypy", reason="mypy is not installed for this interpreter")


def run(*command: object) -> str:
    environment = {**os.environ, "MYPYPATH": str(Path(tenstride.__file__).parents[1])}
    result = subprocess.run(
        [sys.executable, *map(str, command)], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def test_users_code_passes_mypy():
    said = run("-m", "mypy", "--config-file", HERE / "mypy.ini", HERE / "typing_checks.py")
    assert said.startswith("Success: no issues found"), said


def test_users_code_runs():
    run("-B", "-c", "import sys; sys.path.insert(0, 'tests/python'); import typing_checks; typing_checks.use()")


def test_stubs_fit_the_extension():
    run(
        "-m",
        "mypy.stubtest",
        "tenstride._tenstride",
        "--mypy-config-file",
        HERE / "mypy.ini",
        "--allowlist",
        HERE / "stubtest_allowlist.txt",
    )
