#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bench/large_files.py on files of 2 MB, without a control group: its cases, its check of results, its runs, its report."""

import argparse
import itertools
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))

import large_files_cases as cases  # noqa: E402
import large_files_peers as peers  # noqa: E402
import large_files_run  # noqa: E402


class Cases(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.source = pathlib.Path(folder.name) / "source.npy"

    def test_a_source_is_what_numpy_reads_and_every_element_is_its_position_s(self):
        for case in cases.cases(20_000):
            cases.write_source(self.source, case.shape)
            array = numpy.load(self.source)
            self.assertEqual((array.shape, array.dtype), (case.shape, numpy.float32))
            wanted = [float(i * 2654435761 % 2**24) for i in range(case.elements)]
            self.assertEqual(array.ravel().tolist(), wanted)

    def test_the_expected_element_is_that_of_numpy_s_view(self):
        for case in cases.cases(4_000):
            cases.write_source(self.source, case.shape)
            view = case.view(numpy.load(self.source))
            self.assertEqual(view.shape, case.result_shape)
            for position in itertools.product(*map(range, view.shape)):
                self.assertEqual(float(view[position]), case.expected(position), (case.name, position))

    def test_the_slice_in_tenstride_s_notation_is_that_of_numpy(self):
        case = cases.cases(20_000)[-1]
        self.assertEqual(case.spec, "x[2::2,:,::3]")
        x = numpy.arange(case.elements).reshape(case.shape)
        self.assertTrue(numpy.array_equal(x[2::2, :, ::3], case.view(x)))

    def test_wrong_results_are_found(self):
        case = cases.cases(20_000)[0]
        cases.write_source(self.source, case.shape)
        array = numpy.load(self.source)
        right = case.view(array)
        self.assertIsNone(cases.check(case, right.shape, right.__getitem__, 100))
        self.assertEqual(
            cases.check(case, array.shape, array.__getitem__, 100),
            f"the result has the shape {array.shape} and must have {right.shape}",
        )
        wrong = array.ravel()[: right.size].reshape(right.shape)
        self.assertRegex(cases.check(case, right.shape, wrong.__getitem__, 100), "the element at .* is .* and must be")

    def test_blocks_cover_each_element_once_within_the_limit(self):
        for case in cases.cases(200_000):
            view = case.view(numpy.zeros(case.shape, numpy.float32))
            extents = peers.choose_block(view.shape, peers.source_axes(view), 10_000)
            count = numpy.zeros(view.shape, int)
            for block in peers.blocks(view.shape, extents):
                self.assertLessEqual(count[block].size * 4, 10_000)
                count[block] += 1
            self.assertTrue((count == 1).all(), case.name)


class Runs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def measure(self, *command, timeout=None):
        return large_files_run.measure(command, self.folder, self.folder / "log", timeout=timeout)

    def test_a_run_says_how_it_ended(self):
        self.assertEqual(self.measure("true")["status"], "done")
        self.assertEqual(self.measure("sh", "-c", "exit 3")["exit_code"], 3)
        self.assertEqual(self.measure("false")["status"], "failed")
        self.assertEqual(self.measure("sleep", "100", timeout=0.1)["status"], "timed out")

    def test_bytes_of_children_are_counted(self):
        run = self.measure("sh", "-c", "head -c 1000000 /dev/zero > x; true")
        if os.geteuid() != 0 and not run["io"]:
            self.skipTest("the kernel tells of a process that has ended the superuser alone")
        self.assertGreaterEqual(run["io"]["wchar"], 1_000_000)

    def bench(self, *arguments):
        command = [sys.executable, "-B", ROOT / "bench/large_files.py", "--size", "2000000", "--without-limit"]
        command += ["--folder", self.folder, "--contenders", "cp,numpy", "--repetitions", "1", *arguments]
        done = subprocess.run(command, text=True, capture_output=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def test_all_orders_are_measured_reported_and_kept_by_continue(self):
        self.bench()
        path = self.folder / "results.json"
        runs = json.loads(path.read_text(encoding="utf-8"))["runs"]
        self.assertEqual(len(runs), 14)
        self.assertEqual([run for run in runs if run["status"] != "done"], [])
        self.assertEqual([entry.name for entry in self.folder.iterdir() if "source" in entry.name], [])
        self.assertEqual(self.bench("--continue").count("all runs are there"), 7)
        self.assertEqual(json.loads(path.read_text(encoding="utf-8"))["runs"], runs)
        self.assertEqual(self.bench("--continue", "--again", "cp").count(": cp done"), 7)
        report = subprocess.run(
            [sys.executable, "-B", ROOT / "bench/large_files_report.py", path],
            text=True,
            capture_output=True,
            check=True,
        ).stdout
        self.assertIn("**No result: measured without a memory control group and with warm caches.**", report)
        self.assertEqual(report.count("| NCHW to NHWC |"), 2)

    def test_the_script_is_a_script(self):
        subprocess.run(["bash", "-n", ROOT / "bench/large_files.sh"], check=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    _, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
