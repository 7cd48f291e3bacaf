#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records PyTorch's answers about complex tensors and element types, for tests/python/test_complex.py.

Run by hand where PyTorch 2.6 is installed:
    tests/tools/record_complex.py statements | gzip -9n > tests/data/complex-statements.jsonl.gz
    tests/tools/record_complex.py types | gzip -9n > tests/data/complex-types.jsonl.gz
    tests/tools/record_complex.py conversions | gzip -9n > tests/data/complex-conversions.jsonl.gz

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


def shown(value):
    """A tensor as its elements, type, layout and bits; anything else as its text."""
    if isinstance(value, (tuple, list)):
        return [shown(item) for item in value]
    if not isinstance(value, torch.Tensor):
        return repr(value)
    bits = ("conj " if value.is_conj() else "") + ("neg" if value.is_neg() else "")
    elements = "meta" if value.is_meta else repr(value.tolist())
    layout = [list(value.shape), list(value.stride()), value.storage_offset()]
    return [elements, str(value.dtype), layout, bits.strip()]


def record(code):
    names = {"torch": torch}
    line = {"code": code}
    try:
        exec(code, names)
        line["shown"] = shown(names["r"])
    except Exception as error:  # what is refused is recorded too
        is_missing = "not implemented for 'ComplexHalf'" in str(error)
        line["error"] = "complex32" if is_missing else type(error).__name__
    print(json.dumps(line))


LAYOUTS = [
    ((2, 3), (0, 1), 0),
    ((2, 3), (1, 0), 2),
    ((2, 3), (0, 0), 1),
    ((2, 3, 4), (4, 0, 1), 0),
    ((2, 3, 4), (1, 0, 2), 0),
    ((2, 3, 4), (0, 4, 1), 3),
    ((3, 2), (1, 1), 0),
    ((3, 3), (2, 1), 0),
    ((2, 3, 4), (1, 1, 5), 0),
    ((2, 3, 4), (1, 2, 6), 0),
    ((2, 3, 4), (6, 2, 1), 0),
    ((3, 4, 2), (8, 1, 4), 0),
    ((2, 3), (1, 4), 3),
    ((2, 3), (10, 2), 0),
    ((1, 3, 1), (7, 1, 9), 0),
    ((3, 1), (1, 1), 0),
    ((3, 1), (1, 7), 0),
    ((1, 1), (5, 3), 0),
    ((0, 3), (1, 1), 0),
    ((3, 0), (1, 4), 0),
    ((), (), 5),
    ((2, 2, 2, 2), (1, 8, 2, 4), 0),
    ((2, 3, 2, 2), (12, 1, 6, 3), 0),
    ((2, 3, 2, 2), (24, 1, 6, 3), 0),
    ((2, 1, 2, 2), (4, 1, 2, 1), 0),
    ((2, 1, 2, 2), (4, 4, 2, 1), 0),
]


def magnitudes():
    """abs and its kin over dense, permuted, broadcast and overlapping layouts."""
    chance = random.Random(1)
    layouts = list(LAYOUTS)
    for _ in range(60):
        rank = chance.randint(1, 4)
        shape = tuple(chance.choice([1, 2, 3]) for _ in range(rank))
        layouts.append((shape, tuple(chance.choice([0, 1, 1, 2, 3, 4, 6]) for _ in range(rank)), 0))
    for shape, strides, offset in layouts:
        for dtype in ["complex64", "float32"]:
            x = f"torch.arange(96).to(torch.{dtype}).as_strided({shape}, {strides}, {offset})"
            record(f"r = {x}.abs()")
            record(f"r = -{x}")
        record(f"r = torch.arange(96).to(torch.complex128).as_strided({shape}, {strides}, {offset}).conj().abs()")


def assignments():
    """`x.real = y` and `x.imag = y`."""
    starts = [
        "torch.tensor([[1+2j, 3-4j, 5j], [7+8j, 9j, -1-1j]])",
        "torch.tensor([[1+2j, 3-4j, 5j], [7+8j, 9j, -1-1j]]).t()",
        "torch.tensor([[1+2j, 3-4j, 5j], [7+8j, 9j, -1-1j]]).conj()",
        "torch._neg_view(torch.tensor([[1+2j, 3-4j, 5j], [7+8j, 9j, -1-1j]]))",
        "torch.tensor([[1+2j, 3-4j, 5j]]).expand(2, 3)",
        "torch.tensor([[1+2j, 3-4j, 5j], [7+8j, 9j, -1-1j]]).to(torch.complex32)",
        "torch.arange(6.0).view(2, 3)",
        "torch.arange(6, dtype=torch.int32).view(2, 3)",
        "torch.zeros(2, 3, dtype=torch.complex64, device='meta')",
    ]
    values = [
        "1",
        "-2.5",
        "True",
        "torch.arange(3)",
        "torch.arange(2)",
        "torch.arange(2).view(2, 1)",
        "torch.ones(2, 3, dtype=torch.float64)",
        "torch.ones(1, 2, 3)",
        "torch.tensor(7)",
        "torch.full((3,), 2 + 5j)",
        "x",
        "x.real",
        "x.flip(1).real",
        "None",
        "[1, 2, 3]",
        "'a'",
    ]
    for start, part, value in itertools.product(starts, ["real", "imag"], values):
        # PyTorch copies onto overlapping memory in an order of its own, or refuses.
        if value == "x" and ".t()" in start:
            continue
        record(f"x = {start}; y = x; x.{part} = {value}; r = y")
    record("x = torch.tensor([1+2j, 3+4j]); x[0].imag = 9; r = x")
    record("x = torch.tensor([1+2j, 3+4j]); x.imag += 3; r = x")
    record("x = torch.tensor([1+2j, 3+4j]); x.real *= torch.tensor([2, 3]); r = x")
    record("x = torch.tensor([1+2j, 3+4j]).conj(); x.imag += 3; r = x")
    record("x = torch.tensor(1+2j); x.real = 3; r = x")
    record("x = torch.zeros(2); x.T = 1; r = x")
    record("x = torch.zeros(2); x.dtype = torch.int8; r = x")


def negatives():
    """What is done with tensors that have the negative bit."""
    given = "x = torch.tensor([[1+2j, 3-4j, 5+6j], [7+8j, 9j, -1-1j]]); "
    sources = [
        "x.conj().imag",
        "x.conj().imag.t()",
        "x.conj().real",
        "x.conj().imag[0]",
        "x.conj().imag[1, 2]",
        "torch._neg_view(x)",
        "torch._neg_view(x).conj()",
        "torch._neg_view(x).conj().imag",
        "torch._neg_view(x).real",
        "torch._neg_view(torch._neg_view(x))",
        "torch._neg_view(torch.arange(6).view(2, 3))",
        "torch._neg_view(torch.arange(6, dtype=torch.uint8).view(2, 3))",
        "torch._neg_view(torch.arange(6, dtype=torch.int16).view(2, 3))",
        "torch._neg_view(torch.arange(6.0).to(torch.bfloat16).view(2, 3))",
        "torch._neg_view(torch.arange(6.0).to(torch.float16).view(2, 3))",
        "torch._neg_view(x.to(torch.complex32))",
        "torch._neg_view(torch.view_as_real(x))",
        "torch._neg_view(torch.zeros(2, 3, device='meta'))",
    ]
    operations = [
        "n",
        "n.is_neg()",
        "torch.is_neg(n)",
        "n.is_conj()",
        "n.resolve_neg()",
        "torch.resolve_neg(n)",
        "n.resolve_conj()",
        "n.clone()",
        "n.contiguous()",
        "n.conj()",
        "n.real",
        "n.imag",
        "n.T",
        "n.reshape(-1)",
        "n.flatten()",
        "n.ravel()",
        "n.unsqueeze(0)",
        "n.expand(2, *n.shape)",
        "n.detach()",
        "n.data",
        "n.as_strided((2,), (1,))",
        "n.as_strided((2,), (2,), 0)",
        "n.view(n.dtype)",
        "n.view(torch.uint8)",
        "torch._neg_view(n)",
        "n._neg_view()",
        "n + 1",
        "n * 2",
        "1 - n",
        "-n",
        "n.neg()",
        "n + n",
        "n * torch.arange(n.numel()).reshape(n.shape)",
        "n.abs()",
        "n == n",
        "n == -n",
        "n != 2",
        "n > 0",
        "n.sum()",
        "n.sum(0)",
        "n.prod()",
        "n.max()",
        "n.amax(0)",
        "n.argmax()",
        "n.min(0)[1]",
        "n.all()",
        "n.any()",
        "n.any(0)",
        "n.all(0)",
        "n.item()",
        "n.tolist()",
        "repr(n)",
        "str(n)",
        "n.double()",
        "n.float()",
        "n.to(torch.int32)",
        "n.to(torch.bool)",
        "n.to(torch.complex64)",
        "n.to(torch.float16)",
        "n.to(torch.complex32)",
        "n.long()",
        "torch.cat([n, n])",
        "torch.stack([n, n])",
        "torch.cat([n, n.double()])",
        "n.flip(0)",
        "n.roll(1)",
        "n.roll(1, 0)",
        "n.repeat(2, 1)",
        "n.repeat_interleave(2)",
        "n.repeat_interleave(2, 0)",
        "n.tril()",
        "n.triu(1)",
        "torch.where(n == n, n, n)",
        "torch.where(n != n, n, 0)",
        "n[torch.tensor([0])]",
        "n[[0, 0], [1, -1]]",
        "n[n != 2]",
        "n[..., 0]",
        "n[:, None]",
        "n.gather(0, torch.zeros(n.shape, dtype=torch.int64))",
        "n.index_select(0, torch.tensor([0]))",
        "n.masked_select(n == n)",
        "n.take(torch.tensor([1, 0]))",
        "n.unbind()",
        "n.split(1)",
        "torch.equal(n, n.resolve_neg())",
        "torch.allclose(n, n.resolve_neg())",
        "torch.zeros_like(n)",
        "torch.ones_like(n)",
        "torch.empty_like(n).is_neg()",
        "n.new_zeros(2)",
        "torch.full_like(n, 3)",
        "torch.view_as_real(n)",
        "n.H",
        "n.mT",
        "n.adjoint()",
        "torch.real(n)",
        "torch.imag(n)",
        "torch.tensor(n.tolist())",
        "n.isnan()",
        "n.square()",
        "n.sqrt()",
        "n.pow(2)",
        "n.logical_not()",
        "torch.maximum(n, n)",
        "n.clamp(-1, 1)",
        "n.cumsum(0)",
        "torch.isclose(n, n)",
    ]
    for source, operation in itertools.product(sources, operations):
        record(f"{given}n = {source}; r = {operation}")
    changes = [
        "n.fill_(3)",
        "n.zero_()",
        "n.copy_(torch.ones(2, 3, dtype=torch.float64))",
        "n.copy_(torch.arange(3))",
        "n.copy_(n.clone())",
        "n.add_(1)",
        "n.mul_(2)",
        "n.neg_()",
        "n[0] = 5",
        "n[0, 1] = 5",
        "n[torch.tensor([0])] = n[torch.tensor([1])]",
        "n[n == n] = 4",
        "n[n != 2] = 4",
        "n.copy_(torch._neg_view(torch.full((2, 3), 2, dtype=n.dtype)))",
        "n.copy_(torch._neg_view(torch.arange(3, dtype=torch.uint8)))",
        "n[:, 1:].fill_(-1)",
        "n.masked_fill_(n == n, 2)",
        "n.unsqueeze_(0)",
        "n.t_()",
        "n.resize_(2)",
        "n += n",
        "n -= 1",
    ]
    for source, change in itertools.product(sources, changes):
        base = "torch.zeros(0)" if "arange" in source or "meta" in source else "x"
        # Without elements, or with such as nobody wrote.
        if ("meta" in source and "n[n " in change) or ("[1, 2]" in source and "resize_" in change):
            continue
        record(f"{given}n = {source}; {change}; r = n, {base}")
    record("r = torch.view_as_complex(torch._neg_view(torch.arange(4.0).view(2, 2)))")
    record("x = torch.tensor([1+2j]); r = x.resolve_neg() is x, x.conj().imag.resolve_conj().is_neg()")
    record("x = torch.ones(2); n = torch._neg_view(x); r = n.storage_offset(), n.data_ptr() == x.data_ptr()")


def halves():
    """complex32: what PyTorch offers of it on a CPU."""
    given = (
        "c = torch.tensor([1+2j, 3-4j]).to(torch.complex32); "
        "d = torch.tensor([[1+2j, 0.1-4j], [0.3+70000j, -1e-8+0j]]).to(torch.complex32); "
        "h = torch.tensor([1.5, -2.0], dtype=torch.float16); "
    )
    for expression in [
        "c",
        "d",
        "h * 1j",
        "h + 1j",
        "1j - h",
        "c + c",
        "c - c",
        "c * c",
        "c * h",
        "c + 1",
        "c * 2.5",
        "c * 0.1",
        "c * (1+1j)",
        "c + torch.ones(2)",
        "1 - c",
        "2 * c",
        "c + torch.ones(2, dtype=torch.bfloat16)",
        "c + torch.ones(2, dtype=torch.float64)",
        "c + torch.arange(2)",
        "-c",
        "c.neg()",
        "c + torch.tensor([True, False])",
        "c.abs()",
        "abs(d)",
        "c.conj()",
        "c.conj().resolve_conj()",
        "c.conj() + 1",
        "c == c",
        "c != c",
        "c == 1",
        "c == h",
        "torch.eq(c, c.conj())",
        "torch.allclose(c, c)",
        "c.any()",
        "c.all()",
        "c.real",
        "c.imag",
        "c.conj().imag",
        "torch.view_as_real(c)",
        "torch.view_as_complex(torch.arange(4, dtype=torch.float16).view(2, 2))",
        "torch.view_as_real(c.conj())",
        "torch.view_as_complex(torch.arange(4, dtype=torch.bfloat16).view(2, 2))",
        "c.view(torch.float32)",
        "c.view(torch.float16)",
        "c.view(torch.int16)",
        "c.view(torch.int64)",
        "c.view(torch.complex64)",
        "c.view(torch.uint8)",
        "torch.arange(3, dtype=torch.int32).view(torch.complex32)",
        "torch.tensor([1, 2]).chalf()",
        "c.chalf() is c",
        "c.cfloat()",
        "c.half()",
        "c.type()",
        "c.element_size()",
        "c.nbytes",
        "c.is_complex()",
        "c.is_floating_point()",
        "torch.chalf",
        "torch.complex32",
        "torch.complex32.itemsize",
        "torch.complex32.is_complex",
        "torch.complex32.is_signed",
        "torch.zeros(2, dtype=torch.complex32)",
        "torch.ones(2, dtype=torch.chalf)",
        "torch.full((2,), 1+1j, dtype=torch.complex32)",
        "torch.tensor([1j, 2], dtype=torch.complex32)",
        "torch.arange(3, dtype=torch.complex32)",
        "torch.linspace(0, 1, 3, dtype=torch.complex32)",
        "torch.empty(2, dtype=torch.complex32).dtype",
        "repr(c)",
        "repr(d)",
        "repr(c[0])",
        "repr(torch.zeros(0, dtype=torch.complex32))",
        "repr(torch.zeros(2000, dtype=torch.complex32))",
        "repr(d.conj())",
        "c[0].item()",
        "c.tolist()",
        "complex(c[1])",
        "torch.from_dlpack(c)",
        "d.t()",
        "d.t().contiguous()",
        "d.flip(0)",
        "c[torch.tensor([1, 0])]",
        "c[torch.tensor([True, False])]",
        "torch.cat([c, c])",
        "torch.cat([c, h])",
        "torch.stack([c, c])",
        "c.roll(1)",
        "c.repeat(2)",
        "torch.where(torch.tensor([True, False]), c, c)",
        "torch.where(torch.tensor([True, False]), c, 0)",
        "d.tril()",
        "d.triu(1)",
        "c.clone()",
        "c.isnan()",
        "torch.isfinite(d)",
        "torch.isinf(d)",
        "c.index_select(0, torch.tensor([0]))",
        "c.unfold(0, 2, 1)",
        "c.repeat_interleave(2)",
        "c.expand(2, 2)",
        "c.to(torch.float8_e4m3fn)",
        "torch.ones(2).to(torch.float8_e5m2).chalf()",
        "torch.isclose(c, c)",
        "torch._neg_view(c) + 1",
        "c.max()",
        "c < c",
        "c.cumsum(0)",
        "c.sum()",
        "c.mean()",
        "c.prod()",
        "c.zero_()",
        "c.fill_(1j)",
        "c.add_(1)",
        "c.mul_(2)",
        "c.sub_(h)",
        "h.add_(1j)",
        "c.copy_(torch.tensor([5, 6]))",
        "c.masked_fill(c == c, 2)",
        "c.neg_()",
        "c.permute(0)",
        "c.storage_offset()",
        "torch.zeros_like(c)",
        "torch.empty_like(h, dtype=torch.chalf).dtype",
    ]:
        record(f"{given}r = {expression}")
    # PyTorch rounds the product of a sum with alpha, and multiplies by 1 too: of an infinite part comes a NaN.
    chance = random.Random(3)
    bits = [chance.randrange(-(2**15), 2**15) for _ in range(120)] + [0x7C00, 0, 1, 0x7C00]
    odd = f"a = torch.tensor({bits}, dtype=torch.int16).view(torch.complex32); b = a.roll(3); "
    for expression in [
        "a + b",
        "a - b",
        "a * b",
        "a * 2.7",
        "a + 0.1",
        "0.3 - a",
        "-a",
        "a.abs()",
        "torch.add(a, b, alpha=3)",
        "torch.sub(a, b, alpha=2.7)",
        "torch.add(a, b, alpha=0.5+1.3j)",
        "a.conj() * b",
        "a + a.real",
        "a.conj().imag + 1",
    ]:
        record(f"{odd}r = {expression}")
    for change in ["c[0] = 2j", "c.real = 7", "c.imag = h", "c[torch.tensor([0, 0])] = c.clone()", "c[c == c] = 1"]:
        record(f"{given}{change}; r = c")


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
