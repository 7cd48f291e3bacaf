# SPDX-License-Identifier: Apache-2.0
"""Runs the tests that need PyTorch by the first Python that has it and can load the extension.

    tests/python/with_torch.py BUILT_PACKAGE TEST…

PyTorch is looked for in this Python, in `.venv-torch` (scripts/setup.sh makes it where Debian's python3-torch is
installed) and in the system's. Ends with 77, and says so, where none has it.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROBE = "import sysconfig, numpy, pytest, torch; print(sysconfig.get_config_var('EXT_SUFFIX'), torch.__version__)"
SKIPPED = 77


def main() -> int:
    """Finds the Python, and becomes it."""
    package, tests = Path(sys.argv[1]), sys.argv[2:]
    suffixes = {path.name.partition(".")[2] for path in (package / "tenstride").glob("_tenstride.*.so")}
    for python in (sys.executable, str(ROOT / ".venv-torch/bin/python3"), "/usr/bin/python3"):
        if not Path(python).exists():
            continue
        probe = subprocess.run([python, "-c", PROBE], capture_output=True, text=True, check=False)
        suffix, _, version = probe.stdout.strip().partition(" ")
        if probe.returncode == 0 and suffix.lstrip(".") in suffixes:
            print(f"PyTorch {version} of {python}", flush=True)
            environment = {**os.environ, "PYTHONPATH": str(package)}
            os.execve(python, [python, "-B", "-m", "pytest", "-p", "no:cacheprovider", *tests], environment)
    print("skipped: no Python here has PyTorch, NumPy and pytest (apt-get install python3-torch, then make setup)")
    return SKIPPED


if __name__ == "__main__":
    sys.exit(main())
