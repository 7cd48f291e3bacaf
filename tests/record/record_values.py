#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records the numbers of PyTorch's random and range factories, for tests/random/ and tests/tensor/test_factory.cpp.

Run by hand where PyTorch is installed:
    tests/record/record_values.py random > tests/data/random.jsonl
    tests/record/record_values.py ranges > tests/data/ranges.jsonl

One JSON object a line. random: {"seed", "calls": [{"op", "args", "dtype", "shape", "bytes"}]}, the calls made one after
the other. ranges: {"op", "args", "dtype" or null, "out_dtype", "shape", "bytes"}, or "error" (the exception's name) in
place of the last three. Bytes are hexadecimal, row-major, little endian.
"""

import json
import sys

import torch

FLOATS = ["float32", "float64", "float16", "bfloat16", "complex64", "complex128"]
NARROW = [None, "uint8", "int8", "int16", "float16", "bfloat16", "float32"]
INTS = ["uint8", "int8", "int16", "int32", "int64"]


def hexadecimal(tensor):
    flat = tensor.contiguous().reshape(-1)
    return bytes(flat.view(torch.uint8).tolist()).hex() if flat.numel() else ""


def call(op, args, dtype):
    return getattr(torch, op)(*args, dtype=getattr(torch, dtype))


def random():
    plans = []
    for dtype in FLOATS:
        plans.append(
            [("rand", [[5]], dtype), ("randn", [[3]], dtype), ("randn", [[4]], dtype), ("rand", [[2, 2]], dtype)]
        )
        plans.append(
            [("randn", [[15]], dtype), ("randn", [[16]], dtype), ("randn", [[5, 7]], dtype), ("randn", [[2]], dtype)]
        )
    for dtype in [*INTS, "bool", "float16", "bfloat16", "float32", "float64"]:
        high = 2 if dtype == "bool" else 100
        plans.append([("randint", [0, high, [6]], dtype), ("randint", [0, high, [2, 2]], dtype)])
    for dtype in ["int64", "float64", "float32", "bfloat16"]:
        plans.append([("randint", [-5, 2**32 - 7, [4]], dtype), ("randint", [-5, 2**33, [4]], dtype)])
    plans.append([("randint", [-(2**63), 2**63 - 1, [5]], "int64")])
    plans.append([("randint", [2**24, 2**24 + 7, [5]], "float32"), ("randint", [-128, 128, [9]], "int8")])
    for dtype in [*INTS, "float16", "bfloat16", "float32", "float64"]:
        plans.append([("randperm", [10], dtype), ("randperm", [1], dtype), ("randperm", [7], dtype)])
    plans.append(
        [
            ("rand", [[3]], "float32"),
            ("randn", [[1]], "float64"),
            ("randint", [0, 9, [3]], "int64"),
            ("randn", [[1]], "float32"),
            ("randperm", [5], "int64"),
            ("randn", [[33]], "float32"),
        ]
    )
    for number, plan in enumerate(plans):
        seed = [0, 42, 5489, 2**32 + 3, 67280421310721][number % 5]
        torch.manual_seed(seed)
        calls = []
        for op, args, dtype in plan:
            result = call(op, args, dtype)
            calls.append(
                {"op": op, "args": args, "dtype": dtype, "shape": list(result.shape), "bytes": hexadecimal(result)}
            )
        print(json.dumps({"seed": seed, "calls": calls}))


def ranges():
    bounds = [
        [7],
        [2.5],
        [0],
        [1, 8],
        [1, 8, 3],
        [8, 1, -3],
        [5, 1],
        [1, 5, -1],
        [1, 5, 0],
        [0.9, -0.5, 1],
        [0, 1, 0.1],
        [1, 2, 0.25],
        [-3.5, 3.5, 0.7],
        [0.5, 3.5],
        [0.5, 3.5, 0.5],
        [10, 0, -2.5],
        [3, 3],
        [True],
        [200, 300],
        [0, 100, 7],
        [-5, 5],
        [1e18, 1e18 + 1000, 256],
        [0, 60000, 5000],
        [2**40, 2**40 + 3],
        [0.1, 25.6, 0.3],
    ]
    for dtype in [None, *INTS, "float16", "bfloat16", "float32", "float64", "bool", "complex64"]:
        for args in bounds:
            record("arange", args, dtype)
    spans = [
        [0, 1],
        [0, 10],
        [10, 0],
        [-1, 1],
        [3, 10],
        [0.1, 0.9],
        [-2.5, 100],
        [5, 5],
        [1e-3, 1e3],
        [0.5, 9.7],
        [-100, 27],
    ]
    for dtype in [None, *INTS, *FLOATS]:
        for span in spans:
            # Longer ones are vectorised before PyTorch 2, and wrongly so for integers; since then they never are.
            longest = 3 if dtype == "complex128" else 13 if dtype in NARROW else 7
            for steps in [count for count in [-1, 0, 1, 2, 3, 5, 7, 13] if count <= longest]:
                record("linspace", [*span, steps], dtype)
    for dtype in [None, "bool"]:
        for steps in [0, 1, 2]:
            record("linspace", [0, 1, steps], dtype)
    for dtype in [None, "bool", "complex64", *INTS, "float16", "float32", "float64"]:  # bfloat16: since 2.0
        for args in [[0], [1], [3], [2, 3], [3, 2], [0, 2], [-1], [2, -1]]:
            record("eye", args, dtype)


def record(op, args, dtype):
    line = {"op": op, "args": args, "dtype": dtype}
    try:
        result = getattr(torch, op)(*args, dtype=getattr(torch, dtype) if dtype else None)
    except Exception as error:  # what is refused is recorded too
        line["error"] = type(error).__name__
    else:
        line["out_dtype"] = str(result.dtype).removeprefix("torch.")
        line["shape"] = list(result.shape)
        line["bytes"] = hexadecimal(result)
    print(json.dumps(line))


if __name__ == "__main__":
    {"random": random, "ranges": ranges}[sys.argv[1]]()
