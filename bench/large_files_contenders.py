# SPDX-License-Identifier: Apache-2.0
"""The contenders of bench/large_files.sh: the command of each, what it reads, and how its result is read back."""

import dataclasses
import json
import pathlib
import shutil
import subprocess
import sys

import large_files_cases
import numpy

PEERS = pathlib.Path(__file__).with_name("large_files_peers.py")
MIB = 1 << 20


@dataclasses.dataclass(frozen=True)
class Job:
    case: large_files_cases.Case
    size: int  # bytes of each case's source, about
    memory: int  # bytes, the limit of the control group
    source: pathlib.Path  # .npy
    twin: pathlib.Path  # netCDF-4
    result: pathlib.Path  # without the contender's suffix
    tenstride: pathlib.Path


def read_npy(path):
    array = numpy.load(path, mmap_mode="r")
    return array.shape, array.__getitem__


def read_netcdf(path):
    import netCDF4

    variable = netCDF4.Dataset(path)["x"]
    variable.set_auto_mask(False)
    return variable.shape, variable.__getitem__


def read_zarr(path):
    import zarr

    array = zarr.open(str(path), mode="r")
    return array.shape, array.__getitem__


class Contender:
    suffix = ".npy"
    read = staticmethod(read_npy)
    samples = 1000
    needs_twin = False
    environment = {}

    def result(self, job):
        return job.result.with_suffix(self.suffix)

    def is_here(self, job):
        return True

    def check(self, job):
        """What is wrong with the result, or None."""
        shape, read = self.read(self.result(job))
        return large_files_cases.check(job.case, shape, read, self.samples)

    def version(self, job):
        return ""

    def prepare(self, job):
        """Called once before the runs of a case."""

    def forecast(self, job):
        """What the contender forecasts before it begins; None without a forecast."""
        return None


def first_line(*command):
    found = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout
    return next((line.strip() for line in found.splitlines() if line.strip()), "")


class Copy(Contender):
    """The yardstick: each byte is read once and written once, without reflinks and holes."""

    def command(self, job):
        return ["cp", "--reflink=never", "--sparse=never", job.source, self.result(job)]

    def check(self, job):
        with open(job.source, "rb") as one, open(self.result(job), "rb") as other:
            size = job.source.stat().st_size
            for place in range(0, size, max(1, size // 100)):
                one.seek(place)
                other.seek(place)
                if one.read(4096) != other.read(4096):
                    return f"the copy differs within 4096 bytes from byte {place} on"
        return None if self.result(job).stat().st_size == size else "the copy has another size"

    def version(self, job):
        return first_line("cp", "--version")


class Tenstride(Contender):
    """`--max-mem` is 4/5 of the group's limit; the page cache and the program have the rest."""

    def command(self, job, *more):
        return [job.tenstride, "convert", job.source, job.case.spec, "-o", self.result(job), "--max-mem",
                f"{job.memory * 4 // 5 // MIB}M", "--force", "--json", *more]

    def is_here(self, job):
        return job.tenstride.is_file()

    def prepare(self, job):
        """Measures the disk, by whose speed tenstride forecasts."""
        subprocess.run([job.tenstride, "bench", "--disk", job.result.parent], stdout=subprocess.DEVNULL, check=True)

    def version(self, job):
        return first_line(job.tenstride, "--version")

    def forecast(self, job):
        told = subprocess.run([*map(str, self.command(job, "--dry-run"))], text=True, capture_output=True)
        return read_json(told.stdout) or {"error": (told.stdout + told.stderr)[-2000:]}


class Nco(Contender):
    suffix = ".nc"
    read = staticmethod(read_netcdf)
    needs_twin = True

    def command(self, job):
        case = job.case
        if case.slices:
            parts = [("-d", f"{axis},{start},,{step}") for axis, (start, step) in zip(case.axes, case.slices)]
            return ["ncks", "-O", "-h", *(word for part in parts for word in part), job.twin, self.result(job)]
        order = ",".join(case.axes[axis] for axis in case.order)
        return ["ncpdq", "-O", "-h", "-a", order, job.twin, self.result(job)]

    def is_here(self, job):
        return shutil.which("ncpdq") is not None

    def version(self, job):
        return "nco " + first_line("dpkg-query", "-W", "-f=${Version}", "nco")


class Gdal(Contender):
    suffix = ".nc"
    read = staticmethod(read_netcdf)
    needs_twin = True

    def command(self, job):
        case = job.case
        if case.slices:
            view = ",".join(f"{start}::{step}" if (start, step) != (0, 1) else ":" for start, step in case.slices)
            what = f"name=x,view=[{view}]"
        else:
            what = f"name=x,transpose=[{','.join(map(str, case.order))}]"
        # Its buffer is a quarter of this cache; by default the cache is 5 % of the machine's memory.
        return ["gdalmdimtranslate", "--config", "GDAL_CACHEMAX", str(job.memory // 2 // MIB or 1), "-of", "netCDF",
                "-array", what, job.twin, self.result(job)]

    def is_here(self, job):
        return shutil.which("gdalmdimtranslate") is not None

    def version(self, job):
        return first_line("gdalinfo", "--version").split(",")[0]


class InPython(Contender):
    def __init__(self, module):
        self.module = module
        self.environment = {"OMP_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "2",
                            "MALLOC_TRIM_THRESHOLD_": "65536"}

    def command(self, job):
        return [sys.executable, "-B", PEERS, self.module, job.case.name, str(job.size), str(job.memory), job.source,
                self.result(job)]

    def is_here(self, job):
        return not subprocess.run([sys.executable, "-c", f"import {self.module}"], capture_output=True).returncode

    def version(self, job):
        return self.module + " " + first_line(
            sys.executable, "-c", f"import importlib.metadata as m; print(m.version('{self.module}'))")


class InZarr(InPython):
    suffix = ".zarr"
    read = staticmethod(read_zarr)
    samples = 50


CONTENDERS = {
    "cp": Copy(),
    "tenstride": Tenstride(),
    "ncpdq": Nco(),
    "gdalmdimtranslate": Gdal(),
    "numpy": InPython("numpy"),
    "tensorstore": InZarr("tensorstore"),
    "dask": InZarr("dask"),
}


def read_json(text):
    """The JSON object on the last line that holds one, or None."""
    for line in reversed(text.splitlines()):
        try:
            return json.loads(line)
        except ValueError:
            continue
    return None
