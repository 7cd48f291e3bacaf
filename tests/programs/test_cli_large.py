#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`tenstride convert --max-mem`: the results are NumPy's, and the memory of the process stays below the limit."""

import json
import os
import pathlib
import subprocess
import sys

import numpy
from cli_case import HANGS, is_sanitized, main
from large_case import LargeCase

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench"))
import large_files_run

MIB = 1 << 20


class Results(LargeCase):
    shapes = (("a.npy", (256, 512, 512)), ("m.npy", (8192, 2048)))  # 256 MiB, 64 MiB

    def check(self, source, spec, expected, *options):
        limit = self.least + 32 if is_sanitized() else 64
        bill, most = self.watched(self.source(source), spec, "-o", "b.npy", f"--max-mem={limit}M", *options)
        self.assert_equal(self.result(), expected(numpy.load(self.source(source), mmap_mode="r")))
        self.assertEqual(self.names(), ["b.npy"])
        if not is_sanitized():
            self.assertLessEqual(max(most, bill["totals"]["peak_resident"]), 64 * MIB)

    def test_the_axes_reversed(self):
        self.check("a.npy", "x.permute(2,1,0)", lambda x: x.transpose(2, 1, 0))

    def test_the_last_axis_first(self):
        self.check("a.npy", "h w c -> c h w", lambda x: x.transpose(2, 0, 1), "--verify")

    def test_two_axes_exchanged(self):
        self.check("a.npy", "x.permute(1,0,2)", lambda x: x.transpose(1, 0, 2))

    def test_every_third_element_backwards(self):
        self.check("a.npy", "x.flip(1)[:, ::3].mT", lambda x: x[:, ::-1][:, ::3].swapaxes(1, 2))

    def test_another_type(self):
        self.check("a.npy", "x.permute(2,0,1)", lambda x: x.transpose(2, 0, 1).astype("f8"), "--dtype", "float64")

    def test_a_matrix_in_column_major_order(self):
        self.check("m.npy", "x.T", lambda x: x.T, "--order", "F")


class Memory(LargeCase):
    shapes = (("a.npy", (256, 512, 512)),)

    def test_no_limit_is_exceeded(self):
        if is_sanitized():
            self.skipTest("the sanitizers need memory of their own")
        sums = set()
        for backend in ("uring", "threads"):
            for limit in (48, 64, 100, 256):
                with self.subTest(backend=backend, limit=limit):
                    call = [self.source("a.npy"), "x.permute(2,1,0)", "-o", "b.npy", "--force", f"--max-mem={limit}M"]
                    bill, most = self.watched(*call, TENSTRIDE_IO=backend)
                    self.assertLessEqual(bill["totals"]["peak_resident"], limit * MIB)
                    self.assertLessEqual(most, limit * MIB)
                    # The memory is used: by the program's own word, as `most` is of the moments that it was looked at.
                    self.assertGreater(bill["totals"]["peak_resident"], limit * MIB // 4)
                    sums.add(bill["checksum"])
        self.assertEqual(len(sums), 1)

    def test_a_machine_that_was_never_measured(self):
        if is_sanitized():
            self.skipTest("the sanitizers need memory of their own")
        call = [self.source("a.npy"), "x.permute(2,1,0)", "-o", "b.npy", "--max-mem=48M"]
        bill, most = self.watched(*call, XDG_CACHE_HOME=self.path("cache"))
        self.assertLessEqual(max(most, bill["totals"]["peak_resident"]), 48 * MIB)

    def in_group(self, limit, *arguments):
        """Runs the program in a memory control group, page cache included."""
        large_files_run.NAME = f"tenstride-test-{os.getpid()}"
        try:
            group = large_files_run.MemoryGroup(limit)
        except OSError as error:
            self.skipTest(f"no memory control group can be made: {error}")
        try:
            enter = 'echo $$ > "$0/cgroup.procs" && exec "$@"'
            done = subprocess.run(
                ["/bin/sh", "-c", enter, str(group.path), self.tool, "convert", *arguments, "--json", "--quiet"],
                env=self.environment({}),
                cwd=self.folder,
                capture_output=True,
                text=True,
                check=False,
                timeout=HANGS,
            )
        finally:
            group.close()
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_in_a_control_group_of_this_size(self):
        if is_sanitized():
            self.skipTest("the sanitizers need memory of their own")
        call = [self.source("a.npy"), "x.permute(2,1,0)", "-o", "b.npy"]
        bill = self.in_group(64 * MIB, *call, "--max-mem=64M")
        # Half of what the group has left, by itself.
        found = self.in_group(128 * MIB, *call, "--force")
        self.assertEqual(found["checksum"], bill["checksum"])
        self.assertLessEqual(found["totals"]["peak_resident"], 64 * MIB)


if __name__ == "__main__":
    main()
