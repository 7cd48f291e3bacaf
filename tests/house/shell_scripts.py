#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ShellCheck, pinned in tests/requirements.txt, has no complaint about the shell scripts."""

import pathlib
import shutil
import subprocess
import sys

import house

FOLDERS = (".ci", "bench", "scripts")


def shellcheck():
    """The program of the Python environment this runs in, else the one on the path."""
    beside = pathlib.Path(sys.executable).with_name("shellcheck")
    found = str(beside) if beside.is_file() else shutil.which("shellcheck")
    if found is None:
        sys.exit("shellcheck not found; run `make setup`")
    return found


def scripts(root):
    """The files that begin with the line of a shell."""
    for path in house.files(root, FOLDERS, {".sh", ""}):
        with open(root / path, encoding="utf-8") as file:
            if file.readline().startswith("#!/usr/bin/env bash"):
                yield path


def check(root):
    found = [str(path) for path in scripts(root)]
    if not found:
        return []
    command = [shellcheck(), "--format=gcc", *found]
    result = subprocess.run(command, cwd=root, text=True, capture_output=True)
    if result.returncode > 1:
        return [result.stdout + result.stderr]
    return result.stdout.splitlines()


def self_test():
    head = "#!/usr/bin/env bash\n"
    with house.Tree({"scripts/good.sh": f'{head}echo "$1"\n', "bench/notes.sh": "echo $1\n"}) as root:
        house.expect(check(root))
    with house.Tree({"scripts/bad.sh": f"{head}echo $1\n", ".ci/run": f"{head}if true; then\n"}) as root:
        complaints = check(root)
        assert any(line.startswith("scripts/bad.sh:2:") and "SC2086" in line for line in complaints), complaints
        assert any(line.startswith(".ci/run:") and "error" in line for line in complaints), complaints


if __name__ == "__main__":
    house.main(check, self_test)
