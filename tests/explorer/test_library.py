#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The page's library says what the program says: `test_library.py --library tenstride.wasm --bin build/dev/bin`."""

from __future__ import annotations

import argparse
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import texts

LIBRARY, TOOL = Path(), Path()
# What is in fresh memory differs from run to run, and the page opens no files.
DIFFERS = re.compile(r"\bempty|\bopen\(|\bresize_|\bset_\(")
MAX_BYTES = 1 << 30  # the program's
MAX_PAGE = 32 << 20


def answers(calls: list[tuple[str, dict]]) -> list[dict]:
    command = ["node", Path(__file__).parent / "answers.mjs", LIBRARY]
    run = subprocess.run(command, check=True, capture_output=True, text=True, input=json.dumps(calls))
    found = json.loads(run.stdout)
    assert found["bytes"] <= 128 << 20
    return [json.loads(answer) for answer in found["answers"]]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "TENSTRIDE_MACHINE": "", "COLUMNS": "80"}
    return subprocess.run([TOOL, *arguments], capture_output=True, text=True, env=environment, timeout=600)


def told(text: str) -> tuple[dict, str, str]:
    """What the program says of a text: JSON, text, and the picture or why there is none."""
    with tempfile.TemporaryDirectory() as folder:
        picture = Path(folder, "x.svg")
        shown = run("show", text, "-o", str(picture))
        drawn = picture.read_text(encoding="utf-8") if picture.exists() else shown.stderr
        return json.loads(run("explain", text, "--json").stdout), run("explain", text).stdout, drawn


class Answers(unittest.TestCase):
    maxDiff = 4000

    def hold(self, all_texts: list[str]) -> None:
        chosen = [text for text in all_texts if text.strip() and not DIFFERS.search(text)]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            native = list(pool.map(told, chosen))
        names = ("explain", "text", "picture")
        found = answers([(name, {"text": text, "max_bytes": MAX_BYTES}) for text in chosen for name in names])
        drawn = held = 0
        for text, (explained, printed, picture), i in zip(chosen, native, range(0, len(found), len(names))):
            if MAX_PAGE < explained["totals"]["peak_bytes"] <= MAX_BYTES:
                continue  # carried out there, not in the page
            held += 1
            with self.subTest(text=text):
                self.assertEqual(found[i], explained)
                self.assertEqual(found[i + 1].get("text"), printed)
                if picture.startswith("<svg"):
                    self.assertEqual(found[i + 2].get("svg"), picture)
                    drawn += 1
        print(f"{held} of {len(chosen)} texts, {drawn} pictures")
        self.assertGreater(drawn, len(chosen) // 4)

    def test_documents_stories_and_tests(self):
        self.hold(texts.known_texts())

    def test_random_texts(self):
        self.hold(texts.random_texts(400, 5, 1))

    def test_sizes_beyond_32_bits(self):
        self.hold(texts.random_texts(188, 3_000_000_000, 2))

    def test_completions_and_machines(self):
        found = answers([("complete", {"text": "x.perm"}), ("complete", {"text": "", "machines": True})])
        self.assertEqual(found[0], {"begin": 2, "names": ["permute", "permute_"]})
        self.assertIn("zen5", found[1]["names"])

    def test_what_cannot_be_answered(self):
        found = answers([("picture", {"text": "1 + 1"}), ("explain", {})])
        for each in found:
            self.assertEqual(list(each), ["refused"], each)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--library", type=Path, required=True)
    parser.add_argument("--bin", type=Path, required=True)
    arguments, rest = parser.parse_known_args()
    LIBRARY, TOOL = arguments.library.resolve(), arguments.bin.resolve() / "tenstride"
    unittest.main(argv=[sys.argv[0], *rest])
