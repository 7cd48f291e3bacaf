# SPDX-License-Identifier: Apache-2.0
"""PyTorch's own tests of views, shapes, indexing and DLPack, run over tenstride through the shim in `pytorch/`.

The four files of PyTorch 2.6 are not part of this project: TENSTRIDE_PYTORCH_TESTS names the folder that has them, and
where it is not set these tests are skipped. Which of them are out of scope, and which fail, stands in
`pytorch/out_of_scope.txt` and `pytorch/known_failures.txt`; an outcome that the lists do not foretell, in either
direction, is a failure here.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

SHIM = Path(__file__).resolve().parent / "pytorch"
FILES = ("test_view_ops", "test_shape_ops", "test_indexing", "test_dlpack")
MIN_PASSING = 520
given = os.environ.get("TENSTRIDE_PYTORCH_TESTS")
pytestmark = pytest.mark.skipif(not given, reason="TENSTRIDE_PYTORCH_TESTS does not name PyTorch's tests")


def listed(name: str, module: str) -> dict[str, str]:
    """The patterns of one list for one file, with their reasons."""
    lines = (SHIM / name).read_text(encoding="utf-8").splitlines()
    pairs = [line.split(maxsplit=1) for line in lines if line and not line.startswith("#")]
    return {pattern: reason for pattern, reason in pairs if pattern.startswith(f"{module}.")}


@pytest.fixture(scope="module")
def outcomes():
    """What became of each test, by its name: of all four files, each run once."""
    found = {}
    for module in FILES:
        command = [sys.executable, "-B", str(SHIM / "run.py"), str(Path(given) / f"{module}.py")]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        assert result.returncode == 0, result.stderr[-4000:]
        lines = [json.loads(line) for line in result.stdout.splitlines() if line.startswith("{")]
        found[module] = {line["id"]: line for line in lines}
    return found


@pytest.mark.parametrize("module", FILES)
def test_outcomes_are_those_listed(outcomes, module):
    patterns = {**listed("out_of_scope.txt", module), **listed("known_failures.txt", module)}
    wrong = []
    unused = set(patterns)
    for name, line in outcomes[module].items():
        matching = {pattern for pattern in patterns if fnmatchcase(name, pattern)}
        unused -= matching
        if bool(matching) == (line["outcome"] == "passed"):
            wrong.append(f"{name}: {line['outcome']} though {'listed' if matching else 'not listed'}; {line['detail']}")
    wrong += [f"{pattern}: there is no such test" for pattern in sorted(unused)]
    assert not wrong, "\n" + "\n".join(wrong)


def test_as_many_pass_as_the_documents_say(outcomes, capsys):
    counts = Counter()
    for module, lines in outcomes.items():
        outside = listed("out_of_scope.txt", module)
        for name, line in lines.items():
            is_outside = any(fnmatchcase(name, pattern) for pattern in outside)
            counts["out of scope" if is_outside else line["outcome"]] += 1
    with capsys.disabled():
        print(f"\nPyTorch's tests: {sum(counts.values())}, of which {dict(counts)}")
    assert counts["passed"] >= MIN_PASSING
