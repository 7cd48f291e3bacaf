# SPDX-License-Identifier: Apache-2.0
"""What the tests of `tenstride convert --max-mem` share: sources made by NumPy, runs that are watched or killed."""

import contextlib
import functools
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time

import cli_case
import numpy
from faults import journal_fault, wait_until_stopped


def source_of(shape):
    """Every element is a hash of its position, so that no two neighbours are alike."""
    positions = numpy.arange(numpy.prod(shape), dtype=numpy.uint32)
    return ((positions * numpy.uint32(2654435761)) >> numpy.uint32(8)).astype(numpy.float32).reshape(shape)


def files_of(path):
    """Of all files below a path their bytes; of a file its own."""
    path = pathlib.Path(path)
    if path.is_file():
        return {"": path.read_bytes()}
    return {str(file.relative_to(path)): file.read_bytes() for file in path.rglob("*") if file.is_file()}


class LargeCase(cli_case.Case):
    """Sources are made once for each class, in `self.sources`; results in a folder of each test."""

    shapes: tuple = ()

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="tenstride-large-")
        cls.addClassCleanup(folder.cleanup)
        cls.sources = pathlib.Path(folder.name)
        for name, shape in cls.shapes:
            numpy.save(cls.sources / name, source_of(shape))

    def source(self, name):
        return str(self.sources / name)

    @functools.cached_property
    def least(self):
        """The least limit in MiB, by the program's own word: a sanitized one needs more."""
        name = self.shapes[0][0]
        _, err = self.convert(self.source(name), "x.T", "-o", "never.npy", "--max-mem=1M", code=2)
        return int(re.search(r"must be at least (\d+)M:", err)[1])

    def environment(self, extra):
        return {**os.environ, **extra}

    def start(self, *arguments, **extra):
        return subprocess.Popen(
            [self.tool, *arguments],
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=self.folder,
            env=self.environment(extra),
        )

    @contextlib.contextmanager
    def stopped(self, first, *arguments, **extra):
        """A conversion that stands still before its `first`-th write to the journal; goes on where the scope ends."""
        with self.start("convert", *arguments, **journal_fault(self, first, FAULT_STOPS="1", **extra)) as process:
            wait_until_stopped(process)
            try:
                yield process
            finally:
                process.send_signal(signal.SIGCONT)

    def interrupted(self, first, *arguments, number=signal.SIGINT, **extra):
        """(exit code, standard error) of a conversion that gets a signal before its `first`-th write to the journal"""
        with self.stopped(first, *arguments, **extra) as process:
            process.send_signal(number)
            time.sleep(0.1)  # the program looks for signals at the next part that ends 50 ms after the last look
            process.send_signal(signal.SIGCONT)
            _, err = process.communicate(timeout=cli_case.HANGS)
        return process.returncode, err

    def convert(self, *arguments, code=0, **extra):
        """(what --json says, or None; standard error)"""
        with self.start("convert", *arguments, "--json", **extra) as process:
            out, err = process.communicate(timeout=cli_case.HANGS)
        self.assertEqual(process.returncode, code, out + err)
        return json.loads(out) if code == 0 else None, err

    def watched(self, *arguments, **extra):
        """(what --json says, the most VmHWM of the process in bytes)"""
        most = 0
        with self.start("convert", *arguments, "--json", "--quiet", **extra) as process:
            while process.poll() is None:
                try:
                    status = pathlib.Path(f"/proc/{process.pid}/status").read_text(encoding="ascii")
                except OSError:
                    break
                for line in status.splitlines():
                    if line.startswith("VmHWM:") and f"Name:\t{pathlib.Path(self.tool).name}\n" in status:
                        most = max(most, int(line.split()[1]) * 1024)
                time.sleep(0.005)
            out, err = process.communicate(timeout=cli_case.HANGS)
        self.assertEqual((process.returncode, err), (0, ""), out)
        return json.loads(out), most

    def remove(self, name):
        path = self.folder / name
        if path.is_dir():
            shutil.rmtree(path)
        elif path.exists():
            path.unlink()

    def disk(self, mib):
        """A folder with so much room."""
        folder = self.path("disk")
        os.mkdir(folder)
        done = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={mib}M", "tmpfs", folder], capture_output=True, check=False, text=True
        )
        if done.returncode != 0:
            self.skipTest("no file system can be mounted: " + done.stderr.strip())
        self.addCleanup(subprocess.run, ["umount", folder], check=True)
        return pathlib.Path(folder)

    def result(self, name="b.npy"):
        return numpy.load(self.path(name), mmap_mode="r")

    def assert_equal(self, found, expected):
        self.assertEqual((found.shape, found.dtype), (expected.shape, expected.dtype))
        for one, other in zip(found, expected, strict=True):  # a part at a time: both are large
            self.assertTrue(numpy.array_equal(one, other))
