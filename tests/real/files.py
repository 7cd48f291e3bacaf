#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads every array file under a folder, beside the libraries that people read them with.

    TENSTRIDE_REAL_FILES=~/data tests/real/files.py           # makes its own environment in build/real; then a table
    TENSTRIDE_REAL_FILES=~/data tests/real/files.py --only TIFF --verbose
    TENSTRIDE_REAL_ZARR=1 tests/real/files.py         # also reads what zarr_files.py writes, in build/real/zarr_files

For each format: files, how many are equal to what the library reads, refused by us alone in whole or in part, by the
library alone, by both, and different. Below the table, each file that is refused by us alone or different, with why.
Ends with 1 where one is different, or where ours ended or hung.
"""

from __future__ import annotations

import argparse
import collections
import math
import multiprocessing
import os
import pathlib
import resource
import sys

import zarr_files
from environment import ROOT, run_in

VERDICTS = ["equal", "refused by us alone", "by the library alone", "by both", "different"]
# Seconds for one file, ours and the library's together.
HANGS = 120
# More tensors of a file are read by one call, and all refused where one is.
MANY_TENSORS = 500
# Larger files are not read.
MAX_BYTES = 1 << 31
# Bytes of addresses of the process that reads.
MAX_MEMORY = 1 << 33


def array_files(folder):
    """The files of known kinds below a folder, in order; an array of Zarr, or a group, is one."""
    import peers

    for path, folders, names in os.walk(folder):
        folders.sort()
        for name in list(folders):
            if name == ".git":
                folders.remove(name)
            elif peers.kind_of(pathlib.Path(path, name)):
                folders.remove(name)
                yield pathlib.Path(path, name)
        for name in sorted(names):
            file = pathlib.Path(path, name)
            if file.is_file() and 0 < file.stat().st_size < MAX_BYTES and peers.kind_of(file):
                yield file


def read_by_tenstride(path):
    """({name: array}, {name: why it is refused}); of a file that is refused as a whole the name is empty."""
    import numpy
    import peers
    import tenstride

    try:
        infos = tenstride.file_info(path)
        # Each call reads the list of all.
        if len(infos) > MANY_TENSORS and all(info.name and not info.obstacle for info in infos):
            return {name: numpy.asarray(tensor) for name, tensor in tenstride.load(path).items()}, {}
    except tenstride.FileError as error:
        return {}, {"": str(error)}
    found, refused = {}, {}
    if all(not info.obstacle and math.prod(info.shape) <= peers.MAX_ELEMENTS for info in infos):
        try:
            tensors = tenstride.load(f"{path}::*" if len(infos) > 1 else path)
            if not isinstance(tensors, dict):
                tensors = {infos[0].name or "": tensors}
            return {name: numpy.asarray(tensor) for name, tensor in tensors.items()}, refused
        except (tenstride.FileError, TypeError, MemoryError, RuntimeError):
            pass  # one by one
    for info in infos:
        name = info.name or ""
        if math.prod(info.shape) > peers.MAX_ELEMENTS:
            continue
        if info.obstacle:
            refused[name] = f"must {info.obstacle}"
            continue
        try:
            tensor = tenstride.load(f"{path}::{name}" if name and len(infos) > 1 else path)
            if isinstance(tensor, dict):
                tensor = tensor[name]
            found[name] = numpy.asarray(tensor)
        except (tenstride.FileError, TypeError, MemoryError, RuntimeError) as error:
            refused[name] = f"{type(error).__name__}: {error}"
    return found, refused


def is_same(a, b, near=0):
    import numpy

    if a.dtype != b.dtype and {a.dtype, b.dtype} != {numpy.dtype("bool"), numpy.dtype("uint8")}:
        return False
    if a.shape != b.shape:
        return False
    if a.tobytes() == b.tobytes():
        return True
    if near:
        return int(abs(a.astype(int) - b.astype(int)).max()) <= near
    return bool(a.dtype.kind in "fc" and numpy.array_equal(a, b, equal_nan=True))


def holds_page(tensor, page, near):
    """Whether a page is one of those that a tensor is made of; axes of size 1 do not count."""
    if page.shape[-1:] == (4,) and tensor.shape[-1:] == (3,) and (page[..., 3] == 255).all():
        page = page[..., :3]  # opaque everywhere
    tensor, page = tensor.squeeze(), page.squeeze()
    rank = page.ndim
    if tensor.ndim < rank or (rank and tensor.shape[tensor.ndim - rank :] != page.shape):
        return False
    return any(is_same(one, page, near) for one in tensor.reshape((-1, *page.shape)))


def compare(path):
    """(verdict, why) of one file; the verdict is None where neither has an array."""
    import peers

    ours, refused = read_by_tenstride(str(path))
    yield "ours"
    try:
        expected = peers.read(path)
    except Exception as error:  # whatever a library raises
        yield ("by the library alone" if ours else "by both", f"{type(error).__name__}: {error}")
        return
    # tifffile gives empty pages for damaged ones.
    expected = {name: array for name, array in expected.items() if array.size or not name.startswith("page ")}
    if not expected:
        yield (None, "")
        return
    # Versions of OpenJPEG round differently.
    near = 1 if peers.kind_of(path)[0] == "JPEG 2000" else 0
    different, missing = [], []
    for name, array in expected.items():
        if name.startswith("page "):
            if any(holds_page(tensor, array, near) for tensor in ours.values()):
                continue
            shapes = [(tensor.dtype.name, tensor.shape) for tensor in ours.values()]
            is_refused = refused or not any(tensor.size >= array.size for tensor in ours.values())
            (missing if is_refused else different).append(f"{name} {array.dtype} {array.shape} not in {shapes}")
        elif name not in ours:
            missing.append(f"{name} {array.dtype} {array.shape}")
        elif not is_same(ours[name], array):
            different.append(f"{name} {ours[name].dtype} {ours[name].shape}, expected {array.dtype} {array.shape}")
    reasons = "; ".join(f"{name}: {text}" if name else text for name, text in list(refused.items())[:3])
    if different:
        yield ("different", "; ".join(different[:3]))
    elif missing:
        yield ("refused by us alone", f"{', '.join(missing[:3])} | {reasons}")
    else:
        yield ("equal", "")


def work(pipe):
    """Compares the files that come by the pipe, one by one."""
    # Before netCDF4, whose libhdf5 the filters would find in place of h5py's.
    import hdf5plugin  # noqa: F401

    resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))
    while True:
        path = pipe.recv()
        if path is None:
            return
        for said in compare(path):
            pipe.send(said)


class Worker:
    """A process that compares, and is made anew where it ends or hangs."""

    def __init__(self):
        self.process = None

    def start(self):
        context = multiprocessing.get_context("spawn")
        self.pipe, other = context.Pipe()
        self.process = context.Process(target=work, args=(other,), daemon=True)
        self.process.start()
        other.close()

    def verdict(self, path):
        if self.process is None or not self.process.is_alive():
            self.start()
        self.pipe.send(path)
        is_ours_done = False
        while True:
            try:
                if not self.pipe.poll(HANGS):
                    raise EOFError(f"took more than {HANGS} s")
                said = self.pipe.recv()
            except EOFError as error:
                self.process.kill()
                self.process.join()
                reason = str(error) or f"ended with {self.process.exitcode}"
                if is_ours_done:
                    return "by the library alone", f"the library {reason}"
                return "different", f"ours {reason}"
            if said == "ours":
                is_ours_done = True
            else:
                return said


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", help="one format, as the table names it")
    parser.add_argument("--verbose", action="store_true", help="name the files that the library refuses, too")
    parser.add_argument("--here", action="store_true", help="use this Python, which has the libraries")
    options = parser.parse_args()
    given, writes_zarr = os.environ.get("TENSTRIDE_REAL_FILES"), os.environ.get("TENSTRIDE_REAL_ZARR")
    if not (os.path.isdir(given) if given else writes_zarr):
        sys.exit("files.py: TENSTRIDE_REAL_FILES must be a folder with files of arrays (or TENSTRIDE_REAL_ZARR be set)")
    if not options.here:
        return run_in("files", "h5py, netCDF4, zarr, tifffile and others", __file__, ["--here", *sys.argv[1:]])
    import peers

    folders = [given] if given else []
    if writes_zarr:
        folders.append(ROOT / "build/real/zarr_files")
        zarr_files.write(folders[-1])
    counts = collections.defaultdict(collections.Counter)
    told = collections.defaultdict(list)
    worker = Worker()
    for folder, path in ((base, path) for base in folders for path in array_files(base)):
        name = peers.kind_of(path)[0]
        if options.only not in (None, name):
            continue
        verdict, why = worker.verdict(str(path))
        counts[name][verdict] += 1
        is_told = verdict in ("different", "refused by us alone") or (
            options.verbose and verdict != "equal" and verdict
        )
        if is_told:
            told[verdict].append(f"{path.relative_to(folder)}: {why}")
            print(f"{verdict}: {told[verdict][-1]}", file=sys.stderr, flush=True)
    print("| format | files | " + " | ".join(VERDICTS) + " |")
    print("|---" * (len(VERDICTS) + 2) + "|")
    total = collections.Counter()
    for name in sorted(counts):
        total += counts[name]
        print_row(name, counts[name])
    print_row("all", total)
    for verdict, lines in told.items():
        print(f"\n{verdict}:")
        for line in lines:
            print(f"  {line}")
    return 1 if total["different"] else 0


def print_row(name, counts):
    """Files without an array of numbers do not count."""
    files = sum(counts[verdict] for verdict in VERDICTS)
    cells = [name, files, *(counts[verdict] for verdict in VERDICTS)]
    print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
