#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`tenstride convert --metadata-only` from outside, also killed at any moment. Needs NumPy. The environment variable
TENSTRIDE_KILLS says how often (10)."""

import json
import os
import random
import signal
import time

import numpy
from cli_case import HANGS, main
from large_case import LargeCase, source_of

SHAPE = (64, 64, 64)
HINT = "with --metadata-only chunks would stay as they are stored, and none would be decoded\n"


class MetadataOnly(LargeCase):
    shapes = (("a.npy", SHAPE),)

    def setUp(self):
        super().setUp()
        self.run_tool("convert", self.source("a.npy"), "x", "-o", "a.zarr", "--chunks", "16,8,8")

    def elements(self, name):
        self.run_tool("convert", name, "x", "-o", "read.npy", "--force")
        found = numpy.load(self.path("read.npy"))
        os.remove(self.path("read.npy"))
        return found

    def assert_elements(self, name, expected):
        self.assertTrue(numpy.array_equal(self.elements(name), expected), name)

    def test_a_pattern(self):
        out = self.run_tool("convert", "a.zarr", "t y x -> y x t", "-o", "b.zarr", "--metadata-only").stdout
        self.assertIn("metadata only: axes (1,2,0) of x, 256 files of chunks at most", out)
        self.assertIn("forecast: nothing is decoded, ", out)
        self.assertIn("nothing decoded, ", out)
        self.assertNotIn("checksum", out)
        self.assertNotIn(HINT, out)
        self.assert_elements("b.zarr", source_of(SHAPE).transpose(1, 2, 0))

    def test_in_place(self):
        call = ("convert", "a.zarr", "t y x -> x y t", "-o", "a.zarr", "--metadata-only")
        self.fails(
            2, 'convert: the output "a.zarr" is the input and must go with --force to be permuted in place', *call
        )
        out = self.run_tool(*call, "--force", "--verify").stdout
        self.assertIn("forecast: nothing is decoded, no data is moved\n", out)
        self.assertIn("nothing decoded, 0 B copied in ", out)
        self.assertIn("verified: ", out)
        self.assertEqual(self.names(), ["a.zarr"])
        self.assert_elements("a.zarr", source_of(SHAPE).transpose(2, 1, 0))

    def test_json(self):
        out = self.run_tool("convert", "a.zarr", "x.permute(1, 2, 0)", "-o", "b.zarr", "--metadata-only", "--json")
        bill = json.loads(out.stdout)
        self.assertEqual((bill["metadata_only"], bill["checksum"], bill["verified"]), (True, None, False))
        self.assertEqual(bill["output"]["shape"], list(SHAPE))

    def test_is_offered(self):
        call = ("convert", "a.zarr", "t y x -> y x t", "-o", "b.zarr")
        self.assertIn(HINT, self.run_tool(*call, "--dry-run").stdout)
        self.assertIn(HINT, self.run_tool(*call).stdout)
        for more in (["--chunks", "8,8,8"], ["--codec", "gzip"], ["--dtype", "float64"]):
            self.assertNotIn(HINT, self.run_tool(*call, "--dry-run", "--force", *more).stdout)

    def test_refusals(self):
        call = ("convert", "a.zarr", "x.permute(1, 2, 0)", "-o", "b.zarr", "--metadata-only")
        for option, value in (("--chunks", "8,8,8"), ("--codec", "gzip"), ("--dtype", "int8"), ("--max-mem", "1G")):
            self.fails(
                2,
                f"convert: --metadata-only decodes nothing and must not go with {option} (leave one of them out)",
                *call,
                option,
                value,
            )
        self.fails(
            1,
            'convert: "x.flip(0)" must permute the axes of x and no more, where only metadata change: no slice, '
            "flip, new axis, reshape or conversion (leave --metadata-only out)",
            "convert",
            "a.zarr",
            "x.flip(0)",
            "-o",
            "b.zarr",
            "--metadata-only",
        )
        self.fails(
            2,
            'convert: --metadata-only must go with a .zarr output, not with "b.npy"',
            "convert",
            "a.zarr",
            "x",
            "-o",
            "b.npy",
            "--metadata-only",
        )
        self.assertEqual(self.names(), ["a.zarr"])

    def test_killed(self):
        """The source is whole, and the destination absent or whole; in place the array is the old or the new one."""
        random.seed(1)
        old, new = source_of(SHAPE), source_of(SHAPE).transpose(2, 1, 0)
        begun = time.monotonic()
        self.run_tool("convert", "a.zarr", "t y x -> x y t", "-o", "b.zarr", "--metadata-only")
        took = time.monotonic() - begun
        self.assert_elements("b.zarr", new)
        for output in ("b.zarr", "a.zarr"):
            for _ in range(int(os.environ.get("TENSTRIDE_KILLS", "10")) // 2):
                self.run_tool("convert", self.source("a.npy"), "x", "-o", "a.zarr", "--chunks", "16,8,8", "--force")
                self.run_tool("convert", self.source("a.npy"), "x[:4]", "-o", "b.zarr", "--chunks", "16,8,8", "--force")
                with self.start(
                    "convert", "a.zarr", "t y x -> x y t", "-o", output, "--metadata-only", "--force"
                ) as process:
                    time.sleep(random.uniform(0, took))
                    process.send_signal(signal.SIGKILL)
                    process.communicate(timeout=HANGS)
                found = self.elements(output)
                whole = [old[:4] if output == "b.zarr" else old, new]
                self.assertTrue(any(numpy.array_equal(found, expected) for expected in whole))
                if output == "b.zarr":
                    self.assert_elements("a.zarr", old)


if __name__ == "__main__":
    main()
