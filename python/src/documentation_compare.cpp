// SPDX-License-Identifier: Apache-2.0
#include "documentation.hpp"

/// Comparisons and reductions.
namespace tenstride::python {
namespace {

// Sorted by name.
constexpr OperationText compare_texts[] = {
    {"all",
     R"(Whether all elements are not zero, of the whole or along `dim`; `keepdim` leaves the axis with size
1. True where there is none.

>>> torch.tensor([[1, 0], [1, 1]]).all(0)
tensor([ True, False])
)"},
    {"amax",
     R"(The largest element of all or along `dim`, one axis or several; NaN where one is. Raises RuntimeError
where there is no element (IndexError along `dim`), and for complex types.

>>> torch.arange(6).view(2, 3).amax((0, 1))
tensor(5)
)"},
    {"amin",
     R"(The smallest element of all or along `dim`, one axis or several; NaN where one is. Raises RuntimeError
where there is no element (IndexError along `dim`), and for complex types.

>>> torch.arange(6).view(2, 3).amin(0)
tensor([0, 1, 2])
)"},
    {"any",
     R"(Whether an element is not zero, of the whole or along `dim`; `keepdim` leaves the axis with size 1.
False where there is none.

>>> torch.tensor([0, 2]).any()
tensor(True)
)"},
    {"argmax", R"(Where the largest element stands: its index in the flattened tensor, or along `dim`. Raises
IndexError where there is no element.

>>> torch.tensor([[1, 5], [7, 2]]).argmax(), torch.tensor([[1, 5], [7, 2]]).argmax(dim=1)
(tensor(2), tensor([1, 0]))
)"},
    {"argmin", R"(Where the smallest element stands: its index in the flattened tensor, or along `dim`. Raises
IndexError where there is no element.

>>> torch.tensor([3, 1, 2]).argmin()
tensor(1)
)"},
    {"count_nonzero",
     R"(How many elements are not 0: of all, or along the axes `dim`.

>>> torch.tensor([[0, 3], [5, 7]]).count_nonzero(), torch.tensor([[0, 3], [5, 7]]).count_nonzero(0)
(tensor(3), tensor([1, 2]))
)"},
    {"eq", R"(Where the elements equal those of a tensor or a number, as bool; sizes broadcast. Raises
RuntimeError where they do not.

>>> torch.arange(3).eq(1)
tensor([False,  True, False])
)"},
    {"ge",
     R"(Where the elements are greater or equal, as bool; sizes as for `eq`. Raises RuntimeError for complex
types.

>>> torch.arange(3).ge(1)
tensor([False,  True,  True])
)"},
    {"gt", R"(Where the elements are greater than those of a tensor or a number, as bool; sizes as for `eq`.
Raises RuntimeError for complex types.

>>> torch.arange(3).gt(1)
tensor([False, False,  True])
)"},
    {"isclose",
     R"(Where the two are close: |a - b| <= atol + rtol * |b|, or equal; with `equal_nan` also where both are NaN. An
infinity is close to itself alone. Raises RuntimeError where the types differ.

>>> torch.isclose(torch.tensor([1.0, 2.0]), torch.tensor([1.000001, 2.1]))
tensor([ True, False])
)"},
    {"le",
     R"(Where the elements are less or equal, as bool; sizes as for `eq`. Raises RuntimeError for complex
types.

>>> torch.arange(3).le(1)
tensor([ True,  True, False])
)"},
    {"lt",
     R"(Where the elements are less than those of a tensor or a number, as bool; sizes as for `eq`. Raises
RuntimeError for complex types.

>>> torch.arange(3).lt(1)
tensor([ True, False, False])
)"},
    {"max",
     R"(The largest element; along `dim` a pair (values, indices); with another tensor the larger of two
elements, as `maximum`.

Raises RuntimeError where there is no element, and for complex types.

>>> values, indices = torch.tensor([[1, 5], [7, 2]]).max(1)
>>> values, indices
(tensor([5, 7]), tensor([1, 0]))
)"},
    {"mean", R"(The mean of all elements or along `dim`; otherwise as `sum`. Raises RuntimeError for integers,
unless `dtype` is a floating type.

>>> torch.tensor([[1.0, 2.0], [3.0, 4.0]]).mean(0)
tensor([2., 3.])
)"},
    {"min",
     R"(The smallest element; along `dim` a pair (values, indices); with another tensor the smaller of two
elements, as `minimum`.

Raises RuntimeError where there is no element, and for complex types.

>>> torch.tensor([[1, 5], [7, 2]]).min()
tensor(1)
)"},
    {"ne", R"(Where the elements differ from those of a tensor or a number, as bool; sizes as for `eq`.

>>> torch.arange(3).ne(1)
tensor([ True, False,  True])
)"},
    {"prod", R"(The product of all elements or along one axis; types as for `sum`.

>>> torch.tensor([2, 3, 4]).prod()
tensor(24)
)"},
    {"sum", R"(The sum of all elements or along `dim`, one axis or several; `keepdim` leaves them with size 1.
Integers and bool sum up to int64.

Raises IndexError where there is no such axis, RuntimeError where one is named twice.

>>> torch.arange(6).view(2, 3).sum(1)
tensor([ 3, 12])
)"},
    {"sum_to_size",
     R"(The sum over the axes that the sizes lack, or have as 1: what undoes `expand`. The tensor itself where there are none.
Raises RuntimeError where the sizes do not expand to the tensor's.

>>> torch.ones(2, 3).sum_to_size(3), torch.ones(2, 3).sum_to_size(2, 1).shape
(tensor([2., 2., 2.]), torch.Size([2, 1]))
)"},
    {"trace",
     R"(The sum of a matrix's diagonal; of integers int64. Raises RuntimeError for other ranks and for bool.

>>> torch.arange(9).view(3, 3).trace()
tensor(12)
)"},
};
static_assert(is_sorted(compare_texts));

}  // namespace

std::span<const OperationText> texts_of_comparisons() {
  return compare_texts;
}

}  // namespace tenstride::python
