#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`tenstride convert --max-mem` that is killed or interrupted at any moment, and resumed. The environment variable
TENSTRIDE_KILLS says how often (10)."""

import json
import os
import random
import signal
import time

import numpy
from cli_case import HANGS, main
from faults import journal_fault
from large_case import LargeCase

PART = ".b.npy.tenstride-part"
BLOCKS = ".b.npy.tenstride-blocks"
JOURNAL = ".b.npy.tenstride-journal"
# One pass, and two, with so many MiB more than the least: the tests see in the bill that it is so.
ONE_PASS = ("a.npy", "x.permute(2,1,0)", 12, 1)
TWO_PASSES = ("m.npy", "x.T", 1, 2)


class Stops(LargeCase):
    shapes = (("a.npy", (256, 256, 256)), ("m.npy", (4096, 4096)))  # 64 MiB each

    def call(self, kind, *more):
        source, spec, beyond_least, _ = kind
        return [self.source(source), spec, "-o", "b.npy", f"--max-mem={self.least + beyond_least}M", *more]

    def expected(self, kind):
        return numpy.load(self.source(kind[0])).T

    def first_event(self, err):
        return json.loads(err.splitlines()[0])

    def kill(self, call, delay):
        """The exit code"""
        with self.start("convert", *call) as process:
            time.sleep(delay)
            process.send_signal(signal.SIGKILL)
            process.communicate(timeout=HANGS)
        return process.returncode

    def kill_at_a_record(self, call, tiles):
        """The exit code of a run that is killed with the journal begun and tiles left, whatever the time."""
        # Another run may have fewer tiles: what the limit leaves for buffers depends on the memory that is resident.
        fault = journal_fault(self, random.randrange(3, 3 + tiles // 2), FAULT_KILLS="1")
        with self.start("convert", *call, **fault) as process:
            process.communicate(timeout=HANGS)
        return process.returncode

    def kill_and_resume(self, kind, kills):
        """Killed again and again, at moments and at records of the journal by turns, and resumed each time; then the
        destination is the old file or the new one."""
        random.seed(len(kind[1]))
        expected = self.expected(kind)
        begun = time.monotonic()
        bill, err = self.convert(*self.call(kind))
        took = time.monotonic() - begun
        tiles = self.first_event(err)["tiles"]
        self.assertEqual((bill["passes"], bill["totals"]["resumed"]), (kind[3], False))
        self.assert_equal(self.result(), expected)
        completions = resumptions = 0
        for kill in range(kills):
            with open(self.path("b.npy"), "wb") as old:
                old.write(b"old")
            call = self.call(kind, "--force")
            at_record = kill % 2 == 0
            code = self.kill_at_a_record(call, tiles) if at_record else self.kill(call, random.uniform(0, took))
            if at_record:
                self.assertEqual((code, self.is_begun()), (-signal.SIGKILL, True))
            if code == 0:
                completions += 1
                took *= 0.8  # the first run may have been a slow one
                self.assertEqual(self.names(), ["b.npy"])
                self.assert_equal(self.result(), expected)
                continue
            is_new = os.stat(self.path("b.npy")).st_size != 3
            if is_new:  # killed between its name and the end
                self.assert_equal(self.result(), expected)
            if not self.is_begun():
                with self.start("convert", *self.call(kind, "--force", "--resume", "--quiet")) as process:
                    _, err = process.communicate(timeout=HANGS)
                self.assertEqual(process.returncode, 1)
                self.assertIn('convert: "b.npy" must have been begun to be resumed', err)
                self.convert(*self.call(kind, "--force"))
                self.assertEqual(self.names(), ["b.npy"])
                continue
            if is_new:  # only the journal was left to be removed
                again, _ = self.convert(*self.call(kind, "--force", "--resume"))
                self.assertEqual((again["totals"]["resumed"], self.names()), (True, ["b.npy"]))
                self.assert_equal(self.result(), expected)
                continue
            resumptions += 1
            again, err = self.convert(*self.call(kind, "--force", "--resume"))
            self.assertTrue(again["totals"]["resumed"])
            self.assertEqual(again["checksum"], bill["checksum"])
            self.assertEqual(self.names(), ["b.npy"])
            self.assert_equal(self.result(), expected)
            event = self.first_event(err)
            self.assertEqual(event["event"], "start")
            # What is finished is not read again.
            left = 1 - event["tiles_done"] / event["tiles"]
            self.assertLessEqual(again["totals"]["bytes_read"], bill["totals"]["bytes_read"] * (left + 0.25))
        print(f"{kind[1]}: {kills} kills, {completions} too late, {resumptions} resumed")
        self.assertGreaterEqual(resumptions, (kills + 1) // 2)

    def is_begun(self):
        """Whether the header of the journal is there, of which the texts are written last."""
        journal = self.folder / JOURNAL
        return journal.exists() and journal.stat().st_size > 104

    def test_sigkill_in_one_pass(self):
        self.kill_and_resume(ONE_PASS, int(os.environ.get("TENSTRIDE_KILLS", "10")) // 2)

    def test_sigkill_in_two_passes(self):
        self.kill_and_resume(TWO_PASSES, int(os.environ.get("TENSTRIDE_KILLS", "10")) // 2)

    def test_a_run_that_did_not_come_to_the_header(self):
        """Killed behind the journal's header and before that of the result: as if its first page were not written."""
        self.convert(*self.call(TWO_PASSES), code=-signal.SIGKILL, **journal_fault(self, 3, FAULT_KILLS="1"))
        with open(self.path(PART), "r+b") as part:
            part.write(bytes(4096))
        self.convert(*self.call(TWO_PASSES, "--resume"))
        self.assert_equal(self.result(), self.expected(TWO_PASSES))

    def test_signals_end_a_run_in_order(self):
        keeps = (
            'tenstride: convert: interrupted; what is finished is kept beside "b.npy": '
            "the same command with --resume goes on\n"
        )
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)):
            with self.subTest(number):
                found = self.interrupted(5, *self.call(TWO_PASSES, "--force"), number=number)
                self.assertEqual(found, (code, keeps))
                self.assertEqual(self.names(), [BLOCKS, JOURNAL, PART])
        bill, err = self.convert(*self.call(TWO_PASSES, "--resume"))
        self.assertTrue(bill["totals"]["resumed"])
        self.assertGreater(self.first_event(err)["tiles_done"], 0)
        self.assert_equal(self.result(), self.expected(TWO_PASSES))
        self.assertEqual(self.names(), ["b.npy"])

    def test_a_second_run_without_resume_begins_anew(self):
        self.assertEqual(self.interrupted(5, *self.call(TWO_PASSES))[0], 130)
        bill, err = self.convert(*self.call(TWO_PASSES))
        self.assertEqual((bill["totals"]["resumed"], self.first_event(err)["tiles_done"]), (False, 0))
        self.assert_equal(self.result(), self.expected(TWO_PASSES))
        self.assertEqual(self.names(), ["b.npy"])

    def test_a_second_signal_ends_at_once(self):
        with self.stopped(5, *self.call(TWO_PASSES)) as process:
            process.send_signal(signal.SIGINT)
            process.send_signal(signal.SIGINT)
            process.send_signal(signal.SIGCONT)
            process.communicate(timeout=HANGS)
            self.assertIn(process.returncode, (130, -signal.SIGINT))


if __name__ == "__main__":
    main()
