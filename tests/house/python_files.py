#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every Python file is as `ruff format` writes it, and `ruff check` has no complaint; `--fix` writes it so. The version
is pinned in tests/requirements.txt, because another version formats otherwise."""

import pathlib
import re
import shutil
import subprocess
import sys

import house

FOLDERS = ("python", "scripts", "tests")


def ruff():
    """The program of the Python environment this runs in, else the one on the path."""
    beside = pathlib.Path(sys.executable).with_name("ruff")
    found = str(beside) if beside.is_file() else shutil.which("ruff")
    if found is None:
        sys.exit("ruff not found; run `make setup`")
    return found


def check(root, fix=False):
    folders = [folder for folder in FOLDERS if (root / folder).is_dir()]
    if not folders:
        return []

    def run(*arguments):
        return subprocess.run([ruff(), *arguments, *folders], cwd=root, text=True, capture_output=True)

    if fix:
        run("check", "--fix", "--quiet")
        run("format", "--quiet")
    checked = run("check", "--output-format", "concise", "--no-cache")
    formatted = run("format", "--check", "--no-cache", "--output-format", "concise")
    told = re.compile(r"^\S+:\d+:\d+: ")
    complaints = [line for line in checked.stdout.splitlines() if told.match(line)]
    complaints += [f"{line}; run `make format`" for line in formatted.stdout.splitlines() if told.match(line)]
    for result in (checked, formatted):
        if result.returncode and not complaints:
            complaints.append(result.stdout + result.stderr)
    return complaints


def self_test(fix):
    del fix
    settings = (pathlib.Path(__file__).resolve().parents[2] / "pyproject.toml").read_text(encoding="utf-8")
    with house.Tree({"pyproject.toml": settings, "python/a.py": "x = 1\n"}) as root:
        assert not check(root), check(root)
        (root / "python" / "b.py").write_text("x = {'a':1}\n", encoding="utf-8")
        house.expect(check(root), "unformatted")
        assert not check(root, fix=True)
        (root / "python" / "b.py").write_text("import os\n", encoding="utf-8")
        house.expect(check(root), "python/b.py:1:8: F401")
        assert not check(root, fix=True)


if __name__ == "__main__":
    house.main(check, self_test, (("--fix", {"action": "store_true"}),))
