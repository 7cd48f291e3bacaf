# SPDX-License-Identifier: Apache-2.0
"""Shapes of products: matmul and its kin, einsum, distances, attention."""

from __future__ import annotations

from typing import Any

from .. import _tenstride
from .._tenstride import Tensor
from .rule_tools import axis, broadcast, new, text


def matmul(input: Tensor, other: Tensor) -> Tensor:
    a, b = tuple(input.shape), tuple(other.shape)
    if not a or not b:
        raise RuntimeError(f"both arguments to matmul need to be at least 1D, but they are {len(a)}D and {len(b)}D")
    _same_dtype(input, other)
    if len(a) == len(b) == 1:
        return dot(input, other)
    rows, columns = a[-2:] if len(a) > 1 else (1, a[0]), b[-2:] if len(b) > 1 else (b[0], 1)
    if rows[1] != columns[0]:
        raise RuntimeError(_mismatch(a, b, rows, columns))
    batch = broadcast(a[:-2], b[:-2])
    return new((*batch, *(rows[:1] if len(a) > 1 else ()), *(columns[1:] if len(b) > 1 else ())), input)


def _mismatch(a: tuple[int, ...], b: tuple[int, ...], rows: tuple[int, ...], columns: tuple[int, ...]) -> str:
    if len(b) == 1:
        return f"size mismatch, got {rows[0]}, {rows[0]}x{rows[1]},{b[0]}" if len(a) == 2 else _folded(a, b)
    if len(a) > 2 and len(b) > 2:
        count = 1
        for size in broadcast(a[:-2], b[:-2]):
            count *= size
        return (
            f"Expected size for first two dimensions of batch2 tensor to be: {text((count, rows[1]))} but got: "
            f"{text((count, columns[0]))}."
        )
    return _folded(a, b)


def _folded(a: tuple[int, ...], b: tuple[int, ...]) -> str:
    """Batches of one side are folded into its rows."""
    count = 1
    for size in a[:-1]:
        count *= size
    other = f"{b[-2]}x{b[-1]}" if len(b) > 1 else f"{b[0]}x1"
    return f"mat1 and mat2 shapes cannot be multiplied ({count}x{a[-1]} and {other})"


def _same_dtype(a: Tensor, b: Tensor) -> None:
    if a.dtype != b.dtype:
        names = {"float32": "Float", "float64": "Double", "int64": "Long", "int32": "Int", "float16": "Half"}
        said = [names.get(str(x.dtype).rpartition(".")[2], str(x.dtype)) for x in (a, b)]
        raise RuntimeError(f"expected m1 and m2 to have the same dtype, but got: {said[0]} != {said[1]}")


def mm(input: Tensor, mat2: Tensor) -> Tensor:
    if input.dim() != 2:
        raise RuntimeError("self must be a matrix")
    if mat2.dim() != 2:
        raise RuntimeError("mat2 must be a matrix")
    return matmul(input, mat2)


def mv(input: Tensor, vec: Tensor) -> Tensor:
    return matmul(input, vec)


def bmm(input: Tensor, mat2: Tensor) -> Tensor:
    for name, x in (("batch1", input), ("batch2", mat2)):
        if x.dim() != 3:
            raise RuntimeError(f"{name} must be a 3D tensor")
    (batch, _, inner), wanted = input.shape, mat2.shape
    if (batch, inner) != tuple(wanted[:2]):
        raise RuntimeError(
            f"Expected size for first two dimensions of batch2 tensor to be: {text((batch, inner))} but got: "
            f"{text(wanted[:2])}."
        )
    return new((batch, input.shape[1], wanted[2]), input)


def addmm(input: Tensor, mat1: Tensor, mat2: Tensor, **_: Any) -> Tensor:
    return mm(mat1, mat2)


def baddbmm(input: Tensor, batch1: Tensor, batch2: Tensor, **_: Any) -> Tensor:
    return bmm(batch1, batch2)


def dot(input: Tensor, other: Tensor) -> Tensor:
    if input.dim() != 1 or other.dim() != 1:
        raise RuntimeError(f"1D tensors expected, but got {input.dim()}D and {other.dim()}D tensors")
    if input.shape != other.shape:
        raise RuntimeError(
            f"inconsistent tensor size, expected tensor {text(input.shape)} and src {text(other.shape)} to have the "
            f"same number of elements, but got {input.numel()} and {other.numel()} elements respectively"
        )
    return new((), input)


def outer(input: Tensor, vec2: Tensor) -> Tensor:
    return new((*input.shape, *vec2.shape), input)


def inner(input: Tensor, other: Tensor) -> Tensor:
    return new((*input.shape[:-1], *other.shape[:-1]), input)


def kron(input: Tensor, other: Tensor) -> Tensor:
    rank = max(input.dim(), other.dim())
    a, b = ((1,) * (rank - x.dim()) + tuple(x.shape) for x in (input, other))
    return new([i * j for i, j in zip(a, b)], input)


def cross(input: Tensor, other: Tensor, dim: int | None = None) -> Tensor:
    return new(broadcast(input.shape, other.shape), input)


def tensordot(a: Tensor, b: Tensor, dims: Any = 2, out: Any = None) -> Tensor:
    if isinstance(dims, int):
        dims = (range(a.dim() - dims, a.dim()), range(dims))
    left, right = ([axis(dim, x.dim()) for dim in some] for x, some in zip((a, b), dims))
    for i, j in zip(left, right):
        if a.shape[i] != b.shape[j]:
            raise RuntimeError(
                f"contracted dimensions need to match, but first has size {a.shape[i]} in dim {i} and second has size "
                f"{b.shape[j]} in dim {j}"
            )
    kept = [size for i, size in enumerate(a.shape) if i not in left]
    return new([*kept, *(size for j, size in enumerate(b.shape) if j not in right)], a)


def linear(input: Tensor, weight: Tensor, bias: Any = None) -> Tensor:
    if input.shape[-1] != weight.shape[-1]:
        raise RuntimeError(_folded(tuple(input.shape), (weight.shape[-1], *weight.shape[:-1])))
    return new((*input.shape[:-1], *weight.shape[:-1]), input)


def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Any = None) -> Tensor:
    return new((*input1.shape[:-1], weight.shape[0]), input1)


def einsum(equation: str, *operands: Any) -> Tensor:
    tensors = list(operands[0]) if len(operands) == 1 and isinstance(operands[0], (list, tuple)) else list(operands)
    left, arrow, right = equation.replace(" ", "").partition("->")
    terms = left.split(",")
    if len(terms) != len(tensors):
        raise RuntimeError(
            f"einsum(): {'more' if len(tensors) > len(terms) else 'fewer'} operands were provided than specified in "
            "the equation"
        )
    spread: tuple[int, ...] = ()
    sizes: dict[str, int] = {}
    for number, (term, tensor) in enumerate(zip(terms, tensors)):
        named = len(term.replace("...", ""))
        if "..." not in term and named != tensor.dim():
            raise RuntimeError(
                f"einsum(): the number of subscripts in the equation ({named}) "
                f"{'does not match' if named < tensor.dim() else 'is more than'} the number of dimensions "
                f"({tensor.dim()}) for operand {number} and no ellipsis was given"
            )
        first = term.partition("...")[0]
        middle = tensor.dim() - named
        spread = broadcast(spread, tensor.shape[len(first) : len(first) + middle])
        letters = term.replace("...", "")
        others = [*tensor.shape[: len(first)], *tensor.shape[len(first) + middle :]]
        for letter, size in zip(letters, others):
            have = sizes.get(letter, 1)
            if have != size and 1 not in (have, size):
                raise RuntimeError(
                    f"einsum(): subscript {letter} has size {size} for operand {number} which does not broadcast with "
                    f"previously seen size {have}"
                )
            sizes[letter] = max(have, size) if 0 not in (have, size) else 0
    if not arrow:
        every = "".join(terms).replace(".", "")
        right = "..." + "".join(sorted(letter for letter in set(every) if every.count(letter) == 1))
    if len(terms) == 1 and sorted(right) == sorted(left) and len(set(left)) == len(left) and "." not in left:
        return tensors[0].permute([left.index(letter) for letter in right])
    first, dots, last = right.partition("...")
    middle_sizes = spread if dots else ()
    return new([*(sizes[letter] for letter in first), *middle_sizes, *(sizes[letter] for letter in last)], tensors[0])


def cdist(x1: Tensor, x2: Tensor, p: float = 2.0, compute_mode: Any = None) -> Tensor:
    if x1.shape[-1] != x2.shape[-1]:
        raise RuntimeError(f"X1 and X2 must have the same number of columns. X1: {x1.shape[-1]} X2: {x2.shape[-1]}")
    return new((*broadcast(x1.shape[:-2], x2.shape[:-2]), x1.shape[-2], x2.shape[-2]), x1)


def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    sizes = list(broadcast(x1.shape, x2.shape))
    del sizes[axis(dim, len(sizes))]
    return new(sizes, x1)


def pairwise_distance(x1: Tensor, x2: Tensor, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> Tensor:
    sizes = broadcast(x1.shape, x2.shape)
    return new((*sizes[:-1], 1) if keepdim else sizes[:-1], x1)


def scaled_dot_product_attention(query: Tensor, key: Tensor, value: Tensor, *_: Any, **__: Any) -> Tensor:
    matmul(query, key.transpose(-2, -1))
    return new((*query.shape[:-1], value.shape[-1]), query)


def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    if num_classes < 0:
        raise RuntimeError("one_hot: num_classes depends on elements that explain does not compute; give num_classes=")
    return new((*tensor.shape, num_classes), tensor, _tenstride.int64)


PRODUCTS = {
    name: globals()[name]
    for name in [
        "addmm",
        "baddbmm",
        "bmm",
        "cdist",
        "cosine_similarity",
        "cross",
        "dot",
        "einsum",
        "inner",
        "kron",
        "matmul",
        "mm",
        "mv",
        "outer",
        "tensordot",
    ]
}
PRODUCTS |= {"ger": outer, "vdot": dot, "__matmul__": matmul}
FUNCTIONAL = {
    name: globals()[name]
    for name in [
        "bilinear",
        "cosine_similarity",
        "linear",
        "one_hot",
        "pairwise_distance",
        "scaled_dot_product_attention",
    ]
}
