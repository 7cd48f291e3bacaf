#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bench/formats.py on files of 2 MB, without a control group: its sources, its check of results, its table."""

import argparse
import importlib.util
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
import formats_field as field  # noqa: E402
import formats_peers as peers  # noqa: E402


class Field(unittest.TestCase):
    def test_elements_are_exact_and_known_from_their_position(self):
        elements = field.slab((6, 5, 4), 2, 6)
        self.assertEqual((elements.shape, elements.dtype), ((4, 5, 4), numpy.float32))
        self.assertEqual(float(elements[1, 4, 2]), float(field.field(3, 4, 2)))
        self.assertTrue(numpy.array_equal(elements * 64, numpy.rint(elements * 64)))

    def test_a_wrong_result_is_found(self):
        elements = field.slab((6, 5, 4), 0, 6).transpose(1, 2, 0)
        read = elements.__getitem__
        self.assertIsNone(field.check((6, 5, 4), (1, 2, 0), elements.shape, read, 100))
        self.assertIn("has the shape (5, 4, 6)", field.check((6, 5, 4), (0, 1, 2), elements.shape, read, 100))
        self.assertIn("the element at", field.check((6, 5, 4), (1, 2, 0), elements.shape, lambda at: 7.5, 100))


class Blocks(unittest.TestCase):
    def test_the_block_decodes_each_chunk_once_where_memory_allows(self):
        self.assertEqual(peers.best_block((8, 8, 8), (8, 8, 1), (2, 2, 8), 4 * 8 * 8 * 8), (8, 8, 8))
        block = peers.best_block((64, 64, 64), (16, 16, 16), (4, 4, 32), 4 * 16 * 16 * 64)
        self.assertEqual([extent % 16 for extent in block], [0, 0, 0])


class Runs(unittest.TestCase):
    tool: pathlib.Path

    def test_all_cases_are_measured_and_right(self):
        if not all(importlib.util.find_spec(name) for name in ("zarr", "netCDF4")):
            self.skipTest("the sources are written by zarr and netCDF4")
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, "-B", ROOT / "bench/formats.py", "--size", "2000000", "--without-limit"]
            command += ["--folder", folder, "--contenders", "tenstride,cp,numpy", "--repetitions", "1"]
            done = subprocess.run([*command, "--tenstride", self.tool], text=True, capture_output=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            runs = json.loads((pathlib.Path(folder) / "results.json").read_text(encoding="utf-8"))["runs"]
            self.assertEqual([run for run in runs if run["status"] != "done"], [])
            self.assertEqual(
                [(run["case"], run["contender"]) for run in runs],
                [(case, "tenstride") for case in ("zarr-tiles", "zarr-series", "hdf5-series")]
                + [("safetensors", "tenstride"), ("safetensors", "cp"), ("npz", "tenstride"), ("npz", "numpy")],
            )
            rows = [line.split(" | ") for line in done.stdout.splitlines() if line.startswith("| ")]
            self.assertEqual([row[3] for row in rows if row[1] == "tenstride"], ["1.00 |"] * 5)
            self.assertEqual([name.name for name in pathlib.Path(folder).iterdir() if "source" in name.name], [])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    known, rest = parser.parse_known_args()
    Runs.tool = known.bin.resolve() / "tenstride"
    unittest.main(argv=[sys.argv[0], *rest])
