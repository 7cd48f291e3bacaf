# SPDX-License-Identifier: Apache-2.0
"""The rules of shapes: what PyTorch computes and tenstride does not, each with the shape of what it gives.

A rule takes tensors without elements and gives such; it raises PyTorch's errors where the shapes do not fit. There are
rules for what people's questions use; `--real` asks PyTorch about the rest.
"""

from __future__ import annotations

import math
from collections import namedtuple
from typing import Any, Callable

from .. import _tenstride
from .._tenstride import Tensor, broadcast_shapes
from ..audit.torch_names import words
from . import rules_layers
from .rule_tools import alike, floating, new, text

_SAME = words(
    "angle bernoulli ceil celu elu fix floor frac gelu hardshrink hardsigmoid hardswish hardtanh leaky_relu mish "
    "nan_to_num prelu relu relu6 rrelu round selu sgn sign silu softplus softshrink softsign tanhshrink threshold trunc"
)
_FRACTIONS = words(
    "acos acosh asin asinh atan atanh cos cosh deg2rad digamma erf erfc erfinv exp exp2 expm1 lgamma log log10 log1p "
    "log2 logit logsigmoid rad2deg reciprocal rsqrt sigmoid sin sinc sinh sqrt tan tanh"
)
_DROPOUTS = words("alpha_dropout dropout dropout1d dropout2d dropout3d feature_alpha_dropout")
_top = namedtuple("topk", "values indices")


def same(input: Tensor, *_: Any, **__: Any) -> Tensor:
    return alike(input)


def fraction(input: Tensor, *_: Any, **__: Any) -> Tensor:
    return alike(input, floating(input))


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    return alike(input) if training and p else input


def softmax(input: Tensor, dim: int | None = None, dtype: Any = None, **_: Any) -> Tensor:
    if input.dim():
        input.size(dim or 0)  # raises where there is no such axis
    if not input.is_floating_point() and dtype is None:
        name = {"int64": "Long", "int32": "Int", "bool": "Bool"}.get(str(input.dtype).rpartition(".")[2], "Int")
        raise RuntimeError(f"\"softmax_lastdim_kernel_impl\" not implemented for '{name}'")
    return new(input.shape, input, dtype)


def normalize(input: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12, out: Any = None) -> Tensor:
    input.size(dim)
    return alike(input)


def norm(input: Tensor, p: Any = 2, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Tensor:
    return input.sum(dim, keepdim, dtype=dtype or floating(input))


def deviation(input: Tensor, dim: Any = None, unbiased: Any = True, keepdim: bool = False, **_: Any) -> Tensor:
    return norm(input, None, None if isinstance(dim, bool) else dim, keepdim)


def topk(input: Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> Any:
    sizes = list(input.shape)
    if sizes and k > input.size(dim):
        raise RuntimeError("selected index k out of range")
    if sizes:
        sizes[dim] = k
    return _top(new(sizes, input), new(sizes, input, _tenstride.int64))


def multinomial(input: Tensor, num_samples: int, *_: Any, **__: Any) -> Tensor:
    return new((*input.shape[:-1], num_samples), input, _tenstride.int64)


def matmul(input: Tensor, other: Tensor) -> Tensor:
    a, b = tuple(input.shape), tuple(other.shape)
    if not a or not b:
        raise RuntimeError(f"both arguments to matmul need to be at least 1D, but they are {len(a)}D and {len(b)}D")
    _same_dtype(input, other)
    if len(a) == len(b) == 1 and a != b:
        raise RuntimeError(
            f"inconsistent tensor size, expected tensor {text(a)} and src {text(b)} to have the same number of "
            f"elements, but got {a[0]} and {b[0]} elements respectively"
        )
    rows, columns = a[-2:] if len(a) > 1 else (1, a[0]), b[-2:] if len(b) > 1 else (b[0], 1)
    if rows[1] != columns[0]:
        raise RuntimeError(_mismatch(a, b, rows, columns))
    batch = broadcast_shapes(a[:-2], b[:-2])
    return new((*batch, *(rows[:1] if len(a) > 1 else ()), *(columns[1:] if len(b) > 1 else ())), input)


def _mismatch(a: tuple[int, ...], b: tuple[int, ...], rows: tuple[int, ...], columns: tuple[int, ...]) -> str:
    if len(b) == 1 and len(a) == 2:
        return f"size mismatch, got {rows[0]}, {rows[0]}x{rows[1]},{b[0]}"
    if len(a) > 2 and len(b) > 2:
        count = math.prod(broadcast_shapes(a[:-2], b[:-2]))
        return (
            f"Expected size for first two dimensions of batch2 tensor to be: {text((count, rows[1]))} but got: "
            f"{text((count, columns[0]))}."
        )
    return _folded(a, b)


def _folded(a: tuple[int, ...], b: tuple[int, ...]) -> str:
    """Batches of one side are folded into its rows."""
    other = f"{b[-2]}x{b[-1]}" if len(b) > 1 else f"{b[0]}x1"
    return f"mat1 and mat2 shapes cannot be multiplied ({math.prod(a[:-1])}x{a[-1]} and {other})"


def _same_dtype(a: Tensor, b: Tensor) -> None:
    if a.dtype != b.dtype:
        names = {"float32": "Float", "float64": "Double", "int64": "Long", "int32": "Int", "float16": "Half"}
        said = [names.get(str(x.dtype).rpartition(".")[2], str(x.dtype)) for x in (a, b)]
        raise RuntimeError(f"expected m1 and m2 to have the same dtype, but got: {said[0]} != {said[1]}")


def mm(input: Tensor, mat2: Tensor) -> Tensor:
    for name, x in (("self", input), ("mat2", mat2)):
        if x.dim() != 2:
            raise RuntimeError(f"{name} must be a matrix")
    return matmul(input, mat2)


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


def linear(input: Tensor, weight: Tensor, bias: Any = None) -> Tensor:
    a, b = tuple(input.shape), tuple(weight.shape)
    if a[-1] != b[-1]:
        raise RuntimeError(_folded(a, (b[-1], *b[:-1])))
    return new((*a[:-1], *b[:-1]), input)


def scaled_dot_product_attention(query: Tensor, key: Tensor, value: Tensor, *_: Any, **__: Any) -> Tensor:
    matmul(query, key.transpose(-2, -1))
    return new((*query.shape[:-1], value.shape[-1]), query)


def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    return norm(new(broadcast_shapes(x1.shape, x2.shape), x1), None, dim)


def einsum(equation: str, *operands: Any) -> Tensor:
    tensors = list(operands[0]) if isinstance(operands[0], (list, tuple)) else list(operands)
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
        first, dots, last = term.partition("...")
        named = len(first + last)
        if not dots and named != tensor.dim():
            raise RuntimeError(
                f"einsum(): the number of subscripts in the equation ({named}) "
                f"{'does not match' if named < tensor.dim() else 'is more than'} the number of dimensions "
                f"({tensor.dim()}) for operand {number} and no ellipsis was given"
            )
        end = tensor.dim() - len(last)
        spread = broadcast_shapes(spread, tensor.shape[len(first) : end])
        for letter, size in zip(first + last, [*tensor.shape[: len(first)], *tensor.shape[end:]]):
            have = sizes.get(letter, 1)
            if have != size and 1 not in (have, size):
                raise RuntimeError(
                    f"einsum(): subscript {letter} has size {size} for operand {number} which does not broadcast with "
                    f"previously seen size {have}"
                )
            sizes[letter] = size if have == 1 else have
    if not arrow:
        every = "".join(terms).replace(".", "")
        right = "..." + "".join(sorted(letter for letter in set(every) if every.count(letter) == 1))
    if len(terms) == 1 and sorted(right) == sorted(left) and len(set(left)) == len(left) and "." not in left:
        return tensors[0].permute([left.index(letter) for letter in right])
    first, dots, last = right.partition("...")
    return new([*map(sizes.__getitem__, first), *(spread if dots else ()), *map(sizes.__getitem__, last)], tensors[0])


METHODS: dict[str, Callable[..., Any]] = {
    **dict.fromkeys(_SAME, same),
    **dict.fromkeys(_FRACTIONS, fraction),
    **dict.fromkeys(("softmax", "log_softmax", "softmin"), softmax),
    **dict.fromkeys(("std", "var"), deviation),
    **{rule.__name__: rule for rule in (bmm, cosine_similarity, einsum, matmul, mm, multinomial, norm, topk)},
}
"""Those that are methods of a tensor, and functions of `torch` too."""

FUNCTIONAL: dict[str, Callable[..., Any]] = {
    **METHODS,
    **rules_layers.FUNCTIONAL,
    **dict.fromkeys(_DROPOUTS, dropout),
    **{rule.__name__: rule for rule in (linear, normalize, scaled_dot_product_attention)},
    "gumbel_softmax": softmax,
}
"""What `torch.nn.functional` has; `torch` itself has many of them, too."""
