#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Updates the program's outputs in documents: scripts/outputs.py PROGRAM FILE….

In a block between ``` lines that begins with `$ tenstride …`, the lines below become the output of that command, in 100
columns. With --check nothing is written: the first block that differs is printed, and the exit status is 1."""

import argparse
import os
import pathlib
import re
import shlex
import subprocess
import sys

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--check", action="store_true")
parser.add_argument("program")
parser.add_argument("files", nargs="+", type=pathlib.Path)
arguments = parser.parse_args()


def run(command):
    words = shlex.split(command)[2:]
    done = subprocess.run(
        [arguments.program, *words], capture_output=True, text=True, env={**os.environ, "COLUMNS": "100"}
    )
    return done.stdout + done.stderr


for file in arguments.files:
    text = file.read_text()

    def filled(match, file=file):
        command = match.group(1)
        output = run(command)
        if arguments.check and match.group(2) != output:
            sys.exit(f"{file}: {command}\nprints\n{output}\nrun make pictures and read what changed")
        return f"```\n{command}\n{output}```"

    written = re.sub(r"```\n(\$ tenstride [^\n]*)\n(.*?)```", filled, text, flags=re.S)
    if not arguments.check:
        file.write_text(written)
