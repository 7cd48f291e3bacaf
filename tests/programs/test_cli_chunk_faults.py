#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`tenstride convert` to chunks and from chunks on disks that are full or fail: errors say what is needed and what is
free, nothing is left, and source and old destination stay whole."""

import errno
import os
import signal
import time

import numpy
from cli_case import HANGS, main
from faults import faults_library
from large_case import LargeCase, files_of

NO_ROOM = r" \(No space left on device\)"
FREE = r", of which \d+ are free"
BYTES = rf"must have room for \d+ more bytes{FREE}{NO_ROOM}\n$"
# How the destination is written, the files that writing fails on, and what is said.
SHARDS = ("b.zarr", ("--chunks", "32,32,32", "--shards", "64,64,64"), ".tmp", rf'zarr: ".*/c/\d/\d/\d" {BYTES}')
CHUNKS = ("b.zarr", ("--chunks", "64,64,64"), ".tmp", rf'zarr: ".*/c/\d/\d/\d" {BYTES}')
HDF5 = ("b.h5", ("--chunks", "64,64,64"), ".tmp", rf'convert: "b.h5" {BYTES}')
FLAT = ("b.npy", (), "-part", rf'convert: ".*" must have room for its elements{FREE}{NO_ROOM}\n$')
KINDS = (SHARDS, CHUNKS, HDF5, FLAT)


class ChunkFaults(LargeCase):
    shapes = (("a.npy", (128, 128, 256)),)  # 16 MiB

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.folder = cls.sources
        test = cls("test_a_disk_that_is_full")
        test.run_tool("convert", "a.npy", "x", "-o", "a.zarr", "--chunks", "32,64,64", "--codec", "zstd:1")
        test.run_tool("convert", "a.npy", "x", "-o", "rows.zarr", "--chunks", "1,128,256", "--codec", "none")

    def call(self, destination, written, *more, source="a.zarr", beyond_least=16):
        limit = f"--max-mem={self.least + beyond_least}M"
        return [self.source(source), "x.permute(2,1,0)", "-o", destination, limit, "--quiet", *written, *more]

    def make_old(self, destination):
        """A whole file or folder of the name."""
        self.convert(self.source("a.npy"), "x[:4]", "-o", destination)
        return files_of(self.path(destination))

    def test_a_disk_that_is_full(self):
        library = str(faults_library(self))
        source = files_of(self.source("a.zarr"))
        for name, written, file, says in KINDS:
            variables = {"FAULT_CALL": "pwrite", "FAULT_FILE": file, "FAULT_FIRST": "2"}
            variables["FAULT_ERROR"] = str(errno.ENOSPC)
            for has_old in (False, True):
                with self.subTest(name=name, written=written, has_old=has_old):
                    old = self.make_old(name) if has_old else None
                    more = ["--force"] if has_old else []
                    _, err = self.convert(*self.call(name, written, *more), code=1, LD_PRELOAD=library, **variables)
                    self.assertRegex(err, "^tenstride: " + says)
                    self.assertEqual(self.names(), [name] if has_old else [])
                    if has_old:
                        self.assertTrue(files_of(self.path(name)) == old)
                        self.remove(name)
        self.assertTrue(files_of(self.source("a.zarr")) == source)

    def test_errors_of_the_journal_and_of_the_name(self):
        library = str(faults_library(self))
        name, written, _, _ = CHUNKS
        cases = (
            ("pwrite", ".b.zarr.tenstride-journal", 4, 'must have a journal that can be written, ".*journal"'),
            ("rename", ".b.zarr.tenstride-part", 1, ".*"),
        )
        for call, file, first, rule in cases:
            with self.subTest(call=call):
                old = self.make_old(name)
                variables = {"FAULT_CALL": call, "FAULT_FILE": file, "FAULT_FIRST": str(first)}
                variables["FAULT_ERROR"] = str(errno.EIO)
                _, err = self.convert(*self.call(name, written, "--force"), code=1, LD_PRELOAD=library, **variables)
                self.assertRegex(err, rf'^tenstride: convert: "b.zarr" {rule} \(Input/output error\)\n$')
                self.assertEqual(self.names(), [name])
                self.assertTrue(files_of(self.path(name)) == old)
                self.remove(name)

    def test_a_kill_before_the_name_is_resumed(self):
        library = str(faults_library(self))
        name, written, _, _ = SHARDS
        variables = {"FAULT_CALL": "rename", "FAULT_FILE": ".b.zarr.tenstride-part", "FAULT_FIRST": "1"}
        for has_old in (False, True):
            old = self.make_old(name) if has_old else None
            call = self.call(name, written, "--force")
            self.convert(*call, code=-signal.SIGKILL, LD_PRELOAD=library, FAULT_ERROR="5", FAULT_KILLS="1", **variables)
            if has_old:
                self.assertTrue(files_of(self.path(name)) == old)
            bill, _ = self.convert(*call, "--resume")
            self.assertTrue(bill["totals"]["resumed"])
            self.assertEqual((bill["totals"]["bytes_read"], self.names()), (0, [name]))
            self.convert(name, "x", "-o", "read.npy")
            self.assert_equal(self.result("read.npy"), numpy.load(self.source("a.npy")).T)
            self.remove("read.npy")
            self.remove(name)

    def test_no_room_for_the_result(self):
        disk = self.disk(6)
        for name, written, _, _ in KINDS:
            with self.subTest(name=name, written=written):
                codec = ("--codec", "none") if written else ()
                _, err = self.convert(*self.call(f"disk/{name}", (*written, *codec)), code=1)
                self.assertRegex(err, r"^tenstride: .* must have room for \d+ .*, of which \d+ are free.*\n$")
                self.assertRegex(err, NO_ROOM)
                self.assertEqual(list(disk.iterdir()), [])

    def test_no_room_between_two_passes(self):
        disk = self.disk(6)
        written = ("--chunks", "256,1,128")
        call = self.call("disk/b.zarr", written, source="rows.zarr", beyond_least=3)
        self.assertIn("chunks  ", self.run_tool("convert", *[c for c in call if c != "--quiet"], "--dry-run").stdout)
        _, err = self.convert(*call, code=1)
        self.assertRegex(
            err,
            r'^tenstride: convert: "disk/b.zarr" must have room beside it for \d+ bytes of temporary space, of which '
            rf"\d+ are free{NO_ROOM}\n$",
        )
        self.assertEqual(list(disk.iterdir()), [])

    def test_a_disk_that_becomes_full(self):
        disk = self.disk(24)
        with self.start("convert", *self.call("disk/b.zarr", (*SHARDS[1], "--codec", "none"))) as process:
            part = disk / ".b.zarr.tenstride-part/c/0"
            while not part.exists() and process.poll() is None:
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
            self.assertEqual(sorted(os.listdir(disk)), ["b.zarr", "filler"])
            return
        self.assertRegex(err, r"^tenstride: .*No space left on device\)\n$")
        self.assertEqual(sorted(os.listdir(disk)), ["filler"])


if __name__ == "__main__":
    main()
