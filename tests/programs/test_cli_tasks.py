#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`tenstride convert --task K/N`: several processes write one file, at once, one after the other, or killed between."""

import json
import os
import random
import shutil
import signal
import subprocess

import numpy
from cli_case import HANGS, is_sanitized, main
from faults import journal_fault
from large_case import LargeCase, files_of

SPEC = "x.permute(2,1,0)"
JOURNAL = ".b.npy.tenstride-journal"
NO_RANK = {"OMPI_COMM_WORLD_RANK": "", "OMPI_COMM_WORLD_SIZE": "", "PMI_RANK": "", "PMI_SIZE": ""}


class Tasks(LargeCase):
    # 57 MiB, whose runs end within pages.
    shapes = (("a.npy", (250, 203, 301)),)

    def environment(self, extra):
        inherited = super().environment(extra)
        return {name: text for name, text in inherited.items() if name not in NO_RANK or name in extra}

    def call(self, *more, output="b.npy", spec=SPEC):
        return [self.source("a.npy"), spec, "-o", output, f"--max-mem={self.least + 8}M", *more]

    def expected(self, *more, output="b.npy"):
        """What one process makes of it."""
        whole = "whole" + output[1:]
        self.convert(*self.call(*more, output=whole))
        files = files_of(self.path(whole))
        self.remove(whole)
        return files

    def run_tasks(self, numbers, count, *more, output="b.npy"):
        bills = [self.convert(*self.call(f"--task={number}/{count}", *more, output=output))[0] for number in numbers]
        if not is_sanitized():
            for bill in bills:
                self.assertLessEqual(bill["totals"]["peak_resident"], (self.least + 8) << 20)
        return bills

    def test_any_number_in_any_order(self):
        order = random.Random(5)
        for output, more in (
            ("b.npy", ()),
            ("b.bin", ("--format=raw",)),
            ("b.zarr", ("--chunks=50,50,50",)),
            ("b.safetensors", ("--dtype=float64", "--scale=0.5")),
        ):
            expected = self.expected(*more, output=output)
            for count in (1, 2, 5, 8):
                with self.subTest(output=output, count=count):
                    bills = self.run_tasks(order.sample(range(1, count + 1), count), count, *more, output=output)
                    self.assertEqual([bill["task"]["tasks_left"] for bill in bills[-1:]], [0])
                    self.assertEqual(sum(bill["checksum"] is not None for bill in bills), 1)
                    self.assertTrue(files_of(self.path(output)) == expected)
                    self.assertEqual(self.names(), [output])
                    self.remove(output)

    def test_all_at_once(self):
        expected = self.expected()
        for count in (2, 3, 8):
            with self.subTest(count):
                processes = [
                    self.start("convert", *self.call(f"--task={number}/{count}", "--quiet", "--verify"))
                    for number in range(1, count + 1)
                ]
                told = [process.communicate(timeout=HANGS) for process in processes]
                self.assertEqual([process.returncode for process in processes], [0] * count, told)
                self.assertEqual(sum("\nwrote b.npy: " in out for out, _ in told), 1, told)
                self.assertTrue(files_of(self.path("b.npy")) == expected)
                self.assertEqual(self.names(), ["b.npy"])
                self.remove("b.npy")

    def test_a_finished_task_changes_nothing(self):
        self.run_tasks([1, 1, 2], 2)
        before = os.stat(self.path("b.npy"))
        for more in ((), ("--force",), ("--resume",)):
            bill = self.run_tasks([2], 2, *more)[0]
            self.assertEqual((bill["totals"]["bytes_written"], bill["task"]["tasks_left"]), (0, 0))
        self.assertEqual(os.stat(self.path("b.npy")), before)
        self.assertEqual(self.names(), ["b.npy"])

    def kill_within(self, call, output):
        """Kills a task when it has finished a part."""
        number = call[-1].split("=")[1].split("/")[0]
        fault = journal_fault(self, 4, journal=f".{output}.tenstride-journal.{number}", FAULT_KILLS="1")
        self.convert(*call, code=-signal.SIGKILL, **fault)

    def test_a_killed_task_is_gone_on_with_by_another_number(self):
        for output, more in (("b.npy", ()), ("b.zarr", ("--chunks=25,25,25",))):
            expected = self.expected(*more, output=output)
            for count, next_count in ((3, 2), (2, 5), (4, 1)):
                with self.subTest(output=output, count=count, next_count=next_count):
                    self.run_tasks([count], count, *more, output=output)
                    self.kill_within(self.call(*more, f"--task=1/{count}", output=output), output)
                    self.assertFalse(os.path.exists(self.path(output)))
                    bills = self.run_tasks(range(1, next_count + 1), next_count, *more, "--resume", output=output)
                    written = sum(bill["totals"]["bytes_written"] for bill in bills)
                    self.assertLess(written, 0.9 * sum(map(len, expected.values())) + (1 << 20))
                    self.assertTrue(files_of(self.path(output)) == expected)
                    self.assertEqual(self.names(), [output])
                    self.remove(output)

    def test_a_killed_task_is_run_again(self):
        expected = self.expected()
        self.kill_within(self.call("--task=2/2"), "b.npy")
        self.run_tasks([1, 2], 2)
        self.assertTrue(files_of(self.path("b.npy")) == expected)

    def test_an_interrupted_task_says_how_to_go_on(self):
        code, err = self.interrupted(4, *self.call("--task=1/2", "--quiet", "--verify"), FAULT_FILE=JOURNAL + ".1")
        self.assertEqual(code, 130)
        self.assertIn('what is finished is kept beside "b.npy": the same command goes on', err)

    def refusal(self, *call, code):
        with self.start("convert", *call) as process:
            _, err = process.communicate(timeout=HANGS)
        self.assertEqual(process.returncode, code, err)
        return err

    def test_a_task_must_be_one_of_several(self):
        for task in ("0/4", "5/4", "a/b", "3", "1/4x", "1/0", "-1/4", "1/99999999999999999999"):
            self.assertEqual(
                self.refusal(*self.call(f"--task={task}"), code=2),
                f'tenstride: convert: --task "{task}" must be K/N, the K-th of N tasks, with K from 1 to N and N of '
                "at most 1000000, e.g. 3/8\n",
            )
        self.assertEqual(self.names(), [])

    def test_another_number_or_statement_is_refused(self):
        self.run_tasks([1], 3)
        self.assertIn(
            '"b.npy" must be written by 3 tasks, as it was begun, not by 4 tasks (',
            self.refusal(*self.call("--task=1/4"), code=1),
        )
        err = self.refusal(*self.call("--task=2/3", spec="x.flip(0).permute(2,1,0)"), code=1)
        self.assertIn('"b.npy" must be written by the plan it was begun by, whose hash is ', err)
        self.assertIn(f'where no task runs, without "./{JOURNAL}" it begins anew)', err)
        os.unlink(self.path(JOURNAL))
        expected = self.expected()
        self.run_tasks([1, 2, 3, 4], 4)
        self.assertTrue(files_of(self.path("b.npy")) == expected)
        self.assertEqual(self.names(), ["b.npy"])

    def test_a_pipe_cannot_be_divided(self):
        err = self.refusal("-", SPEC, "-o", "b.npy", "--task=1/2", code=2)
        self.assertIn("convert: --task must go with files that several processes can open, not with a pipe", err)

    def test_what_is_converted_in_memory_is_left_to_the_first(self):
        call = [self.source("a.npy"), "x + 1", "-o", "b.npy"]
        with self.start("convert", *call, "--task=2/2") as process:
            out, err = process.communicate(timeout=HANGS)
        self.assertEqual((process.returncode, err), (0, ""))
        self.assertEqual(
            out,
            "task 2 of 2: nothing to do, task 1 does all, because such files, or this SPEC, are converted in memory\n",
        )
        self.assertEqual(self.names(), [])
        self.convert(*call, "--task=1/2")
        self.assert_equal(self.result(), numpy.load(self.source("a.npy")) + 1)

    def test_the_ranks_of_mpirun(self):
        expected = self.expected()
        for rank_name, size_name in (("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"), ("PMI_RANK", "PMI_SIZE")):
            told = []
            for rank in (2, 0, 1):
                with self.start("convert", *self.call(), **{rank_name: str(rank), size_name: "3"}) as process:
                    out, err = process.communicate(timeout=HANGS)
                self.assertEqual((process.returncode, err), (0, ""))
                told.append(out)
            self.assertEqual(["pass 1" in out for out in told], [False, True, False])
            self.assertEqual(["\nwrote b.npy" in out for out in told], [False, False, True])
            self.assertTrue(files_of(self.path("b.npy")) == expected)
            self.remove("b.npy")
        # One rank is no rank.
        self.convert(*self.call(), PMI_RANK="0", PMI_SIZE="1")
        self.assertTrue(files_of(self.path("b.npy")) == expected)
        for rank, size in (("3", "3"), ("x", "3"), ("-1", "3"), ("0", "0")):
            with self.start("convert", *self.call("--force"), PMI_RANK=rank, PMI_SIZE=size) as process:
                _, err = process.communicate(timeout=HANGS)
            self.assertEqual(process.returncode, 2)
            self.assertIn(f'the environment variables PMI_RANK="{rank}" and PMI_SIZE="{size}" must be a rank', err)

    def test_mpirun_itself(self):
        mpirun = shutil.which("mpirun")
        if not mpirun:
            self.skipTest("there is no mpirun")
        expected = self.expected()
        done = subprocess.run(
            [mpirun, "--allow-run-as-root", "--oversubscribe", "-n", "3", self.tool, "convert", *self.call("--verify")],
            capture_output=True,
            check=False,
            text=True,
            cwd=self.folder,
            env=self.environment({}),
            timeout=HANGS,
        )
        if done.returncode != 0 and "tenstride:" not in done.stderr:
            self.skipTest("mpirun does not run here: " + done.stderr.strip()[:200])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.count("wrote b.npy: "), 1, done.stdout)
        self.assertTrue(files_of(self.path("b.npy")) == expected)
        self.assertEqual(self.names(), ["b.npy"])

    def test_planned_tasks_are_run_by_anyone(self):
        expected = self.expected()
        with self.start("convert", *self.call("--plan-only", "tasks.json", "--tasks=4")) as process:
            out, err = process.communicate(timeout=HANGS)
        self.assertEqual((process.returncode, out, err), (0, "wrote tasks.json: 4 tasks\n", ""))
        with open(self.path("tasks.json"), encoding="utf-8") as file:
            plan = json.load(file)
        self.assertEqual((plan["input"], plan["spec"], plan["output"]), (self.source("a.npy"), SPEC, "b.npy"))
        self.assertRegex(plan["plan_hash"], "^[0-9a-f]{16}$")
        self.assertEqual((len(plan["tasks"]), plan["obstacle"]), (4, None))
        self.assertEqual(plan["folder"], os.path.realpath(self.folder))
        for task in reversed(plan["tasks"]):
            self.assertEqual(task["memory"], (self.least + 8) << 20)
            self.assertGreater(task["bytes_written"], 10 << 20)
            subprocess.run(task["argv"], check=True, cwd=plan["folder"], env=self.environment({}), capture_output=True)
        self.assertTrue(files_of(self.path("b.npy")) == expected)
        told, _ = self.convert(*self.call("--plan-only=tasks.json", "--tasks=2", "--force", output="c.npy"))
        self.assertEqual(told, {"plan": "tasks.json", "tasks": 2})
        self.assertIn("--tasks", self.refusal(*self.call("--tasks=4"), code=2))


if __name__ == "__main__":
    main()
