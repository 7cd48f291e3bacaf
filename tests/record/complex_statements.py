# SPDX-License-Identifier: Apache-2.0
"""The statements about complex tensors and the negative bit that record_complex.py records."""

import itertools
import json
import random

import torch


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
