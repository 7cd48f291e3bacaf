# SPDX-License-Identifier: Apache-2.0
# mypy: disable-error-code="no-any-return"
"""Element by element: arrays broadcast, their types meet by the standard's table.

Where two arrays of two types meet, the one that changes is converted first, so that the types are the
standard's: those of the operators on tensors are PyTorch's, to which an array of rank 0 counts less.
"""

from __future__ import annotations

from typing import Any, Union

from .. import _tenstride
from .._tenstride import Tensor
from ._data_types import COMPLEX, KINDS, REAL, checked, promoted, with_number

Operand = Union[Tensor, complex]


def _pair(operation: str, x1: Operand, x2: Operand, category: str | None = None) -> tuple[Any, Any]:
    """Both with elements of one type; one of them may be a Python number."""
    if isinstance(x1, Tensor) and isinstance(x2, Tensor):
        dtype = promoted(checked(operation, x1, category).dtype, checked(operation, x2, category).dtype)
        return (
            x1 if x1.dtype is dtype else x1.to(dtype),
            x2 if x2.dtype is dtype else x2.to(dtype),
        )
    if isinstance(x1, Tensor):
        dtype = with_number(checked(operation, x1, category).dtype, x2)
        return (x1 if x1.dtype is dtype else x1.to(dtype)), x2
    if isinstance(x2, Tensor):
        dtype = with_number(checked(operation, x2, category).dtype, x1)
        return x1, (x2 if x2.dtype is dtype else x2.to(dtype))
    raise TypeError(f"{operation}: one of the two must be an array")


def _arrays(operation: str, x1: Operand, x2: Operand, category: str | None = None) -> tuple[Tensor, Tensor]:
    """The same, a number as an array of rank 0."""
    a, b = _pair(operation, x1, x2, category)
    if not isinstance(a, Tensor):
        a = _tenstride.full((), a, dtype=b.dtype, device=b.device)
    if not isinstance(b, Tensor):
        b = _tenstride.full((), b, dtype=a.dtype, device=a.device)
    return a, b


def abs(x: Tensor, /) -> Tensor:
    """The absolute values; of complex numbers real ones.

    >>> xp.abs(xp.asarray([-1, 2]))
    tensor([1, 2])
    """
    return checked("abs", x, "numeric").abs()


def add(x1: Operand, x2: Operand, /) -> Tensor:
    """The sums.

    >>> xp.add(xp.arange(3), 1)
    tensor([1, 2, 3])
    """
    a, b = _pair("add", x1, x2, "numeric")
    return a + b


def bitwise_and(x1: Operand, x2: Operand, /) -> Tensor:
    """The bits that both have.

    >>> xp.bitwise_and(xp.asarray([5, 6]), 3)
    tensor([1, 2])
    """
    a, b = _pair("bitwise_and", x1, x2, "integer or boolean")
    return a & b


def bitwise_invert(x: Tensor, /) -> Tensor:
    """All bits inverted; of bools whether they are false.

    >>> xp.bitwise_invert(xp.asarray([0, 5]))
    tensor([-1, -6])
    """
    return ~checked("bitwise_invert", x, "integer or boolean")


def bitwise_or(x1: Operand, x2: Operand, /) -> Tensor:
    """The bits that either has.

    >>> xp.bitwise_or(xp.asarray([5, 6]), 1)
    tensor([5, 7])
    """
    a, b = _pair("bitwise_or", x1, x2, "integer or boolean")
    return a | b


def bitwise_xor(x1: Operand, x2: Operand, /) -> Tensor:
    """The bits that one of both has.

    >>> xp.bitwise_xor(xp.asarray([5, 6]), 1)
    tensor([4, 7])
    """
    a, b = _pair("bitwise_xor", x1, x2, "integer or boolean")
    return a ^ b


def clip(x: Tensor, /, min: Operand | None = None, max: Operand | None = None) -> Tensor:
    """The elements brought between the bounds, which may be numbers or arrays; the type stays.

    >>> xp.clip(xp.arange(5), 1, 3)
    tensor([1, 1, 2, 3, 3])
    """
    checked("clip", x, "real numeric")
    if min is None and max is None:
        return x.clone()
    result = x
    if min is not None:
        result = _tenstride.maximum(result, _bound(x, min))
    if max is not None:
        result = _tenstride.minimum(result, _bound(x, max))
    return result


def _bound(x: Tensor, bound: Operand) -> Tensor:
    if isinstance(bound, Tensor):
        promoted(checked("clip", bound, "real numeric").dtype, x.dtype)
        return bound if bound.dtype is x.dtype else bound.to(x.dtype)
    with_number(x.dtype, bound)
    return _tenstride.full((), bound, dtype=x.dtype, device=x.device)


def conj(x: Tensor, /) -> Tensor:
    """The conjugates, as a view that says so; real numbers are given back.

    >>> xp.conj(xp.asarray([1 + 2j])).tolist()
    [(1-2j)]
    """
    return checked("conj", x, "numeric").conj()


def divide(x1: Operand, x2: Operand, /) -> Tensor:
    """The quotients; of integers in float32.

    >>> xp.divide(xp.asarray([1.0, 2.0]), 2)
    tensor([0.5000, 1.0000])
    """
    a, b = _pair("divide", x1, x2, "numeric")
    return a / b


def equal(x1: Operand, x2: Operand, /) -> Tensor:
    """Whether elements are equal.

    >>> xp.equal(xp.arange(3), 1)
    tensor([False,  True, False])
    """
    a, b = _pair("equal", x1, x2)
    return a == b


def floor_divide(x1: Operand, x2: Operand, /) -> Tensor:
    """The quotients rounded down.

    >>> xp.floor_divide(xp.asarray([-7, 7]), 2)
    tensor([-4,  3])
    """
    a, b = _arrays("floor_divide", x1, x2, "real numeric")
    result = a // b
    if result.dtype not in REAL:
        return result
    # Where one of both is infinite PyTorch and Python give NaN and -1, the standard the quotient itself.
    return _tenstride.where(a.isinf() ^ b.isinf(), a / b, result)


def greater(x1: Operand, x2: Operand, /) -> Tensor:
    """Whether the first is greater.

    >>> xp.greater(xp.arange(3), 1)
    tensor([False, False,  True])
    """
    a, b = _pair("greater", x1, x2, "real numeric")
    return a > b


def greater_equal(x1: Operand, x2: Operand, /) -> Tensor:
    """Whether the first is not less.

    >>> xp.greater_equal(xp.arange(3), 1)
    tensor([False,  True,  True])
    """
    a, b = _pair("greater_equal", x1, x2, "real numeric")
    return a >= b


def imag(x: Tensor, /) -> Tensor:
    """A view of the imaginary parts.

    >>> xp.imag(xp.asarray([1 + 2j]))
    tensor([2.])
    """
    return checked("imag", x, "complex floating").imag


def isfinite(x: Tensor, /) -> Tensor:
    """Whether elements are neither infinite nor NaN.

    >>> xp.isfinite(xp.asarray([1.0, xp.inf]))
    tensor([ True, False])
    """
    return checked("isfinite", x, "numeric").isfinite()


def isinf(x: Tensor, /) -> Tensor:
    """Whether elements are infinite.

    >>> xp.isinf(xp.asarray([1.0, xp.inf]))
    tensor([False,  True])
    """
    return checked("isinf", x, "numeric").isinf()


def isnan(x: Tensor, /) -> Tensor:
    """Whether elements are NaN.

    >>> xp.isnan(xp.asarray([1.0, xp.nan]))
    tensor([False,  True])
    """
    return checked("isnan", x, "numeric").isnan()


def less(x1: Operand, x2: Operand, /) -> Tensor:
    """Whether the first is less.

    >>> xp.less(xp.arange(3), 1)
    tensor([ True, False, False])
    """
    a, b = _pair("less", x1, x2, "real numeric")
    return a < b


def less_equal(x1: Operand, x2: Operand, /) -> Tensor:
    """Whether the first is not greater.

    >>> xp.less_equal(xp.arange(3), 1)
    tensor([ True,  True, False])
    """
    a, b = _pair("less_equal", x1, x2, "real numeric")
    return a <= b


def logical_and(x1: Operand, x2: Operand, /) -> Tensor:
    """Whether both are true.

    >>> xp.logical_and(xp.asarray([True, False]), True)
    tensor([ True, False])
    """
    return _tenstride.logical_and(*_arrays("logical_and", x1, x2, "bool"))


def logical_not(x: Tensor, /) -> Tensor:
    """Whether elements are false.

    >>> xp.logical_not(xp.asarray([True, False]))
    tensor([False,  True])
    """
    return checked("logical_not", x, "bool").logical_not()


def logical_or(x1: Operand, x2: Operand, /) -> Tensor:
    """Whether either is true.

    >>> xp.logical_or(xp.asarray([True, False]), False)
    tensor([ True, False])
    """
    return _tenstride.logical_or(*_arrays("logical_or", x1, x2, "bool"))


def logical_xor(x1: Operand, x2: Operand, /) -> Tensor:
    """Whether one of both is true.

    >>> xp.logical_xor(xp.asarray([True, False]), True)
    tensor([False,  True])
    """
    return _tenstride.logical_xor(*_arrays("logical_xor", x1, x2, "bool"))


def maximum(x1: Operand, x2: Operand, /) -> Tensor:
    """The larger of both; NaN where either is.

    >>> xp.maximum(xp.arange(3), 1)
    tensor([1, 1, 2])
    """
    return _tenstride.maximum(*_arrays("maximum", x1, x2, "real numeric"))


def minimum(x1: Operand, x2: Operand, /) -> Tensor:
    """The smaller of both; NaN where either is.

    >>> xp.minimum(xp.arange(3), 1)
    tensor([0, 1, 1])
    """
    return _tenstride.minimum(*_arrays("minimum", x1, x2, "real numeric"))


def multiply(x1: Operand, x2: Operand, /) -> Tensor:
    """The products.

    >>> xp.multiply(xp.arange(3), 2)
    tensor([0, 2, 4])
    """
    a, b = _pair("multiply", x1, x2, "numeric")
    return a * b


def negative(x: Tensor, /) -> Tensor:
    """The elements with the other sign.

    >>> xp.negative(xp.asarray([1, -2]))
    tensor([-1,  2])
    """
    return -checked("negative", x, "numeric")


def not_equal(x1: Operand, x2: Operand, /) -> Tensor:
    """Whether elements are not equal.

    >>> xp.not_equal(xp.arange(3), 1)
    tensor([ True, False,  True])
    """
    a, b = _pair("not_equal", x1, x2)
    return a != b


def positive(x: Tensor, /) -> Tensor:
    """A copy.

    >>> xp.positive(xp.asarray([1, -2]))
    tensor([ 1, -2])
    """
    return checked("positive", x, "numeric").clone()


def pow(x1: Operand, x2: Operand, /) -> Tensor:
    """The first to the power of the second.

    >>> xp.pow(xp.arange(3), 2)
    tensor([0, 1, 4])
    """
    a, b = _pair("pow", x1, x2, "numeric")
    return a**b


def real(x: Tensor, /) -> Tensor:
    """A view of the real parts; real numbers are given back.

    >>> xp.real(xp.asarray([1 + 2j]))
    tensor([1.])
    """
    return checked("real", x, "numeric").real


def reciprocal(x: Tensor, /) -> Tensor:
    """1 over the elements.

    >>> xp.reciprocal(xp.asarray([2.0]))
    tensor([0.5000])
    """
    return 1 / checked("reciprocal", x, "floating-point")


def remainder(x1: Operand, x2: Operand, /) -> Tensor:
    """What `floor_divide` leaves; it has the sign of the second.

    >>> xp.remainder(xp.asarray([-7, 7]), 3)
    tensor([2, 1])
    """
    a, b = _arrays("remainder", x1, x2, "real numeric")
    result = a % b
    if result.dtype not in REAL:
        return result
    # PyTorch gives a zero the sign of the first; the standard wants that of the second here too.
    zero = _tenstride.full((), 0.0, dtype=result.dtype, device=result.device)
    return _tenstride.where(result == 0, _tenstride.where(b < 0, -zero, zero), result)


def sign(x: Tensor, /) -> Tensor:
    """-1, 0 or 1, NaN of NaN; of a complex number its direction, with absolute value 1.

    >>> xp.sign(xp.asarray([-3, 0, 2]))
    tensor([-1,  0,  1])
    """
    checked("sign", x, "numeric")
    zero = _tenstride.full((), 0, dtype=x.dtype, device=x.device)
    if x.dtype in COMPLEX:
        return _tenstride.where(x == 0, zero, x / x.abs())
    signs = (x > 0).to(x.dtype)
    if x.dtype not in KINDS["unsigned integer"]:
        signs = signs - (x < 0).to(x.dtype)
    return _tenstride.where(x.isnan(), x, signs) if x.dtype in REAL else signs


def signbit(x: Tensor, /) -> Tensor:
    """Whether the bit of the sign is set: of -0.0 too, and of NaN where it is.

    >>> xp.signbit(xp.asarray([-0.0, 0.0]))
    tensor([ True, False])
    """
    checked("signbit", x, "real floating")
    return x.view(_tenstride.int32 if x.dtype is _tenstride.float32 else _tenstride.int64) < 0


def square(x: Tensor, /) -> Tensor:
    """The elements times themselves.

    >>> xp.square(xp.arange(3))
    tensor([0, 1, 4])
    """
    return checked("square", x, "numeric") * x


def subtract(x1: Operand, x2: Operand, /) -> Tensor:
    """The differences.

    >>> xp.subtract(xp.arange(3), 1)
    tensor([-1,  0,  1])
    """
    a, b = _pair("subtract", x1, x2, "numeric")
    return a - b


def where(condition: Tensor, x1: Operand, x2: Operand, /) -> Tensor:
    """The first where the condition holds, else the second.

    >>> xp.where(xp.asarray([True, False]), xp.asarray([1, 2]), 0)
    tensor([1, 0])
    """
    checked("where", condition, "bool")
    a, b = _arrays("where", x1, x2)
    return _tenstride.where(condition, a, b)
