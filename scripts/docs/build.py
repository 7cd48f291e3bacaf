#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the documentation site into build/docs/site: the texts and the references of C++, Python and the program.

Every link of what was built is checked.

scripts/docs/build.py --dev build/dev     # where the program and the Python package were built
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

import cpp_reference
import links
import program_reference
from texts import Texts

ROOT = Path(__file__).resolve().parents[2]
EXPLORER = ROOT / "build/explorer/page"


def run(*command: object, **options: object) -> None:
    done = subprocess.run([str(word) for word in command], cwd=ROOT, **options)  # type: ignore[call-overload]
    if done.returncode != 0:
        raise SystemExit(f"docs: {command[0]} failed ({done.returncode})")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dev", type=Path, default=ROOT / "build/dev")
    parser.add_argument("--out", type=Path, default=ROOT / "build/docs")
    arguments = parser.parse_args()
    source, xml, site = arguments.out / "source", arguments.out / "doxygen", arguments.out / "site"
    for folder in (source, xml, site):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
    settings = (ROOT / "docs/site/Doxyfile").read_text(encoding="utf-8") + f"OUTPUT_DIRECTORY = {xml.resolve()}\n"
    run("doxygen", "-", input=settings, text=True)
    headers = cpp_reference.write(ROOT, xml / "xml", source / "reference/cpp")
    run(
        sys.executable,
        "-B",
        ROOT / "scripts/docs/python_reference.py",
        source / "reference/python",
        env={**os.environ, "PYTHONPATH": str(arguments.dev.resolve() / "python")},
    )
    program_reference.write(arguments.dev / "bin/tenstride", source / "reference/program.md")
    has_explorer = (EXPLORER / "index.html").exists()
    if not has_explorer:
        print("docs: without the explorer, which is not built (make explorer)")
    Texts(ROOT, source, headers, has_explorer).write()
    sphinx = ROOT / "build/docs/venv/bin/sphinx-build"
    run(sphinx, "-q", "-E", "-W", "-n", "-j", "auto", "-c", "docs/site", "-d", arguments.out / "doctrees", source, site)
    if has_explorer:
        shutil.copytree(EXPLORER, site / "explorer")
    links.main([str(site)])
    size = sum(path.stat().st_size for path in site.rglob("*") if path.is_file())
    print(f"docs: {site}/index.html, {len(list(site.rglob('*.html')))} pages, {size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
