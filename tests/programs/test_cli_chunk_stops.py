#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`tenstride convert` from chunks and to chunks that is killed or interrupted at any moment, and resumed. The environment
variable TENSTRIDE_KILLS says how often (6)."""

import json
import os
import random
import signal
import time

import numpy
from cli_case import HANGS, is_sanitized, main
from faults import journal_fault
from large_case import LargeCase, files_of

KILLS = int(os.environ.get("TENSTRIDE_KILLS", "6"))
# Source, destination, how that is written, and MiB of memory for buffers.
SHARDS = ("a.npy", "b.zarr", ("--chunks", "32,32,32", "--shards", "64,64,64", "--codec", "zstd:9"), 32)
CHUNKS = ("a.zarr", "b.zarr", ("--chunks", "64,32,32", "--codec", "gzip:6"), 32)
TWO_PASSES = ("rows.zarr", "b.zarr", ("--chunks", "256,2,256", "--codec", "zstd:3"), 16)
FLAT = ("a.zarr", "b.npy", (), 32)
HDF5 = ("a.npy", "b.h5", ("--chunks", "64,32,32", "--codec", "gzip:4"), 32)


class ChunkStops(LargeCase):
    shapes = (("a.npy", (256, 256, 256)),)  # 64 MiB

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.folder = cls.sources
        test = cls("test_kills_of_zarr_with_shards")
        test.run_tool("convert", "a.npy", "x", "-o", "a.zarr", "--chunks", "32,64,64", "--codec", "zstd:1")
        test.run_tool("convert", "a.npy", "x", "-o", "rows.zarr", "--chunks", "2,256,256", "--codec", "zstd:1")

    def call(self, kind, *more):
        source, destination, written, buffers = kind
        # A sanitized program itself takes more memory in one run than in another; a resumed run needs as much for buffers.
        spare = 16 if "--resume" in more and is_sanitized() else 0
        limit = f"--max-mem={self.least + buffers + spare}M"
        return [self.source(source), "x.permute(2,1,0)", "-o", destination, limit, *written, *more]

    def beside(self, kind, name):
        return f".{kind[1]}.tenstride-{name}"

    def assert_result(self, kind):
        """By way of .npy, which NumPy reads."""
        destination = kind[1]
        if not destination.endswith(".npy"):
            self.run_tool("convert", destination, "x", "-o", "read.npy")
            destination = "read.npy"
        self.assert_equal(self.result(destination), numpy.load(self.source("a.npy")).T)
        if destination == "read.npy":
            os.remove(self.path(destination))

    def kill(self, kind, delay, *more):
        with self.start("convert", *self.call(kind, *more)) as process:
            time.sleep(delay)
            process.send_signal(signal.SIGKILL)
            _, err = process.communicate(timeout=HANGS)
        return process.returncode, err

    def kill_at_a_record(self, kind, *more):
        """Killed with the journal begun, unless no more than a few records were left to be written."""
        fault = journal_fault(self, random.randrange(3, 12), FAULT_KILLS="1")
        with self.start("convert", *self.call(kind, *more), **fault) as process:
            _, err = process.communicate(timeout=HANGS)
        return process.returncode, err

    def begun(self, kind):
        """Whether the header of the journal is there, of which the texts are written last."""
        journal = self.folder / self.beside(kind, "journal")
        return journal.exists() and journal.stat().st_size > 104

    def kill_and_resume(self, kind, kills):
        """Killed again and again, at moments and at records of the journal by turns, resumed until it is done; the
        destination is the old one or the new one, whole."""
        random.seed(len(kind[0]) + len(kind[2]))
        source = files_of(self.source(kind[0]))
        begun = time.monotonic()
        bill, _ = self.convert(*self.call(kind))
        took = time.monotonic() - begun
        self.assert_result(kind)
        new = files_of(self.path(kind[1]))
        resumptions = kept = 0
        while kills > 0 or resumptions == 0:
            self.remove(kind[1])
            old, _ = self.convert(self.source("a.npy"), "x[:4]", "-o", kind[1])
            old = files_of(self.path(kind[1]))
            more = ["--force"]
            while True:
                at_record = kills % 2 == 0 or kills < 0
                code, err = (
                    self.kill_at_a_record(kind, *more) if at_record else self.kill(kind, random.uniform(0, took), *more)
                )
                kills -= 1
                self.assertIn(code, (0, 1, -signal.SIGKILL), err)
                if code == 1:  # there was nothing to go on with
                    self.assertIn("must have been begun to be resumed", err)
                found = files_of(self.path(kind[1]))
                found.pop(".tenstride-unfinished", None)
                self.assertTrue(found in (old, new), sorted(found))
                if code == 0:
                    took *= 0.8  # the first run may have been a slow one
                    break
                if not self.begun(kind):
                    more = ["--force"]
                    continue
                more = ["--force", "--resume"]
                if kills <= 0 or random.random() < 0.5:
                    resumptions += 1
                    again, err = self.convert(*self.call(kind, *more))
                    self.assertTrue(again["totals"]["resumed"])
                    self.assertEqual(again["checksum"], bill["checksum"])
                    event = json.loads(err.splitlines()[0])
                    self.assertEqual(event["event"], "start")
                    kept += event["tiles_done"]
                    break
            self.assertEqual(self.names(), [kind[1]])
            self.assertTrue(files_of(self.path(kind[1])) == new)
        self.assertTrue(files_of(self.source(kind[0])) == source)
        print(f"{kind[0]} to {kind[1]}: {resumptions} resumed, {kept} tiles kept")

    def test_kills_of_zarr_with_shards(self):
        self.kill_and_resume(SHARDS, KILLS // 3)

    def test_kills_from_zarr_to_zarr(self):
        self.kill_and_resume(CHUNKS, KILLS // 3)

    def test_kills_in_two_passes(self):
        plan = self.run_tool("convert", *self.call(TWO_PASSES), "--dry-run").stdout
        self.assertEqual(plan.count("chunks  "), 2, plan)
        self.kill_and_resume(TWO_PASSES, KILLS // 3)

    def test_kills_from_zarr_to_npy(self):
        self.kill_and_resume(FLAT, KILLS // 3)

    def test_kills_of_hdf5(self):
        """It is begun anew: the destination is the old file or the new one, whole."""
        source = files_of(self.source("a.npy"))
        begun = time.monotonic()
        self.convert(*self.call(HDF5))
        took = time.monotonic() - begun
        self.assert_result(HDF5)
        for _ in range(max(KILLS // 4, 1)):
            self.remove("b.h5")
            self.kill(HDF5, random.uniform(0, took))
            if (self.folder / "b.h5").exists():
                self.assert_result(HDF5)
            self.write("b.h5", b"old")
            self.kill(HDF5, random.uniform(0, took), "--force")
            if os.stat(self.path("b.h5")).st_size != 3:
                self.assert_result(HDF5)
            self.convert(*self.call(HDF5, "--force"))
            self.assert_result(HDF5)
        self.assertTrue(files_of(self.source("a.npy")) == source)

    def test_hdf5_says_that_it_is_begun_anew(self):
        self.fails(
            1,
            'convert: "b.h5" must be begun anew: nothing is kept of an HDF5 or netCDF-4 file that was not written to its end',
            *["convert", *self.call(HDF5, "--resume", "--quiet")],
        )
        self.assertEqual(self.names(), [])
        said = 'tenstride: convert: interrupted; nothing is kept of "b.h5"\n'
        self.assertEqual(self.interrupted(2, *self.call(HDF5, "--quiet"), FAULT_FILE=".tmp"), (130, said))
        self.assertEqual(self.names(), [])

    def test_signals_keep_what_is_finished(self):
        for kind in (SHARDS, FLAT):
            keeps = (
                f'tenstride: convert: interrupted; what is finished is kept beside "{kind[1]}": '
                "the same command with --resume goes on\n"
            )
            self.assertEqual(self.interrupted(4, *self.call(kind, "--quiet")), (130, keeps))
            self.assertEqual(self.names(), [self.beside(kind, "journal"), self.beside(kind, "part")])
            bill, _ = self.convert(*self.call(kind, "--resume"))
            self.assertTrue(bill["totals"]["resumed"])
            self.assert_result(kind)
            self.assertEqual(self.names(), [kind[1]])
            self.remove(kind[1])

    def test_a_second_run_without_resume_begins_anew(self):
        self.convert(*self.call(SHARDS), code=-signal.SIGKILL, **journal_fault(self, 4, FAULT_KILLS="1"))
        bill, _ = self.convert(*self.call(SHARDS))
        self.assertFalse(bill["totals"]["resumed"])
        self.assert_result(SHARDS)
        self.assertEqual(self.names(), ["b.zarr"])


if __name__ == "__main__":
    main()
