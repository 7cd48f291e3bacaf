#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records what a real PyTorch answers to single calls, for tests/python/test_pytorch_calls.py.

The calls stand in tests/data/kinds.txt, one a line; those that are made by loops are added here.
Run by hand where PyTorch 2.6 is installed:  tests/record/record_kinds.py > tests/data/kinds.jsonl

One JSON object a line: {"call"} and either {"gives"}, the repr of what the expression gives, or {"raises"}, the
builtin class of its error. Names in the expressions: torch, numpy, and those of `NAMES`, made anew for each.
"""

import json
from pathlib import Path

import numpy
import torch

NAMES = {
    "a": "torch.arange(10)",
    "b": "torch.ones(2, 3)",
    "c": "torch.zeros(4, dtype=torch.complex64)",
    "d": "torch.zeros(4, dtype=torch.float64)",
    "h": "torch.zeros(4, dtype=torch.float16)",
    "g": "torch.zeros(4, dtype=torch.bfloat16)",
    "i": "torch.zeros(4, dtype=torch.int64)",
    "m": "torch.empty(2, 3, device='meta')",
    "n": "torch.ones(1, 3)",
    "o": "torch.ones(1, 1, 2)",
    "s": "torch.tensor(1.5)",
    "t": "torch.zeros(4, dtype=torch.bool)",
    "u": "torch.zeros(4, dtype=torch.uint8)",
    "x": "torch.zeros(4)",
    "y": "torch.ones(2, 3)",
    "z": "torch.zeros(5, 8)",
}
CALLS = (Path(__file__).resolve().parents[1] / "data" / "kinds.txt").read_text()
# Limits of every type.
for name in ["float8_e4m3fn", "float8_e5m2", "float16", "bfloat16", "float32", "float64", "complex64", "complex128"]:
    CALLS += f"torch.finfo(torch.{name})\n"
    for field in ["bits", "eps", "max", "min", "tiny", "smallest_normal", "resolution", "dtype"]:
        CALLS += f"torch.finfo(torch.{name}).{field}\n"
for name in ["uint8", "int8", "int16", "int32", "int64", "uint16", "uint32", "uint64"]:
    CALLS += f"torch.iinfo(torch.{name})\n"
    for field in ["bits", "max", "min", "dtype"]:
        CALLS += f"torch.iinfo(torch.{name}).{field}\n"
# Draws into all kinds of layouts, as bytes; 16 and more contiguous normal numbers are drawn otherwise than fewer.
DRAWS = ["uniform_()", "uniform_(0.1, 0.7)", "normal_()", "normal_(0.1, 0.7)", "random_(1000)"]
LAYOUTS = ["z", "z.T", "z[1:, ::2]", "z[::2, 3:7].T", "z.view(5, 2, 4).permute(2, 0, 1)", "z.view(5, 2, 4)[:, 1:]"]
for type_name in ("float16", "bfloat16", "float32", "float64"):
    for draw in DRAWS:
        for layout in LAYOUTS if type_name == "float32" else ("z", "z.T"):
            typed = layout.replace("z", f"torch.zeros(5, 8, dtype=torch.{type_name})")
            CALLS += f"{typed}.{draw}.contiguous().view(torch.uint8).flatten().tolist()\n"
for draw in DRAWS[:4]:
    CALLS += f"torch.zeros(11, dtype=torch.complex64).{draw}.view(torch.uint8).tolist()\n"


def kind_of(error):
    """The first builtin class of an error: the package's own classes are derived from one."""
    return next(kind.__name__ for kind in type(error).__mro__ if kind.__module__ == "builtins")


if __name__ == "__main__":
    for call in CALLS.strip().split("\n"):
        names = {name: eval(source, {"torch": torch}) for name, source in NAMES.items()}
        torch.manual_seed(1)
        try:
            print(json.dumps({"call": call, "gives": repr(eval(call, {"torch": torch, "numpy": numpy, **names}))}))
        except Exception as error:
            print(json.dumps({"call": call, "raises": kind_of(error)}))
