#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records how a real PyTorch prints tensors, for tests/print/test_format.cpp.

Run by hand where PyTorch is installed:  tests/record/record_print.py > tests/data/print.jsonl

One JSON object a line: {"dtype", "shape", "text"} and the elements, either "bytes" (hexadecimal, row-major, little
endian) or "ramp": [modulus, scale], element i being (i % modulus) * scale computed as float64 and converted. Then, in
this order and each only where used: "permute": axes, "conj": true, and "options" of set_printoptions.
"""

import json

import torch

FLOATS = [torch.float16, torch.bfloat16, torch.float32, torch.float64]
INTS = [torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64]
NAN, INF = float("nan"), float("inf")


def name(dtype):
    return str(dtype).removeprefix("torch.")


def emit(tensor, source, permute=None, conj=False, options=None):
    line = {"dtype": name(tensor.dtype), "shape": list(tensor.shape), **source}
    if permute is not None:
        tensor = tensor.permute(permute)
        line["permute"] = permute
    if conj:
        tensor = tensor.conj()
        line["conj"] = True
    if options is not None:
        line["options"] = options
        torch.set_printoptions(**options)
    line["text"] = repr(tensor)
    torch.set_printoptions(profile="default")
    print(json.dumps(line))


def values(numbers, dtype, shape=None, **how):
    tensor = torch.tensor(numbers, dtype=dtype)
    if shape is not None:
        tensor = tensor.reshape(shape)
    raw = bytes(tensor.contiguous().reshape(-1).view(torch.uint8).tolist()) if tensor.numel() else b""
    emit(tensor, {"bytes": raw.hex()}, **how)


def ramp(modulus, scale, shape, dtype, **how):
    count = 1
    for extent in shape:
        count *= extent
    tensor = ((torch.arange(count, dtype=torch.int64) % modulus).to(torch.float64) * scale).to(dtype).reshape(shape)
    emit(tensor, {"ramp": [modulus, scale]}, **how)


def small_tables():
    rows = [
        [0.0],
        [-0.0],
        [1.0],
        [-1.0],
        [1.0, 2.0, 3.0],
        [1.5, -2.25],
        [0.1, 0.2, 0.3],
        [NAN],
        [INF, -INF],
        [NAN, 1.0],
        [-INF, 1.5],
        [0.0, -0.0],
        [0.0, NAN, INF],
        [1.0, 1000.0],
        [1.0, 1001.0],
        [0.5, 500.0],
        [0.5, 501.0],
        [1e-4, 0.05],
        [9.9e-5, 0.05],
        [1e-5],
        [1e-8, 1.0],
        [123.456, 0.5],
        [99999.0],
        [100000.0, 99999.5],
        [1e4, 2e4],
        [6e4, 3.0],
        [-1e-3, 2.0, NAN, INF, -INF, 0.0],
        [0.99999, 0.00001],
        [2.00005],
        [0.00015, 0.00025],
    ]
    wide = [[1e8], [1.1e8], [1e8, 1e5], [1e9, 1e7], [16777217.0], [3e38, 1e-38], [1e-45], [1e15, 1e15 + 2], [1e30]]
    doubles = [[1e300, 1e-300], [5e-324], [1.7976931348623157e308], [123456789.125]]
    for dtype in FLOATS:
        for row in rows + (wide if dtype not in FLOATS[:1] else []) + (doubles if dtype is torch.float64 else []):
            values(row, dtype)
        values(2.5, dtype)
        values(-3.0, dtype)
        values(NAN, dtype)
    for dtype in INTS:
        info = torch.iinfo(dtype)
        for row in ([0], [1, 2, 3], [info.min, info.max], [7, 100, info.max], list(range(0, 60))):
            values(row, dtype)
        values(5, dtype)
        values(info.min, dtype)
    for row in ([True], [False], [True, False, True], [False, False], [True, False] * 15):
        values(row, torch.bool)
    values(True, torch.bool)
    for dtype in (torch.complex64, torch.complex128):
        for row in (
            [1 + 2j],
            [1 - 2j, -3.5 + 0.25j],
            [0j],
            [complex(-0.0, -0.0)],
            [complex(NAN, INF), 1 - 1j],
            [complex(1, -INF), complex(NAN, -2)],
            [1e9 + 1j, 1 + 1e-6j],
            [1 + 0.5j, 100.25 - 3000j],
            [1j, 2j, 3j] * 9,
        ):
            values(row, dtype)
            values(row, dtype, conj=True)
        values(1.5 - 2j, dtype)


def shapes():
    for dtype in FLOATS + INTS + [torch.bool, torch.complex64, torch.complex128]:
        for shape in ([0], [0, 3], [2, 0], [2, 0, 3], [0, 0, 0, 0]):
            values([], dtype, shape)
        ramp(97, 1.0, [2, 3], dtype)
        ramp(97, 1.0, [2, 3], dtype, permute=[1, 0])
    for dtype in (torch.float32, torch.int64, torch.uint8, torch.float64, torch.complex64):
        for shape in (
            [1, 1],
            [2, 1, 3],
            [2, 2, 2],
            [2, 3, 2, 2],
            [1, 2, 1, 2, 2],
            [3, 30],
            [2, 2, 25],
            [1, 1, 1, 1, 1, 1],
        ):
            ramp(89, 0.25, shape, dtype)
    ramp(12, 1.0, [2, 3, 4], torch.float32, permute=[2, 0, 1])
    for extent in range(10, 24):
        ramp(7, 0.5, [extent], torch.float32)
        ramp(7, 0.5, [2, extent], torch.float64)
        ramp(113, 1.0, [extent], torch.int32)


def long_suffixes():
    for extent in range(1, 40):
        ramp(113, 1.0, [extent], torch.int16)
        ramp(113, 1.0, [2, extent], torch.bfloat16)
    values([], torch.float64, [0] * 18)
    values([], torch.float64, [0] * 15)


def summaries():
    for shape in (
        [1000],
        [1001],
        [2, 501],
        [501, 2],
        [7, 143],
        [6, 167],
        [143, 7],
        [6, 6, 28],
        [7, 7, 21],
        [9, 8, 7, 6],
        [1, 1001],
        [1001, 1],
        [2, 2, 2, 126],
        [1, 1, 2000],
        [10, 10, 10, 2],
        [10000],
    ):
        for dtype in (torch.float32, torch.int64, torch.float16, torch.complex64, torch.bool):
            ramp(113, 0.5, shape, dtype)
    ramp(113, 0.25, [40, 50], torch.float32, permute=[1, 0])
    ramp(113, 1e-3, [2000], torch.float64)
    ramp(1 << 30, 1.0, [3000], torch.float32)


def options():
    table = [
        {"precision": 2},
        {"precision": 0},
        {"precision": 10},
        {"threshold": 5},
        {"threshold": 0},
        {"edgeitems": 1},
        {"threshold": 5, "edgeitems": 1},
        {"threshold": 5, "edgeitems": 5},
        {"linewidth": 40},
        {"linewidth": 120},
        {"linewidth": 1},
        {"profile": "short"},
        {"profile": "short", "threshold": 3},
    ]
    for chosen in table:
        how = {"options": {key: value for key, value in chosen.items() if key != "profile"}}
        if "profile" in chosen:
            how["options"] = {"precision": 2, "edgeitems": 2, "threshold": 1000, **how["options"]}
        ramp(61, 0.37, [5, 7], torch.float32, **how)
        ramp(61, 1.0, [37], torch.int64, **how)
        ramp(61, 1e-7, [3, 3], torch.float64, **how)
        ramp(61, 0.125, [2, 9], torch.complex64, **how)
        ramp(61, 1.0, [3, 4, 2], torch.float16, **how)


if __name__ == "__main__":
    small_tables()
    shapes()
    long_suffixes()
    summaries()
    options()
