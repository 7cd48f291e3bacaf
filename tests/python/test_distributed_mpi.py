# SPDX-License-Identifier: Apache-2.0
"""Redistributions over mpi4py: distributed_ranks.py and the example of the document, run by mpirun."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
RANKS = Path(__file__).with_name("distributed_ranks.py")

pytest.importorskip("mpi4py", reason="mpi4py is not installed for this interpreter")
if shutil.which("mpirun") is None:
    pytest.skip("there is no mpirun (apt-get install openmpi-bin)", allow_module_level=True)


def run(ranks: int, script: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """`--allow-run-as-root` and `--oversubscribe`: in containers, and on fewer processors than ranks."""
    command = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", str(ranks), sys.executable, "-B"]
    environment = {**os.environ, "OMPI_MCA_rmaps_base_oversubscribe": "1"}
    return subprocess.run(
        [*command, "-m", "mpi4py", str(script), *arguments],
        capture_output=True,
        text=True,
        timeout=900,
        env=environment,
    )


@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_each_rank_gets_what_it_is_to_hold(ranks):
    done = run(ranks, RANKS)
    assert done.returncode == 0, done.stdout + done.stderr
    assert sorted(re.findall(r"rank \d+: done", done.stdout)) == [f"rank {rank}: done" for rank in range(ranks)]


def test_an_error_of_one_rank_ends_all_with_its_message():
    done = run(4, RANKS, "fails")
    assert done.returncode != 0
    assert "rank 3: no memory" in done.stderr


def test_example_of_the_document_prints_what_it_says(tmp_path):
    text = (ROOT / "docs" / "distributed.md").read_text(encoding="utf-8")
    program, ranks, output = re.search(r"```python3\n(.*?)```\n.*?-n (\d+).*?```\n(.*?)```", text, re.DOTALL).groups()
    script = tmp_path / "transpose.py"
    script.write_text(program, encoding="utf-8")
    done = run(int(ranks), script)
    assert done.returncode == 0, done.stderr
    assert done.stdout == output
