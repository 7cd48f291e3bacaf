# SPDX-License-Identifier: Apache-2.0
"""The reference of the command line: what `tenstride --help` prints, of the program and of each subcommand."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

ABOUT = """# Command line reference

What `tenstride --help` prints, and what each subcommand says of itself. [The program](../docs/cli.md) shows it at work;
`man tenstride` is the manual.
"""


def write(program: Path, out: Path) -> None:
    """Writes the page: the help of the program and of each subcommand that it lists."""
    whole = help_of(program)
    match = re.search(r"^Subcommands:\n((?:  .*\n)+)", whole, re.MULTILINE)
    if not match:
        raise SystemExit(f"docs: {program} --help lists no subcommands")
    names = re.findall(r"^  (\w\S*)", match.group(1), re.MULTILINE)
    parts = [ABOUT, block("tenstride --help", whole)]
    for name in names:
        parts.append(f"## {name}\n\n{block(f'tenstride {name} --help', help_of(program, name))}")
    out.write_text("\n".join(parts), encoding="utf-8")


def help_of(program: Path, *subcommand: str) -> str:
    environment = {**os.environ, "COLUMNS": "100", "NO_COLOR": "1"}
    done = subprocess.run([program, *subcommand, "--help"], capture_output=True, text=True, check=True, env=environment)
    return done.stdout.strip() + "\n"


def block(command: str, output: str) -> str:
    return f"````text\n$ {command}\n{output}````\n"
