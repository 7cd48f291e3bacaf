#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tenstride-replay finds what it looks for: recordings with one answer falsified a line make it fail, line by line."""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

DATA = pathlib.Path(__file__).resolve().parents[1] / "data" / "conformance"
BIN = pathlib.Path()
# Lines whose fault is not one of the facts compared, and what the report calls it.
CALLED = {
    "error-kind": "result",
    "allowed-though-recorded-as-refused": "result",
    "refused-though-recorded-as-allowed": "result",
    "number-of-results": "result",
    "one-of-the-results": "[1] offset",
    "start": "crc",
    "abs": "strides",
    "add-scalar": "dtype",
    "add-permuted": "strides",
    "add-rowvec": "crc",
    "unknown-operation": "left out",
    "unknown-argument": "left out",
    "missing-argument": "left out",
}


def replay(*arguments):
    return subprocess.run([BIN / "tenstride-replay", *map(str, arguments)], capture_output=True, text=True, check=False)


class Doctored(unittest.TestCase):
    def check(self, name):
        path = DATA / name
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        result = replay("--max-shown", 1000, path)
        self.assertEqual(result.returncode, 1, result.stderr)
        shown = re.findall(r'^  id "(.*?)", .*\n((?:    .*\n)+)', result.stdout, re.MULTILINE)
        self.assertEqual([found for found, _ in shown], [line["id"] for line in lines])
        for found, facts in shown:
            self.assertIn(f"    {CALLED.get(found, found)}: ", facts)

    def test_every_falsified_answer_of_torch_is_found(self):
        self.check("doctored.jsonl")

    def test_every_falsified_answer_of_numpy_is_found(self):
        self.check("doctored-numpy.jsonl")

    def test_every_falsified_answer_of_einops_is_found(self):
        self.check("doctored-einops.jsonl")

    def test_only_keeps_to_one_operation(self):
        self.assertEqual(replay("--only", "flip", DATA / "doctored.jsonl").returncode, 1)
        result = replay("--only", "squeeze", DATA / "doctored.jsonl")
        self.assertEqual(result.returncode, 0, result.stdout)

    def test_max_shown_limits_what_is_shown(self):
        result = replay("--max-shown", 2, DATA / "doctored.jsonl")
        self.assertEqual(len(re.findall(r"^  id ", result.stdout, re.MULTILINE)), 2)


class Calls(unittest.TestCase):
    def test_help_explains(self):
        result = replay("--help")
        self.assertEqual(result.returncode, 0)
        for word in ("--max-shown", "--only", "Exit status"):
            self.assertIn(word, result.stdout)

    def test_a_wrong_call_gives_2(self):
        for arguments in ([], ["--nowhere"], [DATA / "absent.jsonl"], [DATA]):
            result = replay(*arguments)
            self.assertEqual(result.returncode, 2, arguments)
            self.assertNotEqual(result.stderr, "")

    def test_a_file_that_is_no_recording_gives_2(self):
        for content in ("", "{}\n", "[1]\n", "no json\n", '{"init_meta": {"contig": []}}\n'):
            with tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder) / "x.jsonl"
                path.write_text(content, encoding="utf-8")
                self.assertEqual(replay(path).returncode, 2, content)

    def test_a_truncated_gzip_file_gives_2(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "x.jsonl.gz"
            path.write_bytes((DATA / "numpy.jsonl.gz").read_bytes()[:100000])
            self.assertEqual(replay(path).returncode, 2)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    known, rest = parser.parse_known_args()
    BIN = known.bin
    unittest.main(argv=[sys.argv[0], *rest])
