# SPDX-License-Identifier: Apache-2.0
"""What the tests of the program share: files by their definitions, a folder for each test, the call."""

import argparse
import os
import pathlib
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib

# What tenstride keeps from run to run, rates that it measured among it: of this run of the tests alone, for each call.
CACHE = tempfile.TemporaryDirectory(prefix="tenstride-cache-")
os.environ["XDG_CACHE_HOME"] = CACHE.name
# A shell that runs the tests in the background ignores SIGINT for them, nohup SIGHUP; programs inherit that.
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
# Seconds after which a program hangs. None takes a tenth of them, also where many others run beside it.
HANGS = 900


def npy(shape, values, code="f", descr="<f4", fortran=False):
    """The bytes of a .npy file, by its definition."""
    text = f"{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {tuple(shape)!r}, }}"
    text += " " * (63 - (10 + len(text)) % 64) + "\n"
    return (
        b"\x93NUMPY\x01\x00"
        + struct.pack("<H", len(text))
        + text.encode()
        + struct.pack(f"<{len(values)}{code}", *values)
    )


def read_npy(path, code):
    """(header, values)"""
    raw = pathlib.Path(path).read_bytes()
    assert raw[:8] == b"\x93NUMPY\x01\x00"
    length = struct.unpack("<H", raw[8:10])[0]
    body = raw[10 + length :]
    return eval(raw[10 : 10 + length]), list(struct.unpack(f"<{len(body) // struct.calcsize(code)}{code}", body))


def png(width, height, pixels, bits=8, exif=None):
    """An RGB PNG, by its definition; `exif` is an orientation."""

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    code = "H" if bits == 16 else "B"
    rows = b"".join(
        b"\0" + struct.pack(f">{3 * width}{code}", *pixels[3 * width * y : 3 * width * (y + 1)]) for y in range(height)
    )
    note = b"MM\0*" + struct.pack(">IHHHIHHI", 8, 1, 0x0112, 3, 1, exif or 1, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, bits, 2, 0, 0, 0))
        + (chunk(b"eXIf", note) if exif else b"")
        + chunk(b"IDAT", zlib.compress(rows))
        + chunk(b"IEND", b"")
    )


class Case(unittest.TestCase):
    """A folder of its own for each test, and the program."""

    maxDiff = None
    tool = ""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="tenstride-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def path(self, name):
        return str(self.folder / name)

    def write(self, name, data):
        (self.folder / name).write_bytes(data)
        return self.path(name)

    def names(self):
        return sorted(entry.name for entry in self.folder.iterdir())

    def written_suffixes(self):
        """As an error names them: ".npy, .png or .raw"."""
        said = self.run_tool("convert", "x.npy", "x", "-o", "x.unknown", code=2).stderr
        return said.split("must end in ")[1].split(", or go with")[0]

    def run_tool(self, *arguments, code=0, **extra):
        done = subprocess.run(
            [self.tool, *arguments],
            text=True,
            capture_output=True,
            timeout=HANGS,
            cwd=self.folder,
            **extra,
        )
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def fails(self, code, message, *arguments):
        done = self.run_tool(*arguments, code=code)
        self.assertEqual(done.stderr, "tenstride: " + message + "\n")
        self.assertEqual(done.stdout, "")


def is_sanitized():
    """Sanitizers need memory of their own, and have to be loaded first."""
    program = pathlib.Path(Case.tool).read_bytes()
    return any(name in program for name in (b"__asan_init", b"__ubsan_handle", b"__tsan_init"))


def main():
    """Runs the tests of the calling script; `--bin` is where the programs lie."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    known, rest = parser.parse_known_args()
    Case.tool = str(pathlib.Path(known.bin).resolve() / "tenstride")
    unittest.main(argv=[sys.argv[0], *rest])
