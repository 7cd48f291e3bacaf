#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every C++ file is as clang-format writes it; `--fix` writes it so. The version is pinned in tests/requirements.txt,
because another version formats otherwise."""

import pathlib
import shutil
import subprocess
import sys

import house


def clang_format():
    """The program of the Python environment this runs in, else the one on the path."""
    beside = pathlib.Path(sys.executable).with_name("clang-format")
    found = str(beside) if beside.is_file() else shutil.which("clang-format")
    if found is None:
        sys.exit("clang-format not found; run `make setup`")
    return found


def check(root, fix=False):
    paths = house.files(root, house.CODE_FOLDERS, {".hpp", ".h", ".cpp"})
    if not paths:
        return []
    mode = ["-i"] if fix else ["--dry-run", "-Werror"]
    result = subprocess.run([clang_format(), *mode, *map(str, paths)], cwd=root, text=True, stderr=subprocess.PIPE)
    first = {}
    for line in result.stderr.splitlines():
        path, _, rest = line.partition(":")
        if "clang-format-violations" in rest:
            first.setdefault(path, rest.partition(":")[0])
    if result.returncode and not first:
        return [result.stderr]
    return [f"{path}:{line}: not as clang-format writes it; run `make format`" for path, line in first.items()]


def self_test(fix):
    del fix
    style = (pathlib.Path(__file__).resolve().parents[2] / ".clang-format").read_text(encoding="utf-8")
    with house.Tree({".clang-format": style, "src/a.cpp": "int f();\n"}) as root:
        assert not check(root)
        wrong = root / "src" / "b.cpp"
        wrong.write_text("int   g( );\n", encoding="utf-8")
        found = check(root)
        assert found and all("src/b.cpp:1" in complaint for complaint in found), found
        assert not check(root, fix=True)
        assert not check(root)


if __name__ == "__main__":
    house.main(check, self_test, (("--fix", {"action": "store_true"}),))
