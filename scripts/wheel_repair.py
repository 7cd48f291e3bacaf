#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a wheel portable: puts the shared libraries that it needs into it, with their licences, and names it after the
oldest systems that it runs on (manylinux_2_NN: a glibc of 2.NN or newer).

    scripts/wheel_repair.py WHEEL FOLDER [--max-bytes N]    # writes the repaired wheel to FOLDER, prints its path
    scripts/wheel_repair.py WHEEL                           # says what hinders a wheel from being portable

Ends with 1 where the wheel needs anything beyond a system's C and C++ libraries, or is larger than N.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any

TOOLS = Path(sys.executable).parent


def run(*command: object) -> str:
    environment = {**os.environ, "PATH": f"{TOOLS}{os.pathsep}{os.environ['PATH']}"}  # auditwheel calls patchelf
    result = subprocess.run([str(part) for part in command], env=environment, capture_output=True, text=True)
    if result.returncode:
        sys.exit(f"wheel: {' '.join(map(str, command))} failed\n{result.stdout}{result.stderr}")
    return result.stdout


def audit(wheel: Path) -> dict[str, Any]:
    """What auditwheel says of a wheel: `overall_tag`, and `external_libs` with their paths on this machine."""
    return json.loads(run(TOOLS / "auditwheel", "show", "--json", wheel))


def copyright_of(library: str) -> tuple[str, Path]:
    """The Debian package that a library is from, and the file with its licence."""
    path = os.path.realpath(library)
    # Debian 12 still has packages that know their files by the names from before /lib became a link to /usr/lib.
    known = [path, path.removeprefix("/usr")]
    found = subprocess.run(["dpkg-query", "--search", *known], capture_output=True, text=True, check=False).stdout
    package = found.partition(":")[0]
    if not package:
        raise SystemExit(f"wheel: {path} must belong to a Debian package, whose licence goes into the wheel")
    return package, Path("/usr/share/doc") / package / "copyright"


def add_licences(wheel: Path, libraries: list[str]) -> None:
    """Adds the licence of each library to a wheel; auditwheel enters the new files into RECORD."""
    with zipfile.ZipFile(wheel, "a", zipfile.ZIP_DEFLATED) as archive:
        info = next(name.partition("/")[0] for name in archive.namelist() if ".dist-info/" in name)
        for package, text in sorted(set(map(copyright_of, libraries))):
            archive.write(text, f"{info}/licenses/libraries/{package}.txt")


def complaints(wheel: Path, max_bytes: int | None) -> list[str]:
    """What is wrong with a repaired wheel."""
    found = audit(wheel)
    result = []
    if not found["overall_tag"].startswith("manylinux_") or found["overall_tag"] not in wheel.name:
        result.append(f"it runs on {found['overall_tag']} only, which its name does not say")
    if found["external_libs"]:
        result.append(f"it needs libraries of the system: {', '.join(found['external_libs'])}")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    grafted = [name for name in names if name.startswith("tenstride.libs/")]
    licences = [name for name in names if "/licenses/libraries/" in name]
    if grafted and not licences:
        result.append("the libraries in it have no licence beside them")
    if max_bytes is not None and wheel.stat().st_size > max_bytes:
        result.append(f"it has {wheel.stat().st_size} bytes, more than {max_bytes}")
    return result


def repaired(wheel: Path, folder: Path) -> Path:
    """The wheel with the libraries it needs and their licences, as a new file in the folder."""
    libraries = audit(wheel)["external_libs"]
    missing = [name for name, path in libraries.items() if path is None]
    if missing:
        sys.exit(f"wheel: not found on this machine: {', '.join(missing)}")
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(shutil.copy(wheel, scratch))
        add_licences(copy, list(libraries.values()))
        run(TOOLS / "auditwheel", "repair", "--strip", "-z", "9", "--wheel-dir", folder, copy)
    [result] = folder.glob("*.whl")
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wheel", type=Path)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--max-bytes", type=int)
    given = parser.parse_args()
    wheel = repaired(given.wheel, given.folder) if given.folder else given.wheel
    found = complaints(wheel, given.max_bytes)
    for complaint in found:
        print(f"wheel: {wheel.name}: {complaint}", file=sys.stderr)
    if found:
        sys.exit(1)
    print(wheel)


if __name__ == "__main__":
    main()
