#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`tenstride convert --max-mem`: what it refuses, in whole messages, and how it tells its progress."""

import json
import os
import pathlib
import pty
import re
import shutil
import signal
import subprocess
import time

import numpy
from cli_case import HANGS, main
from faults import journal_fault, wait_until_stopped
from large_case import LargeCase, source_of
from terminal import read_terminal


class Refusals(LargeCase):
    shapes = (("a.npy", (2048, 4096)),)  # 32 MiB

    def setUp(self):
        super().setUp()
        shutil.copy(self.sources / "a.npy", self.folder)
        self.limit = f"{self.least + 1}M"

    def call(self, *more, spec="x.T", limit=None):
        return ["convert", "a.npy", spec, "-o", "b.npy", f"--max-mem={limit or self.limit}", *more]

    def test_a_limit_that_is_too_low_names_one_that_works(self):
        done = self.run_tool(*self.call(limit="1M"), code=2)
        found = re.fullmatch(
            r"tenstride: convert: --max-mem 1M must be at least (\d+)M: (\d+) bytes for the program "
            r"and 1048576 for buffers\n",
            done.stderr,
        )
        self.assertTrue(found, done.stderr)
        self.assertGreaterEqual(int(found[1]) << 20, int(found[2]) + 1048576)
        self.run_tool(*self.call("--verify", limit=f"{found[1]}M"))

    def test_a_limit_is_a_number_of_bytes(self):
        self.fails(
            2,
            'convert: --max-mem: "much" must be a number of bytes, such as 4096, 512M or 1.5GiB '
            "(K, M, G and T are powers of 1024)",
            *self.call(limit="much"),
        )

    def test_chains_that_compute(self):
        for spec, why in (
            ("x.abs()", ".abs() does more than move, convert or once reduce elements of x"),
            ("x+1", "x+1 does more than move, convert or once reduce elements of x"),
            ("x[x > 16e6]", "what it gives depends on the elements of x"),
        ):
            done = self.run_tool(*self.call(spec=spec), code=2)
            self.assertRegex(
                done.stderr,
                "^tenstride: convert: SPEC must move, convert or once reduce elements to be carried out with --max-mem "
                + f"{self.limit}: {re.escape(why)}; the files need [0-9.]+ MiB to be in memory\n$",
            )
            self.assertEqual(done.stdout, "")
        self.assertEqual(self.names(), ["a.npy"])

    def test_what_has_no_such_way(self):
        for option in ("--max-mem=64M", "--resume"):
            self.fails(
                2,
                "convert: --max-mem and --resume must go with files whose elements can be read and written one by "
                "one (.npy, .safetensors, …)",
                *("convert", "a.npy", "x.to(uint8)", "-o", "a.png", option),
            )
            name = option.split("=")[0]
            self.fails(
                2,
                f"--verify-only excludes {name}\nSee tenstride --help.",
                *("convert", "a.npy", "x.T", "-o", "b.npy", option, "--verify-only"),
            )

    def test_nothing_to_be_resumed(self):
        text = 'convert: "b.npy" must have been begun to be resumed (there is no "./.b.npy.tenstride-journal")'
        for limit in (None, "8G"):
            done = self.run_tool(*self.call("--resume", "--quiet", limit=limit), code=1)
            self.assertEqual((done.stderr, done.stdout), (f"tenstride: {text}\n", ""))
        self.assertEqual(self.names(), ["a.npy"])

    def test_files_that_are_there_and_files_that_are_cut(self):
        self.write("b.npy", b"old")
        self.fails(1, 'convert: the output "b.npy" must not exist yet (--force replaces it)', *self.call())
        os.truncate(self.path("a.npy"), 1 << 20)
        self.fails(
            1,
            'npy: "a.npy" holds 1048448 bytes of elements and must hold 33554432 (shape (2048,4096), float32): '
            "32505984 are missing",
            *self.call("--force"),
        )
        self.assertEqual(pathlib.Path(self.path("b.npy")).read_bytes(), b"old")

    def interrupt(self):
        self.assertEqual(self.interrupted(4, *self.call()[1:])[0], 130)

    def test_another_source_is_not_gone_on_with(self):
        self.interrupt()
        before = os.stat(self.path("a.npy"))
        os.utime(self.path("a.npy"), ns=(0, 1_000_000_000))
        done = self.run_tool(*self.call("--resume", "--quiet"), code=1)
        self.assertRegex(
            done.stderr,
            r'^tenstride: convert: "a.npy" must be as it was when "b.npy" was begun: it was written at '
            r"1970-01-01 00:00:01.000000000 UTC, then at \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{9} UTC "
            r"\(without resuming it begins anew\)\n$",
        )
        os.rename(self.path("a.npy"), self.path("aside.npy"))
        numpy.save(self.path("a.npy"), source_of((2047, 4096)))
        done = self.run_tool(*self.call("--resume", "--quiet"), code=1)
        self.assertEqual(
            done.stderr,
            'tenstride: convert: "a.npy" must be as it was when "b.npy" was begun: it has 33538176 bytes and '
            "had 33554560 (without resuming it begins anew)\n",
        )
        os.rename(self.path("aside.npy"), self.path("a.npy"))
        os.utime(self.path("a.npy"), ns=(before.st_mtime_ns, before.st_mtime_ns))
        done = self.run_tool(*self.call("--resume", "--quiet", spec="x.T.flip(0)"), code=1)
        self.assertRegex(
            done.stderr,
            r'^tenstride: convert: "b.npy" must be written by the plan it was begun by, whose hash is '
            r"[0-9a-f]{16}, not [0-9a-f]{16} \(without resuming it begins anew\)\n$",
        )
        self.run_tool(*self.call("--resume", "--verify"))
        self.assertEqual(self.names(), ["a.npy", "b.npy"])

    def test_a_smaller_limit_than_it_was_begun_with(self):
        self.limit = f"{self.least + 16}M"
        self.interrupt()
        done = self.run_tool(*self.call("--resume", limit=f"{self.least + 2}M"), code=2)
        self.assertRegex(
            done.stderr,
            r"^tenstride: convert: --max-mem \d+M must be at least \d+M: \d+ bytes for the program and \d+ for buffers\n$",
        )
        self.run_tool(*self.call("--resume", "--verify"))

    def test_one_process_at_a_time(self):
        with self.stopped(4, *self.call()[1:]) as process:
            done = self.run_tool(*self.call("--quiet"), code=1)
            process.send_signal(signal.SIGCONT)
            process.communicate(timeout=HANGS)
        self.assertEqual(process.returncode, 0)
        self.assertEqual(
            done.stderr,
            'tenstride: convert: "b.npy" must not be written by two processes at once '
            '("./.b.npy.tenstride-journal" is locked)\n',
        )
        self.run_tool("convert", "a.npy", "x.T", "-o", "b.npy", "--verify-only")


class Progress(LargeCase):
    shapes = (("a.npy", (2048, 4096)),)

    def call(self, *more):
        limit = f"--max-mem={self.least + 1}M"
        return ["convert", self.source("a.npy"), "x.T", "-o", "b.npy", limit, "--force", *more]

    def test_quiet_tells_nothing_but_the_end(self):
        done = self.run_tool(*self.call("--quiet"))
        self.assertEqual(done.stderr, "")
        self.assertRegex(
            done.stdout,
            r"^[0-9.]+ MiB read, [0-9.]+ MiB written in \S+ s: \S+ GB/s\n"
            r"wrote b.npy: float32 \(4096,2048\), row-major, 32.0 MiB\nchecksum [0-9a-f]{32}\n$",
        )
        done = self.run_tool(*self.call("--quiet", "--json"))
        self.assertEqual(done.stderr, "")
        json.loads(done.stdout)

    def test_json_is_an_object_a_line(self):
        done = self.run_tool(*self.call("--json"))
        events = [json.loads(line) for line in done.stderr.splitlines()]
        self.assertEqual((events[0]["event"], events[-1]["event"]), ("start", "done"))
        self.assertEqual({event["event"] for event in events[1:-1]} - {"progress"}, set())
        self.assertEqual(events[-1]["tiles_done"], events[-1]["tiles"])
        self.assertEqual(events[-1]["bytes_done"], events[-1]["bytes"])
        self.assertEqual(len(done.stdout.splitlines()), 1)

    def test_lines_behind_a_pipe_are_no_bar(self):
        done = self.run_tool(*self.call())
        self.assertNotIn("\r", done.stderr)
        for line in done.stderr.splitlines():
            self.assertTrue(line.startswith("tenstride: "), line)

    def test_a_bar_on_a_terminal(self):
        """Stopped until the bar is due, which is a second after the start, with tiles left."""
        parent, child = pty.openpty()
        environment = self.environment({"TERM": "xterm", **journal_fault(self, 4, FAULT_STOPS="1")})
        with subprocess.Popen(
            [self.tool, *self.call()], stdout=subprocess.PIPE, stderr=child, env=environment, cwd=self.folder
        ) as process:
            wait_until_stopped(process)
            time.sleep(1.2)
            process.send_signal(signal.SIGCONT)
            process.communicate(timeout=HANGS)
        os.close(child)
        text = read_terminal(parent).decode()
        self.assertEqual(process.returncode, 0)
        self.assertRegex(text, r"^(\r[^\n]*\d+%[^\n]*\033\[K)+\r\033\[K$")


if __name__ == "__main__":
    main()
