# SPDX-License-Identifier: Apache-2.0
"""Shapes of what is computed element by element, along an axis, or picked and sorted."""

from __future__ import annotations

import builtins
from collections import namedtuple
from typing import Any, Callable

from .. import _tenstride
from .._tenstride import Tensor
from .rule_tools import alike, axis, broadcast, floating, new, reduced, text

_FRACTIONS = [
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atanh",
    "cos",
    "cosh",
    "deg2rad",
    "digamma",
    "erf",
    "erfc",
    "erfinv",
    "exp",
    "exp2",
    "expm1",
    "lgamma",
    "log",
    "log10",
    "log1p",
    "log2",
    "logit",
    "logsigmoid",
    "rad2deg",
    "reciprocal",
    "rsqrt",
    "sigmoid",
    "sin",
    "sinc",
    "sinh",
    "sqrt",
    "tan",
    "tanh",
]
_SAME = [
    "angle",
    "bernoulli",
    "ceil",
    "celu",
    "elu",
    "fix",
    "floor",
    "frac",
    "gelu",
    "hardshrink",
    "hardsigmoid",
    "hardswish",
    "hardtanh",
    "leaky_relu",
    "mish",
    "nan_to_num",
    "prelu",
    "relu",
    "relu6",
    "rrelu",
    "round",
    "selu",
    "sgn",
    "sign",
    "silu",
    "softplus",
    "softshrink",
    "softsign",
    "tanhshrink",
    "threshold",
    "trunc",
]
_TESTS = ["isneginf", "isposinf", "signbit"]
_PAIRS = [
    "atan2",
    "copysign",
    "fmax",
    "fmin",
    "fmod",
    "heaviside",
    "hypot",
    "lerp",
    "logaddexp",
    "nextafter",
    "polar",
    "xlogy",
]

topk_result = namedtuple("topk", "values indices")
sort_result = namedtuple("sort", "values indices")
svd_result = namedtuple("svd", "U S V")
qr_result = namedtuple("qr", "Q R")
eigh_result = namedtuple("eigh", "eigenvalues eigenvectors")


def _fraction(input: Tensor, *_: Any, **__: Any) -> Tensor:
    return alike(input, floating(input))


def _same(input: Tensor, *_: Any, **__: Any) -> Tensor:
    return alike(input)


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    return alike(input) if training and p else input


def _test(input: Tensor) -> Tensor:
    return alike(input, _tenstride.bool)


def _pair(input: Tensor, other: Any, *_: Any, **__: Any) -> Tensor:
    if not isinstance(other, Tensor) or other.shape == input.shape:
        return alike(input)
    return new(broadcast(input.shape, other.shape), input)


def addcmul(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: float = 1) -> Tensor:
    return new(broadcast(input.shape, tensor1.shape, tensor2.shape), input)


def softmax(input: Tensor, dim: int | None = None, dtype: Any = None, **_: Any) -> Tensor:
    axis(0 if dim is None else dim, input.dim())
    if not input.is_floating_point() and dtype is None:
        name = {"int64": "Long", "int32": "Int", "bool": "Bool"}.get(str(input.dtype).rpartition(".")[2], "Int")
        raise RuntimeError(f"\"softmax_lastdim_kernel_impl\" not implemented for '{name}'")
    return new(input.shape, input, dtype)


def normalize(input: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12, out: Any = None) -> Tensor:
    axis(dim, input.dim())
    return alike(input)


def glu(input: Tensor, dim: int = -1) -> Tensor:
    dim = axis(dim, input.dim())
    if input.shape[dim] % 2:
        raise RuntimeError(f"Halving dimension must be even, but dimension {dim} is size {input.shape[dim]}")
    sizes = list(input.shape)
    sizes[dim] //= 2
    return new(sizes, input)


def cumulative(input: Tensor, dim: int, dtype: Any = None, **_: Any) -> Tensor:
    axis(dim, input.dim())
    return new(input.shape, input, dtype or (input.dtype if input.is_floating_point() else _tenstride.int64))


def cumulative_pair(input: Tensor, dim: int) -> Any:
    axis(dim, input.dim())
    return sort_result(new(input.shape, input), new(input.shape, input, _tenstride.int64))


def deviation(input: Tensor, dim: Any = None, unbiased: Any = True, keepdim: bool = False, **_: Any) -> Tensor:
    if isinstance(dim, builtins.bool):
        dim = None
    return reduced(input, dim, keepdim, floating(input))


def deviation_and_mean(input: Tensor, dim: Any = None, *_: Any, keepdim: bool = False, **__: Any) -> Any:
    return deviation(input, dim, keepdim=keepdim), deviation(input, dim, keepdim=keepdim)


def norm(input: Tensor, p: Any = 2, dim: Any = None, keepdim: bool = False, dtype: Any = None, **_: Any) -> Tensor:
    return reduced(input, dim, keepdim, dtype or floating(input))


def linalg_norm(input: Tensor, ord: Any = None, dim: Any = None, keepdim: bool = False, **_: Any) -> Tensor:
    return norm(input, ord, dim, keepdim)


def logsumexp(input: Tensor, dim: Any, keepdim: bool = False) -> Tensor:
    return reduced(input, dim, keepdim, floating(input))


def count_nonzero(input: Tensor, dim: Any = None) -> Tensor:
    return reduced(input, dim, False, _tenstride.int64)


def median(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Any:
    if dim is None:
        return new((), input)
    return sort_result(reduced(input, dim, keepdim), reduced(input, dim, keepdim, _tenstride.int64))


def mode(input: Tensor, dim: int = -1, keepdim: bool = False) -> Any:
    return median(input, dim, keepdim)


def kthvalue(input: Tensor, k: int, dim: int = -1, keepdim: bool = False) -> Any:
    return median(input, dim, keepdim)


def sort(input: Tensor, dim: int = -1, descending: bool = False, stable: Any = None) -> Any:
    axis(dim, input.dim())
    return sort_result(alike(input), alike(input, _tenstride.int64))


def argsort(input: Tensor, dim: int = -1, descending: bool = False, stable: Any = None) -> Tensor:
    return sort(input, dim).indices


def topk(input: Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> Any:
    dim = axis(dim, input.dim())
    sizes = list(input.shape)
    if sizes and k > sizes[dim]:
        raise RuntimeError("selected index k out of range")
    if sizes:
        sizes[dim] = k
    return topk_result(new(sizes, input), new(sizes, input, _tenstride.int64))


def multinomial(input: Tensor, num_samples: int, *_: Any, **__: Any) -> Tensor:
    return new((*input.shape[:-1], num_samples), input, _tenstride.int64)


def searchsorted(sorted_sequence: Tensor, input: Tensor, **_: Any) -> Tensor:
    return new(input.shape, input, _tenstride.int64)


def diff(input: Tensor, n: int = 1, dim: int = -1) -> Tensor:
    sizes = list(input.shape)
    dim = axis(dim, input.dim())
    sizes[dim] = max(sizes[dim] - n, 0)
    return new(sizes, input)


def inverse(input: Tensor) -> Tensor:
    if input.dim() < 2 or input.shape[-1] != input.shape[-2]:
        raise RuntimeError(f"linalg.inv: A must be batches of square matrices, but they are {text(input.shape[-2:])}")
    return new(input.shape, input)


def determinant(input: Tensor) -> Tensor:
    return new(input.shape[:-2], input)


def svd(input: Tensor, some: bool = True, compute_uv: bool = True) -> Any:
    *batch, rows, columns = input.shape
    count = min(rows, columns)
    left, right = (count, count) if some else (rows, columns)
    parts = ((*batch, rows, left), (*batch, count), (*batch, columns, right))
    return svd_result(*(new(sizes, input) for sizes in parts))


def linalg_svd(input: Tensor, full_matrices: bool = True) -> Any:
    u, s, v = svd(input, not full_matrices)
    return svd_result(u, s, new((*v.shape[:-2], v.shape[-1], v.shape[-2]), input))


def qr(input: Tensor, mode: str = "reduced") -> Any:
    *batch, rows, columns = input.shape
    inner = rows if mode == "complete" else min(rows, columns)
    return qr_result(new((*batch, rows, inner), input), new((*batch, inner, columns), input))


def eigh(input: Tensor, UPLO: str = "L") -> Any:
    return eigh_result(new(input.shape[:-1], input), new(input.shape, input))


def solve(input: Tensor, B: Tensor) -> Tensor:
    return new(B.shape, B)


ELEMENTS: dict[str, Callable[..., Any]] = {
    **dict.fromkeys(_FRACTIONS, _fraction),
    **dict.fromkeys(_SAME, _same),
    **dict.fromkeys(_TESTS, _test),
    **dict.fromkeys(_PAIRS, _pair),
    **dict.fromkeys(("addcmul", "addcdiv"), addcmul),
    **dict.fromkeys(("softmax", "log_softmax", "softmin"), softmax),
    **dict.fromkeys(("cumsum", "cumprod", "logcumsumexp"), cumulative),
    **dict.fromkeys(("cummax", "cummin"), cumulative_pair),
    **dict.fromkeys(("std", "var"), deviation),
    **dict.fromkeys(("std_mean", "var_mean"), deviation_and_mean),
    **dict.fromkeys(("logsumexp", "nansum"), logsumexp),
    **dict.fromkeys(("median", "nanmedian"), median),
    **dict.fromkeys(("inverse", "pinverse"), inverse),
    **dict.fromkeys(("det", "logdet"), determinant),
    "absolute": _same,
    "argsort": argsort,
    "count_nonzero": count_nonzero,
    "diff": diff,
    "glu": glu,
    "kthvalue": kthvalue,
    "mode": mode,
    "msort": lambda input: sort(input, 0).values,
    "multinomial": multinomial,
    "norm": norm,
    "searchsorted": searchsorted,
    "sort": sort,
    "svd": svd,
    "topk": topk,
}
DROPOUTS = ("alpha_dropout", "dropout", "dropout1d", "dropout2d", "dropout3d", "feature_alpha_dropout")
FUNCTIONAL = {**dict.fromkeys(DROPOUTS, dropout), "normalize": normalize, "gumbel_softmax": softmax}
