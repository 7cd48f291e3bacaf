#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`tenstride convert --max-mem` on disks that are full or fail: tests/support/faults.c stands for them."""

import errno
import os
import pathlib
import signal
import time

import numpy
from cli_case import HANGS, main
from faults import faults_library
from large_case import LargeCase

PART = ".b.npy.tenstride-part"
BLOCKS = ".b.npy.tenstride-blocks"
JOURNAL = ".b.npy.tenstride-journal"
EIO = " (Input/output error)"


class Faults(LargeCase):
    shapes = (("a.npy", (2048, 4096)),)

    def setUp(self):
        super().setUp()
        self.library = faults_library(self)

    def faulty(self, *more, code=1, **faults):
        call = [self.source("a.npy"), "x.T", "-o", "b.npy", f"--max-mem={self.least + 1}M", "--quiet", *more]
        variables = {f"FAULT_{name.upper()}": str(value) for name, value in faults.items()}
        return self.convert(*call, code=code, LD_PRELOAD=str(self.library), TENSTRIDE_IO="threads", **variables)

    def test_short_and_interrupted_transfers(self):
        expected = numpy.load(self.source("a.npy")).T
        for seed in range(5):
            bill, _ = self.faulty("--force", "--verify", code=0, seed=1000 * seed)
            self.assertEqual((bill["passes"], bill["verified"]), (2, True))
            self.assert_equal(self.result(), expected)
            self.assertEqual(self.names(), ["b.npy"])

    def test_errors_of_disks_are_errors_of_files(self):
        cases = (
            ("pread", "a.npy", 3, self.source("a.npy"), r"must be readable, \d+ bytes from byte \d+ on"),
            ("pread", BLOCKS, 5, f"./{BLOCKS}", r"must be readable, \d+ bytes from byte \d+ on"),
            ("pwrite", BLOCKS, 5, f"./{BLOCKS}", r"must be writable, \d+ bytes from byte \d+ on"),
            ("pwrite", PART, 5, f"./{PART}", r"must be writable, \d+ bytes from byte \d+ on"),
            ("pwrite", JOURNAL, 5, "b.npy", f'must have a journal that can be written, "./{JOURNAL}"'),
            ("fsync", PART, 1, "b.npy", "must be flushed to the disk"),
            ("rename", PART, 1, "b.npy", "must be a name to rename to"),
        )
        for call, file, first, named, rule in cases:
            for old in (None, b"old"):
                with self.subTest(call=call, file=file, old=old):
                    if old:
                        self.write("b.npy", old)
                    more = ["--force"] if old else []
                    _, err = self.faulty(*more, call=call, file=file, first=first, error=errno.EIO)
                    self.assertRegex(err, f'^tenstride: convert: "{named}" {rule}( \\(Input/output error\\))\n$')
                    self.assertEqual(self.names(), ["b.npy"] if old else [])
                    if old:
                        self.assertEqual(pathlib.Path(self.path("b.npy")).read_bytes(), old)
                        os.remove(self.path("b.npy"))

    def test_a_run_killed_behind_its_last_part_is_resumed(self):
        """The temporary space is dropped by then, the result has no name yet."""
        self.faulty(code=-signal.SIGKILL, call="rename", file=PART, first=1, error=errno.EIO, kills=1)
        self.assertEqual(self.names(), [JOURNAL, PART])
        bill, _ = self.faulty("--resume", "--verify", code=0)
        self.assertTrue(bill["totals"]["resumed"])
        self.assertEqual(bill["totals"]["bytes_read"], 0)
        self.assert_equal(self.result(), numpy.load(self.source("a.npy")).T)
        self.assertEqual(self.names(), ["b.npy"])

    def test_a_disk_that_is_full_all_the_same(self):
        _, err = self.faulty(call="pwrite", file=PART, first=3, error=errno.ENOSPC)
        text = (
            r'^tenstride: convert: "./{}" must have room for \d+ bytes from byte \d+ on \(No space left on device\)\n$'
        )
        self.assertRegex(err, text.format(PART))
        self.assertEqual(self.names(), [])


class FullDisks(LargeCase):
    shapes = (("a.npy", (2048, 4096)),)  # 32 MiB

    def call(self, *more):
        limit = f"--max-mem={self.least + 1}M"
        return [self.source("a.npy"), "x.T", "-o", "disk/b.npy", limit, "--quiet", *more]

    def test_what_has_no_room_is_refused_before_the_first_byte(self):
        disk = self.disk(48)  # for the result, not for the blocks
        _, err = self.convert(*self.call(), code=1)
        free = 48 << 20
        self.assertRegex(
            err,
            r'^tenstride: convert: "disk/b.npy" must have room for \d+ bytes, of which '
            + rf"{free} are free \(No space left on device\)\n$",
        )
        self.assertEqual(list(disk.iterdir()), [])

    def assert_needs(self, name, nbytes, mib):
        """A disk of so many MiB is too small for the file of a pair or a `.gz`, and for what that is packed from."""
        disk = self.disk(mib)
        call = [self.source("a.npy"), "x.T", f"--max-mem={self.least + 1}M", "-o", f"disk/{name}"]
        plan, _ = self.convert(*call, "--dry-run")
        self.assertEqual(plan["forecast"]["temporary_bytes"], 352 + (32 << 20))
        _, err = self.convert(*call, "--quiet", code=1)
        free = f"{mib << 20} are free (No space left on device)"
        self.assertEqual(err, f'tenstride: convert: "disk/{name}" must have room for {nbytes} bytes, of which {free}\n')
        self.assertEqual(list(disk.iterdir()), [])

    def test_a_pair_needs_room_for_what_it_is_made_of(self):
        self.assert_needs("b.img", 2 * (352 + (32 << 20)), 48)

    def test_a_packed_file_needs_room_for_what_it_is_made_of(self):
        nbytes = 352 + (32 << 20)
        self.assert_needs("b.nii.gz", nbytes + nbytes // 1032, 32)

    def test_a_disk_that_becomes_full(self):
        disk = self.disk(70)
        with self.start("convert", *self.call()) as process:
            while not (disk / BLOCKS).exists() and process.poll() is None:
                time.sleep(0.001)
            process.send_signal(signal.SIGSTOP)
            try:
                with open(disk / "filler", "wb", buffering=0) as filler:
                    while filler.write(bytes(4096)):
                        pass
            except OSError as error:
                self.assertEqual(error.errno, errno.ENOSPC)
            process.send_signal(signal.SIGCONT)
            _, err = process.communicate(timeout=HANGS)
        if process.returncode == 0:
            self.assertEqual(sorted(os.listdir(disk)), ["b.npy", "filler"])
            self.assert_equal(numpy.load(disk / "b.npy"), numpy.load(self.source("a.npy")).T)
            return
        self.assertEqual(process.returncode, 1)
        self.assertRegex(err, r"^tenstride: convert: .*No space left on device\)\n$")
        self.assertEqual(sorted(os.listdir(disk)), ["filler"])


if __name__ == "__main__":
    main()
