# SPDX-License-Identifier: Apache-2.0
"""The program, as `python -m tenstride` runs it."""

import subprocess
import sys


def run_program(*arguments):
    """What it prints. Raises CalledProcessError where it fails."""
    command = [sys.executable, "-m", "tenstride", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, encoding="utf-8", check=True).stdout
