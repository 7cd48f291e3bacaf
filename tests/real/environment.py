# SPDX-License-Identifier: Apache-2.0
"""Virtual environments of their own for what these scripts compare with."""

import os
import pathlib
import subprocess
import venv

ROOT = pathlib.Path(__file__).resolve().parents[2]


def environment(name, holds):
    """The Python of build/real/NAME, with what NAME_requirements.txt asks for; None, with a line that says why, where
    that cannot be had. `holds`: in words."""
    folder = ROOT / "build" / "real" / name
    python = folder / "bin" / "python3"
    wanted = pathlib.Path(__file__).with_name(f"{name}_requirements.txt")
    stamp = folder / "installed.txt"
    if stamp.exists() and stamp.read_text() == wanted.read_text():
        return python
    print(f"making {folder.relative_to(ROOT)} with {holds}", flush=True)
    venv.create(folder, with_pip=True, clear=True)
    command = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", wanted]
    if subprocess.run(command, check=False).returncode != 0:
        print(f"skipped: {holds} cannot be installed here (pip's words stand above)")
        return None
    stamp.write_text(wanted.read_text())
    return python


def run_in(name, holds, script, arguments):
    """Runs a script with that Python and the package as it is built here; 0 where the environment cannot be had."""
    python = environment(name, holds)
    if python is None:
        return 0
    built = ROOT / "build" / "dev" / "python"
    paths = f"{built if built.exists() else ROOT / 'python'}"
    surroundings = {**os.environ, "PYTHONPATH": paths, "PATH": "/usr/bin:/bin"}
    return subprocess.run([python, "-B", script, *arguments], check=False, env=surroundings).returncode
