// SPDX-License-Identifier: Apache-2.0
#include "documentation.hpp"

/// Arithmetic, element by element.
namespace tenstride::python {
namespace {

// Sorted by name.
constexpr OperationText arithmetic_texts[] = {
    {"abs", R"(The elements without their sign; of complex elements their distance from 0, as a real type.

>>> torch.tensor([-1.5, 2.0]).abs(), torch.tensor([3 + 4j]).abs()
(tensor([1.5000, 2.0000]), tensor([5.]))
)"},
    {"absolute", R"(Another name of `abs`.

>>> torch.tensor([-1, 2]).absolute()
tensor([1, 2])
)"},
    {"add",
     R"(The sum with a tensor or a number, `other` taken `alpha` times; sizes broadcast, types promote, the
layout follows the operands'. A function also takes a number first: `torch.add(1, x)`.

Raises RuntimeError where the sizes do not broadcast.

>>> torch.arange(3).add(torch.ones(3), alpha=2)
tensor([2., 3., 4.])
)"},
    {"bitwise_and",
     R"(The bits that both have; of bool, whether both hold. Raises RuntimeError for other than integers and
bool.

>>> torch.tensor([6, 5]).bitwise_and(3)
tensor([2, 1])
)"},
    {"bitwise_not",
     R"(The other bits; of bool, the opposite. Raises RuntimeError for other than integers and bool.

>>> torch.tensor([0, 5]).bitwise_not()
tensor([-1, -6])
)"},
    {"bitwise_or",
     R"(The bits that one of them has; of bool, whether one holds. Raises RuntimeError for other than
integers and bool.

>>> torch.tensor([6, 5]).bitwise_or(3)
tensor([7, 7])
)"},
    {"bitwise_xor",
     R"(The bits that exactly one has; of bool, whether they differ. Raises RuntimeError for other than
integers and bool.

>>> torch.tensor([6, 5]).bitwise_xor(3)
tensor([5, 6])
)"},
    {"clamp",
     R"(The elements moved into the range from `min` to `max`, tensors or numbers; one may be left out.
Raises RuntimeError where both are.

>>> torch.arange(5).clamp(1, 3)
tensor([1, 1, 2, 3, 3])
)"},
    {"clamp_max",
     R"(The elements, none above `max`, a tensor or a number: `clamp` without a minimum.

>>> torch.arange(4).clamp_max(2)
tensor([0, 1, 2, 2])
)"},
    {"clamp_min",
     R"(The elements, none below `min`, a tensor or a number: `clamp` without a maximum.

>>> torch.arange(4).clamp_min(2)
tensor([2, 2, 2, 3])
)"},
    {"clip", R"(Another name of `clamp`.

>>> torch.arange(5).clip(max=2)
tensor([0, 1, 2, 2, 2])
)"},
    {"complex",
     R"(Complex numbers of real and imaginary parts, which broadcast. Raises RuntimeError where they are not both float16,
float32 or float64.

>>> torch.complex(torch.tensor([1.0, 2.0]), torch.tensor(3.0))
tensor([1.+3.j, 2.+3.j])
)"},
    {"div",
     R"(The quotient, of integers in the default type; `rounding_mode` 'floor' or 'trunc' rounds it and keeps
integers. Raises RuntimeError for another mode, and where an integer is divided by zero in one of
them.

>>> torch.tensor([7, -7]).div(2), torch.tensor([7, -7]).div(2, rounding_mode="trunc")
(tensor([ 3.5000, -3.5000]), tensor([ 3, -3]))
)"},
    {"divide", R"(Another name of `div`.

>>> torch.arange(3).divide(2)
tensor([0.0000, 0.5000, 1.0000])
)"},
    {"floor_divide",
     R"(The quotient rounded down; integers stay integers. Raises RuntimeError where an integer is divided
by zero.

>>> torch.tensor([7, -7]).floor_divide(2)
tensor([ 3, -4])
)"},
    {"isfinite", R"(Where the elements are neither infinite nor NaN, as bool.

>>> torch.tensor([1.0, float("inf")]).isfinite()
tensor([ True, False])
)"},
    {"isinf", R"(Where the elements are infinite, as bool.

>>> torch.tensor([1.0, float("-inf")]).isinf()
tensor([False,  True])
)"},
    {"isnan", R"(Where the elements are NaN, as bool.

>>> torch.tensor([1.0, float("nan")]).isnan()
tensor([False,  True])
)"},
    {"logical_and", R"(Whether both are not zero, as bool.

>>> torch.tensor([0, 2]).logical_and(torch.tensor([1, 1]))
tensor([False,  True])
)"},
    {"logical_not", R"(Whether the element is zero, as bool.

>>> torch.tensor([0, 2]).logical_not()
tensor([ True, False])
)"},
    {"logical_or", R"(Whether one is not zero, as bool.

>>> torch.tensor([0, 2]).logical_or(torch.tensor([0, 0]))
tensor([False,  True])
)"},
    {"logical_xor", R"(Whether exactly one is not zero, as bool.

>>> torch.tensor([0, 2]).logical_xor(torch.tensor([1, 1]))
tensor([ True, False])
)"},
    {"maximum", R"(The larger of two elements, NaN where one of them is; sizes and types as for `add`. Raises
RuntimeError for complex types.

>>> torch.arange(3).maximum(torch.ones(3, dtype=torch.int64))
tensor([1, 1, 2])
)"},
    {"minimum", R"(The smaller of two elements, NaN where one of them is; sizes and types as for `add`. Raises
RuntimeError for complex types.

>>> torch.arange(3).minimum(torch.ones(3, dtype=torch.int64))
tensor([0, 1, 1])
)"},
    {"mul", R"(The product with a tensor or a number; sizes and types as for `add`.

>>> torch.arange(3).mul(2)
tensor([0, 2, 4])
)"},
    {"multiply", R"(Another name of `mul`.

>>> torch.arange(3).multiply(torch.arange(3))
tensor([0, 1, 4])
)"},
    {"neg", R"(The elements with the other sign. Raises RuntimeError for bool.

>>> torch.arange(3).neg()
tensor([ 0, -1, -2])
)"},
    {"negative", R"(Another name of `neg`.

>>> torch.arange(3).negative()
tensor([ 0, -1, -2])
)"},
    {"positive", R"(The very same tensor. Raises RuntimeError for bool.

>>> x = torch.arange(3)
>>> x.positive() is x
True
)"},
    {"pow",
     R"(The elements to the power of a tensor's or a number; the base may be the number. Raises RuntimeError
where integers would be raised to a negative number.

>>> torch.arange(4).pow(2), torch.pow(2, torch.arange(4))
(tensor([0, 1, 4, 9]), tensor([1, 2, 4, 8]))
)"},
    {"remainder",
     R"(What `floor_divide` leaves: it has the divisor's sign. Raises RuntimeError where an integer is
divided by zero.

>>> torch.tensor([7, -7]).remainder(3)
tensor([1, 2])
)"},
    {"square", R"(The elements times themselves; bools as int64.

>>> torch.tensor([-2, 3]).square()
tensor([4, 9])
)"},
    {"sub",
     R"(The difference to a tensor or a number, `other` taken `alpha` times; sizes and types as for `add`.
Raises RuntimeError for bool.

>>> torch.arange(3).sub(1)
tensor([-1,  0,  1])
)"},
    {"subtract", R"(Another name of `sub`.

>>> torch.arange(3).subtract(1)
tensor([-1,  0,  1])
)"},
    {"true_divide", R"(The quotient, of integers in the default type: `div` without rounding.

>>> torch.arange(3).true_divide(4)
tensor([0.0000, 0.2500, 0.5000])
)"},
    {"where",
     R"(The elements of one tensor (or number) where the condition holds, of the other elsewhere; all three
broadcast.

As a method `x.where(condition, other)`. The condition alone gives its positions, as
`nonzero(condition, as_tuple=True)` does. Raises RuntimeError where the condition is not bool or the sizes
do not broadcast.

>>> x = torch.arange(-1, 2)
>>> torch.where(x > 0, x, 0)
tensor([0, 0, 1])
)"},
};
static_assert(is_sorted(arithmetic_texts));

}  // namespace

std::span<const OperationText> texts_of_arithmetic() {
  return arithmetic_texts;
}

}  // namespace tenstride::python
