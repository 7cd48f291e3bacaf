# SPDX-License-Identifier: Apache-2.0
"""einops' own tests with its functions replaced by tenstride's, over NumPy's arrays and tenstride's tensors.

TENSTRIDE_EINOPS_TESTS names the folder `einops/tests` of a source distribution; where it is not set, the tests that the
installed einops brings are taken, and where it brings none these tests are skipped.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
import tenstride

PLUGIN = Path(__file__).resolve().parent / "einops_suite"
# Skipped by einops' tests themselves where PyTorch or a framework of symbols is not among the backends.
SKIPPED = 11


def folder() -> Path | None:
    """Where einops' tests are."""
    given = os.environ.get("TENSTRIDE_EINOPS_TESTS")
    if given:
        return Path(given)
    found = importlib.util.find_spec("einops")
    beside = Path(found.origin).parent / "tests" if found and found.origin else None
    return beside if beside and beside.is_dir() else None


@pytest.mark.skipif(folder() is None, reason="TENSTRIDE_EINOPS_TESTS does not name einops' tests")
def test_all_pass(tmp_path, capsys):
    tests = folder()
    package = Path(tenstride.__file__).parents[1]
    path = os.pathsep.join(map(str, (tests.parents[1], PLUGIN, package)))
    report = tmp_path / "outcomes.jsonl"
    environment = {**os.environ, "PYTHONPATH": path, "TENSTRIDE_EINOPS_OUTCOMES": str(report)}
    command = [sys.executable, "-B", "-m", "pytest", "-q", "-p", "replaced", "-p", "no:cacheprovider"]
    command += ["-c", os.devnull, "--rootdir", str(tests.parents[1]), str(tests)]
    result = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert report.exists(), result.stdout[-3000:] + result.stderr[-3000:]
    lines = [json.loads(line) for line in report.read_text(encoding="utf-8").splitlines()]
    counts = Counter(line["outcome"] for line in lines)
    with capsys.disabled():
        print(f"\neinops' tests: {len(lines)}, of which {dict(counts)}")
    failed = {line["id"]: line["detail"] for line in lines if line["outcome"] == "failed"}
    assert not failed, "\n\n".join(f"{name}: {text}" for name, text in failed.items())
    assert counts["skipped"] == SKIPPED
