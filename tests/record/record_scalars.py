#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records what PyTorch makes of a number that becomes an element, for tests/python/test_scalars.py.

Run by hand where PyTorch 2.6 is installed:
    tests/record/record_scalars.py | gzip -9n > tests/data/scalars.jsonl.gz

One JSON object a line, of one entry point and one element type: {"entry", "dtype", "numbers": [[number, kind,
answer]]}. A number is what `repr` gives. Kind "ok": the answer is the dtype of the result and the bytes of its first
element, hexadecimal, little endian. Kind "absent": PyTorch has no such operation of the type. Else kind is the
exception's name, and the answer its text's first line.
"""

import json
import math
import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))
from number_ways import ways_of

DTYPES = [
    "bool",
    "uint8",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint16",
    "uint32",
    "uint64",
    "float16",
    "bfloat16",
    "float32",
    "float64",
    "complex64",
    "complex128",
    "float8_e4m3fn",
    "float8_e5m2",
]

ABSENT = ("not implemented for", "Promotion for uint16", "Unknown Complex", "ComplexHalf", "not supported for complex")


def numbers():
    wholes = {0, 1, -1, 2, 3, 300, -300, 448, 449, 464, 465, 480, 57344, 61440, 65504, 65519, 65520, 2**24 + 1, 2**40}
    for bits in (7, 8, 15, 16, 31, 32, 53, 63, 64):
        for near in (-2, -1, 0, 1, 2):
            wholes |= {2**bits + near, -(2**bits) + near}
    reals = [0.5, -0.5, 0.99, -0.99, -0.0, 1.5, -1.5, 127.5, 128.0, -128.5, -129.0, 255.5, 256.0, -255.5, -256.5]
    reals += [2.0**31, -(2.0**31) - 1, 2.0**40, 2.0**63, -(2.0**63), 2.0**64, 1e19, -1e19, 448.5, 464.5, 1e5, 65519.5]
    reals += [65520.5, 1e38, 3.4028234663852886e38, 3.4028235e38, 3.4028236e38, 3.39e38, 3.4e38, 1e39, -1e39]
    reals += [1e300, -1e300, 1.7976931348623157e308, 5e-324, 1e-50, math.inf, -math.inf, math.nan]
    imaginary = [1j, 1 + 0j, 300 + 0j, 0j, 1e39j, 1e39 + 0j, complex(math.nan, 0), complex(0, math.nan), 2 + 1e-60j]
    imaginary += [complex(math.inf, 0), complex(0, math.inf), 2**40 + 0j, 2**40 + 1j, -1 + 0j, 1e5 + 1j, 0.5 + 0j]
    return [True, False, *sorted(wholes), *reals, *imaginary]


def hexadecimal(result):
    first = result.reshape(-1)[:1].clone()
    return bytes(first.view(torch.uint8).tolist()).hex()


def answer(call, dtype, number):
    x = torch.zeros(2, dtype=torch.uint8).to(getattr(torch, dtype))
    try:
        result = call(x, number)
        return ["ok", [str(result.dtype).split(".")[1], hexadecimal(result)]]
    except Exception as error:
        text = str(error).split("\n")[0]
        is_absent = any(part in text for part in ABSENT)
        return ["absent" if is_absent else type(error).__name__, "" if is_absent else text]


def main():
    for entry, call in ways_of(torch).items():
        for dtype in DTYPES:
            rows = [[repr(number), *answer(call, dtype, number)] for number in numbers()]
            sys.stdout.write(json.dumps({"entry": entry, "dtype": dtype, "numbers": rows}) + "\n")


main()
