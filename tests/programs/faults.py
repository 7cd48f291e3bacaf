# SPDX-License-Identifier: Apache-2.0
"""Disks that fail, and programs that stop themselves or are killed at a given call: tests/support/faults.c."""

import functools
import os
import pathlib
import shutil
import subprocess
import tempfile

import cli_case


@functools.cache
def built_faults():
    """tests/support/faults.c as a library, with the folder it lies in; None without a C compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if not compiler:
        return None
    folder = tempfile.TemporaryDirectory(prefix="tenstride-faults-")
    library = pathlib.Path(folder.name) / "faults.so"
    code = pathlib.Path(__file__).resolve().parents[1] / "support/faults.c"
    subprocess.run([compiler, "-O1", "-shared", "-fPIC", code, "-o", library, "-ldl"], check=True)
    return library, folder


def faults_library(test):
    """What is loaded in front of the C library to make disks fail."""
    if cli_case.is_sanitized():
        test.skipTest("sanitizers must be loaded first")
    if not built_faults():
        test.skipTest("there is no C compiler")
    return built_faults()[0]


def fault(test, call, file, first, **how):
    """Variables of a run that is killed (FAULT_KILLS) or stops itself (FAULT_STOPS) at its `first`-th call on a file
    whose name ends so, whenever that comes."""
    if not built_faults():
        test.skipTest("there is no C compiler")
    sanitizer = os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"
    named = {"FAULT_CALL": call, "FAULT_FILE": file, "FAULT_FIRST": str(first)}
    return {"LD_PRELOAD": str(built_faults()[0]), "ASAN_OPTIONS": sanitizer, **named, **how}


def journal_fault(test, first, journal=".tenstride-journal", **how):
    """The same at a write to the journal: 1 and 2 are its header, then comes a record for each finished part."""
    return fault(test, "pwrite", journal, first, **how)


def wait_until_stopped(process):
    """Until a program stopped itself, or ended."""
    os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
