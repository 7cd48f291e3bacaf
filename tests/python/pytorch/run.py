#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs PyTorch's own test files through a shim, over tenstride or over PyTorch itself.

    tests/python/pytorch/run.py --engine tenstride FOLDER/test_view_ops.py …

Prints one line of JSON a test: {"id", "outcome", "detail"}; the outcome is passed, failed or skipped.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import json
import sys
import types
import unittest
import warnings
from pathlib import Path


class Outcomes(unittest.TestResult):
    """Prints each outcome as it comes."""

    def __init__(self, module: str):
        super().__init__()
        self.module = module

    def tell(self, test, outcome: str, detail: str = ""):
        name = f"{self.module}.{type(test).__name__}.{test._testMethodName}"
        print(json.dumps({"id": name, "outcome": outcome, "detail": detail}), flush=True)

    def addSuccess(self, test):
        self.tell(test, "passed")

    def addSkip(self, test, reason):
        self.tell(test, "skipped", reason)

    def addFailure(self, test, err):
        self.tell(test, "failed", self.place(err))

    addError = addFailure

    @staticmethod
    def place(err) -> str:
        """The last line of the test file on the way, and the exception."""
        kind, value, trace = err
        line = 0
        while trace is not None:
            if "/test_" in trace.tb_frame.f_code.co_filename and "cases" not in trace.tb_frame.f_code.co_filename:
                line = trace.tb_lineno
            trace = trace.tb_next
        return f"line {line}: {kind.__name__}: {str(value)[:300]}"


def put_module(name: str, members: dict):
    """Makes a module of these members, and an attribute of its parent."""
    module = types.ModuleType(name)
    module.__dict__.update(members)
    module.__path__ = []
    sys.modules[name] = module
    parent, _, last = name.rpartition(".")
    if parent in sys.modules:
        setattr(sys.modules[parent], last, module)


def put_engine(engine: str):
    """`import torch` and the helpers of PyTorch's tests give the engine and the shim's stand-ins."""
    if engine == "torch":
        importlib.import_module("torch")
        importlib.import_module("torch.utils.dlpack")
    else:
        importlib.import_module("stand_in_torch").put(put_module)
    cases = importlib.import_module("cases")
    device_types = importlib.import_module("device_types")
    put_module("torch.testing", cases.TESTING)
    put_module("torch.testing._internal", {})
    put_module("torch.testing._internal.common_utils", cases.COMMON_UTILS)
    put_module("torch.testing._internal.common_device_type", device_types.COMMON_DEVICE_TYPE)
    put_module("torch.testing._internal.common_dtype", device_types.COMMON_DTYPE)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", choices=("tenstride", "torch"), default="tenstride")
    parser.add_argument("--only", default="", help="run the tests whose name contains this")
    parser.add_argument("files", nargs="+", type=Path)
    arguments = parser.parse_args()
    sys.path.insert(0, str(Path(__file__).resolve().parent))
    put_engine(arguments.engine)
    for path in arguments.files:
        spec = importlib.util.spec_from_file_location(path.stem, path)
        module = importlib.util.module_from_spec(spec)
        sys.modules[path.stem] = module
        spec.loader.exec_module(module)
        for suite in unittest.defaultTestLoader.loadTestsFromModule(module):
            for test in suite:
                if arguments.only in test.id():
                    with warnings.catch_warnings():
                        test.run(Outcomes(path.stem))
    return 0


if __name__ == "__main__":
    sys.exit(main())
