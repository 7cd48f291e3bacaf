#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records PyTorch's answers about complex tensors and element types, for tests/python/test_complex.py.

Run by hand where PyTorch 2.6 is installed:
    tests/record/record_complex.py statements | gzip -9n > tests/data/complex-statements.jsonl.gz
    tests/record/record_complex.py types | gzip -9n > tests/data/complex-types.jsonl.gz
    tests/record/record_complex.py conversions | gzip -9n > tests/data/complex-conversions.jsonl.gz

One JSON object a line. statements: {"code", "shown"}, Python's statements with `torch` that leave `r`, and how `shown`
tells it; or "error" in place of the last: the exception's name, or complex32 where PyTorch's CPU lacks the operation.
types: {"op", "args", "result"}: an argument is a dtype, a dtype with a rank, or a number as text; "result" is a
dtype, a bool, or "error: " and the exception's name. conversions: {"from", "to", "in", "out"}: bytes of elements,
hexadecimal, little endian.
"""

import itertools
import json
import random
import sys
import warnings

import torch
from complex32_statements import halves
from complex_statements import assignments, magnitudes, negatives

warnings.simplefilter("ignore")

TYPES = [
    "bool",
    "uint8",
    "int8",
    "uint16",
    "int16",
    "uint32",
    "int32",
    "uint64",
    "int64",
    "float16",
    "bfloat16",
    "float32",
    "float64",
    "complex32",
    "complex64",
    "complex128",
    "float8_e4m3fn",
    "float8_e5m2",
]
NUMBERS = ["True", "1", "2.5", "1j"]


def statements():
    magnitudes()
    assignments()
    negatives()
    halves()


def types():
    def answer(op, args, result):
        try:
            value = result()
        except Exception as error:  # what is refused is recorded too
            value = f"error: {type(error).__name__}"
        text = value if isinstance(value, (bool, str)) else str(value).removeprefix("torch.")
        print(json.dumps({"op": op, "args": args, "result": text}))

    for a, b in itertools.product(TYPES, TYPES):
        for op in ["promote_types", "can_cast"]:
            answer(op, [a, b], lambda a=a, b=b, op=op: getattr(torch, op)(getattr(torch, a), getattr(torch, b)))

    def operand(text):
        if text in NUMBERS:
            return eval(text)
        dtype, rank = text.split(":")
        return torch.empty([1] * int(rank), dtype=getattr(torch, dtype))

    operands = [f"{dtype}:{rank}" for dtype in TYPES for rank in [0, 1]] + NUMBERS
    for a, b in itertools.product(operands, operands):
        answer("result_type", [a, b], lambda a=a, b=b: torch.result_type(operand(a), operand(b)))


SPECIAL = [0.0, -0.0, 1.0, -1.5, 0.1, 3.0, 255.0, 65504.0, 65519.0, 65520.0, -65520.0, 1e-8, 6e-8, 5.97e-8, 2.98e-8]
SPECIAL += [1e5, 3.4e38, 1e300, float("inf"), float("-inf"), float("nan"), 1.00048828125, 1.00146484375, 1 / 3, 2049.0]


def hexadecimal(tensor):
    return bytes(tensor.contiguous().view(torch.uint8).tolist()).hex()


def conversions():
    """complex32 from every type and to it. Floats that an integer does not hold are left out: they are undefined."""
    chance = random.Random(2)
    bits = [chance.getrandbits(16) for _ in range(400)] + [0, 0x8000, 0x7C00, 0xFC00, 0x7E00, 1, 0x8001, 0x3FF, 0x400]
    half = torch.tensor(bits, dtype=torch.int32).to(torch.int16).view(torch.float16)
    pairs = torch.stack([half, half.roll(7)], 1).view(torch.complex32).reshape(-1)
    for dtype in TYPES:
        to = getattr(torch, dtype)
        if to.is_floating_point or to.is_complex:
            values = torch.tensor(SPECIAL, dtype=torch.float64)
            values = torch.complex(values, values.roll(5)) if to.is_complex else values
        elif dtype == "bool":
            values = torch.tensor([False, True])
        else:
            limits = torch.iinfo(to)
            least, most = max(limits.min, -(2**63)), min(limits.max, 2**63 - 1)
            values = torch.tensor([0, 1, most, least, most // 2, most // 3, 100, 7, min(most, 2049), min(most, 65520)])
        source = values.to(to)
        print(json.dumps({"from": dtype, "to": "complex32", "in": hexadecimal(source),
                          "out": hexadecimal(source.to(torch.complex32))}))  # fmt: skip
        taken = pairs
        if not (to.is_floating_point or to.is_complex or dtype == "bool"):
            real = pairs.real.double()
            limits = torch.iinfo(to)
            taken = pairs[(real > float(limits.min) - 1) & (real < float(limits.max)) & real.isfinite()]
        print(
            json.dumps({"from": "complex32", "to": dtype, "in": hexadecimal(taken), "out": hexadecimal(taken.to(to))})
        )


if __name__ == "__main__":
    {"statements": statements, "types": types, "conversions": conversions}[sys.argv[1]]()
