#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts the explorer's folder together: the page of explorer/, the library, and offline.html, which has both in one.

Prints what a server sends of it, and fails where that is too much.

scripts/explorer.py --library build/wasm/bin/tenstride.wasm --out build/explorer/page
"""

from __future__ import annotations

import argparse
import base64
import gzip
import re
import shutil
from pathlib import Path

import brotli  # type: ignore[import-not-found]

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "explorer"
# Of all files but offline.html, by brotli.
MAX_SENT = 700_000

IMPORT = re.compile(r'^import \{[^}]*\} from "\./([\w.]+)";\n', re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const|let)\b)", re.MULTILINE)
NAME = re.compile(r"^(?:async )?(?:function|class|const|let) (\w+)", re.MULTILINE)


def bundled(entry: str) -> str:
    """A module and all that it imports as one text, each behind what it imports. No two may have a name in common."""
    texts: dict[str, str] = {}

    def add(name: str) -> None:
        if name in texts:
            return
        text = (PAGE / name).read_text(encoding="utf-8")
        texts[name] = ""  # its own place, where modules import each other
        for imported in IMPORT.findall(text):
            add(imported)
        texts.pop(name)
        texts[name] = EXPORT.sub("", IMPORT.sub("", text))

    add(entry)
    whole = "".join(texts.values())
    if "import {" in whole or re.search(r"^export ", whole, re.MULTILINE):
        raise SystemExit(f"explorer: {entry} imports or exports in a way that is not followed")
    names = NAME.findall(whole)
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise SystemExit(f"explorer: modules of {entry} have names in common: {', '.join(sorted(twice))}")
    return whole


def in_script(text: str) -> str:
    """The text so that it may stand in a script element."""
    return re.sub(r"<(?=/script|!--)", r"\\x3c", text)


def offline(library: bytes) -> str:
    """The page as one file: browsers load neither modules nor workers from files."""
    page = (PAGE / "index.html").read_text(encoding="utf-8")
    packed = base64.b64encode(gzip.compress(library, 9, mtime=0)).decode()
    style = (PAGE / "style.css").read_text(encoding="utf-8")
    for old, new in (
        ('<link rel="stylesheet" href="style.css">', f"<style>\n{style}</style>"),
        (
            '<script type="module" src="app.mjs"></script>',
            f'<script type="text/plain" id="packed-library">{packed}</script>\n'
            f'<script type="text/plain" id="worker-source">{in_script(bundled("worker.mjs"))}</script>\n'
            f'<script type="module">{in_script(bundled("app.mjs"))}</script>',
        ),
    ):
        if page.count(old) != 1:
            raise SystemExit(f"explorer: index.html must have this once: {old}")
        page = page.replace(old, new)
    # Its forwarding to itself has no use.
    return re.sub(r"<!-- Browsers load.*?</script>\n", "", page, count=1, flags=re.DOTALL)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", type=Path, default=ROOT / "build/wasm/bin/tenstride.wasm")
    parser.add_argument("--out", type=Path, default=ROOT / "build/explorer/page")
    arguments = parser.parse_args()
    shutil.rmtree(arguments.out, ignore_errors=True)
    arguments.out.mkdir(parents=True)
    for file in sorted(PAGE.iterdir()):
        if file.suffix in (".html", ".css", ".mjs"):
            shutil.copy(file, arguments.out)
    library = arguments.library.read_bytes()
    (arguments.out / "tenstride.wasm").write_bytes(library)
    (arguments.out / "offline.html").write_text(offline(library), encoding="utf-8")
    sent = 0
    print(f"{'file':20} {'bytes':>10} {'gzip':>9} {'brotli':>9}")
    for file in sorted(arguments.out.iterdir()):
        content = file.read_bytes()
        small = len(brotli.compress(content, quality=11))
        print(f"{file.name:20} {len(content):10} {len(gzip.compress(content, 9)):9} {small:9}")
        sent += 0 if file.name == "offline.html" else small
    print(f"explorer: {arguments.out}/index.html, {sent} bytes over the wire of {MAX_SENT} at most")
    if sent > MAX_SENT:
        raise SystemExit("explorer: that is too much")


if __name__ == "__main__":
    main()
