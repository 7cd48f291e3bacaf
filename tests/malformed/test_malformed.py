#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Malformed files of each format are refused as the tables in expected/ say: by `info`, or by `convert` of one of the
tensors, with the program from outside. `--update` writes the tables anew, to be read by a person."""

import argparse
import importlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

HERE = pathlib.Path(__file__).resolve().parent
TABLES = HERE / "expected"
MODULES = (
    "npy",
    "npz",
    "safetensors",
    "zarr2",
    "zarr3",
    "tiff",
    "nifti",
    "hdf5",
    "netcdf",
    "image",
    "animation",
    "jpeg2000",
    "raw",
)
REFUSED = 1  # the exit code for what is not as it must be
SECONDS = 900  # after which a run hangs
VERSION = re.compile(r"((?:lib)?hdf5) \d+[.\d]*\d", re.IGNORECASE)  # of this machine
LACKS = "this build"  # in the message of a build that has not the library of a format
MAX_KIB = 300 * 1024


class Call(NamedTuple):
    """What the program said."""

    code: int
    output: str
    error: str
    max_kib: int

    @property
    def message(self):
        return self.error.removeprefix("tenstride: ").removesuffix("\n")


class Program:
    """The program, in a folder."""

    def __init__(self, path, cache):
        self.path = path
        self.environment = {**os.environ, "XDG_CACHE_HOME": cache}

    def call(self, folder, *arguments):
        with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as error:
            process = subprocess.Popen(
                [self.path, *arguments], cwd=folder, env=self.environment, stdout=output, stderr=error
            )
            watch = threading.Timer(SECONDS, process.kill)
            watch.start()
            _, status, usage = os.wait4(process.pid, 0)
            watch.cancel()
            process.returncode = os.waitstatus_to_exitcode(status)
            texts = []
            for stream in (output, error):
                stream.seek(0)
                texts.append(stream.read().decode(errors="backslashreplace"))
        return Call(process.returncode, *texts, usage.ru_maxrss)

    def is_sanitized(self):
        data = pathlib.Path(self.path).read_bytes()
        return any(name in data for name in (b"__asan_init", b"__ubsan_handle", b"__tsan_init"))


class Failure(Exception):
    """A file that is not refused as it must be."""


def write(folder, file):
    """Writes the file into the folder, and gives all paths that are there then."""
    contents = file.content
    if isinstance(contents, bytes):
        contents = {file.name: contents}
    elif file.name not in contents:
        contents = {f"{file.name}/{path}": data for path, data in contents.items()}
    for path, data in contents.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    return paths_in(folder)


def paths_in(folder):
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


def refusal(program, folder, file):
    """The message of the first call that refuses the file: info, then a conversion of each tensor."""

    def convert(address):
        return program.call(folder, "convert", address, "x", "-o", "out.npy", *file.options)

    def checked(call):
        if call.code not in (0, REFUSED) or "Sanitizer" in call.error or "runtime error" in call.error:
            raise Failure(f"ends with {call.code}: {call.error.strip()}")
        if call.max_kib > MAX_KIB and not program.is_sanitized():
            raise Failure(f"takes {call.max_kib} KiB of memory, which must be at most {MAX_KIB}")
        return call

    info = checked(program.call(folder, "info", file.name, *file.options))
    if info.code == REFUSED:
        other = checked(convert(file.name))
        if other.message != info.message.replace("info: ", "convert: ", 1):
            raise Failure(f"is refused by info as {info.message!r}, by convert as {other.message!r}")
        return info.message
    told = json.loads(program.call(folder, "info", file.name, "--json", *file.options).output)
    for tensor in told.get("tensors", [told]):
        address = file.name if tensor["name"] is None else f"{file.name}::{tensor['name']}"
        call = checked(convert(address))
        if call.code == REFUSED:
            return call.message
        (folder / "out.npy").unlink()
    raise Failure("is not refused")


def message_of(program, file):
    """The message, with FILE for the file; a Failure where it is not refused as it must be."""
    with tempfile.TemporaryDirectory(prefix="tenstride-") as name:
        folder = pathlib.Path(name)
        before = write(folder, file)
        message = refusal(program, folder, file)
        if paths_in(folder) != before:
            raise Failure(f"leaves {sorted(paths_in(folder) - before)}")
        message = message.replace(f"{name}/", "FOLDER/").replace(file.name, "FILE")
        message = VERSION.sub(r"\1 N", message)
        return message.replace("\n", "\\n").replace("\t", "\\t")


def read_table(path):
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return dict(line.split("\t", 1) for line in lines)


class Format:
    """The files of one module, and the table of their messages."""

    def __init__(self, name):
        self.name = name
        self.path = TABLES / f"{name}.txt"
        self.files = list(importlib.import_module(f"{name}_files").files())
        names = [file.name for file in self.files]
        assert len(set(names)) == len(names), f"{name}: a name twice"

    def messages(self, program, pool):
        """{name: message or Failure}"""

        def one(file):
            try:
                return message_of(program, file)
            except Failure as failure:
                return failure

        return dict(zip((file.name for file in self.files), pool.map(one, self.files)))

    def update(self, found):
        """Writes the table; gives what is wrong in spite of it."""
        told = {name: message for name, message in found.items() if not isinstance(message, Failure)}
        self.path.write_text("".join(f"{name}\t{message}\n" for name, message in told.items()), encoding="utf-8")
        return self.complaints(found)

    def complaints(self, found):
        expected = read_table(self.path)
        result = [f"{name}: in the table, but no file" for name in expected if name not in found]
        for file in self.files:
            message, wanted = found[file.name], expected.get(file.name, "nothing; --update writes the table")
            if isinstance(message, Failure):
                result.append(f"{file.name} ({file.wrong}): {message}")
            elif message != wanted and LACKS in message:
                print(f"{self.name}: {file.name} is left out, {message}")
            elif message != wanted:
                result.append(f"{file.name} ({file.wrong}):\n  says     {message}\n  expected {wanted}")
        return [f"{self.name}: {complaint}" for complaint in result]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", required=True, help="where the program lies")
    parser.add_argument("--update", action="store_true", help="write the tables anew")
    parser.add_argument("--only", choices=MODULES, help="the files of one format")
    options = parser.parse_args()
    complaints, count = [], 0
    with tempfile.TemporaryDirectory(prefix="tenstride-cache-") as cache, ThreadPoolExecutor(2) as pool:
        program = Program(str(pathlib.Path(options.bin).resolve() / "tenstride"), cache)
        for name in [options.only] if options.only else MODULES:
            try:
                one = Format(name)
            except ImportError as error:
                print(f"{name}: left out, {error}")
                continue
            found = one.messages(program, pool)
            wrong = one.update(found) if options.update else one.complaints(found)
            print(f"{name}: {len(found)} files, {len(wrong)} wrong")
            count += len(found)
            complaints += wrong
    print(*complaints, sep="\n")
    print(f"{count} malformed files, {len(complaints)} wrong")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
