// SPDX-License-Identifier: Apache-2.0
#include "documentation.hpp"

/// Elements chosen by a truth value, diagonals, and copies with one view replaced.
namespace tenstride::python {
namespace {

// Sorted by name.
constexpr OperationText selection_texts[] = {
    {"argwhere", R"(The index of each element that is not 0, one a row: `nonzero`.

>>> torch.argwhere(torch.tensor([[0, 1], [1, 0]])).tolist()
[[0, 1], [1, 0]]
)"},
    {"as_strided_scatter",
     R"(A copy in which what `as_strided` shows holds `src`. Raises RuntimeError where the shapes differ.

>>> torch.zeros(4).as_strided_scatter(torch.ones(2), (2,), (2,))
tensor([1., 0., 1., 0.])
)"},
    {"cartesian_prod",
     R"(All ways to take one element of each vector, one a row, the last vector's changing fastest. Raises
RuntimeError for other ranks.

>>> torch.cartesian_prod(torch.tensor([1, 2]), torch.tensor([5, 6])).tolist()
[[1, 5], [1, 6], [2, 5], [2, 6]]
)"},
    {"combinations",
     R"(All ways to take `r` (2) elements of a vector in their order, one a row; with `with_replacement=True` each
as often as one likes.

>>> torch.combinations(torch.tensor([1, 2, 3])).tolist()
[[1, 2], [1, 3], [2, 3]]
)"},
    {"diag",
     R"(A copy of a matrix's diagonal, or the matrix that has a vector on its diagonal. Raises RuntimeError for
other ranks.

>>> torch.diag(torch.tensor([1, 2])).tolist()
[[1, 0], [0, 2]]
)"},
    {"diag_embed",
     R"(The last axis on the diagonal of planes of zeros, whose axes become `dim1` and `dim2` (the last two).

>>> torch.diag_embed(torch.ones(4, 2), offset=1).shape
torch.Size([4, 3, 3])
)"},
    {"diagflat", R"(The matrix that has the flattened tensor on its diagonal.

>>> torch.diagflat(torch.tensor([[1], [2]])).tolist()
[[1, 0], [0, 2]]
)"},
    {"diagonal_scatter",
     R"(A copy in which what `diagonal` shows holds `src`. Raises RuntimeError where the shapes differ.

>>> torch.zeros(2, 2).diagonal_scatter(torch.tensor([1.0, 2.0])).tolist()
[[1.0, 0.0], [0.0, 2.0]]
)"},
    {"fill_diagonal_",
     R"(Writes a number to the elements (i, i, …), in place; gives the tensor itself. `wrap` goes on below the first block of a
matrix of more rows than columns. Raises RuntimeError below 2 axes, and for more than 2 of different sizes.

>>> torch.zeros(5, 2).fill_diagonal_(1, wrap=True)
tensor([[1., 0.],
        [0., 1.],
        [0., 0.],
        [1., 0.],
        [0., 1.]])
)"},
    {"masked_fill", R"(A row-major copy with one value where the mask is true. See `masked_fill_`.

>>> torch.arange(4).masked_fill(torch.arange(4) > 1, 7)
tensor([0, 1, 7, 7])
)"},
    {"masked_fill_",
     R"(Writes one value, a number or a tensor of rank 0, to where the mask is true; the mask broadcasts to the
tensor's shape. Raises RuntimeError for a mask that is not bool.

>>> torch.arange(4).masked_fill_(torch.tensor(True), 7)
tensor([7, 7, 7, 7])
)"},
    {"masked_scatter",
     R"(A row-major copy with the source's elements, in row-major order, where the mask is true. See
`masked_scatter_`.

>>> torch.arange(4).masked_scatter(torch.arange(4) > 1, torch.tensor([8, 9]))
tensor([0, 1, 8, 9])
)"},
    {"masked_scatter_",
     R"(Writes the source's elements, in row-major order, to where the mask is true; the mask broadcasts to the
tensor's shape. Raises RuntimeError where they are too few, where dtypes differ, and for a mask that is not
bool.

>>> torch.arange(4).masked_scatter_(torch.arange(4) < 1, torch.tensor([8, 9]))
tensor([8, 1, 2, 3])
)"},
    {"masked_select",
     R"(The elements where the mask is true, in row-major order, as a vector; tensor and mask broadcast. Raises
RuntimeError for a mask that is not bool.

>>> torch.arange(4).masked_select(torch.arange(4) > 1)
tensor([2, 3])
)"},
    {"nonzero",
     R"(The index of each element that is not 0, one a row, in row-major order: int64, each column dense. With
`as_tuple=True` the columns, one for each axis; then RuntimeError where `out` is given.

>>> torch.nonzero(torch.tensor([[0, 1], [1, 0]])).tolist()
[[0, 1], [1, 0]]
>>> torch.tensor([0, 3, 4]).nonzero(as_tuple=True)
(tensor([1, 2]),)
)"},
    {"select_scatter",
     R"(A copy in which what `select` shows holds `src`. Raises RuntimeError where the shapes differ.

>>> torch.zeros(2, 2).select_scatter(torch.ones(2), 0, 1).tolist()
[[0.0, 0.0], [1.0, 1.0]]
)"},
    {"slice_scatter",
     R"(A copy in which what `slice` shows holds `src`. Raises RuntimeError where the shapes differ.

>>> torch.zeros(4).slice_scatter(torch.ones(2), 0, 1, 3)
tensor([0., 1., 1., 0.])
)"},
    {"tril_",
     R"(Writes zeros above a diagonal of each matrix, in place; gives the tensor itself. Raises RuntimeError below 2 axes.

>>> torch.ones(2, 2).tril_()
tensor([[1., 0.],
        [1., 1.]])
)"},
    {"triu_",
     R"(Writes zeros below a diagonal of each matrix, in place; gives the tensor itself. Raises RuntimeError below 2 axes.

>>> torch.ones(2, 2).triu_()
tensor([[1., 1.],
        [0., 1.]])
)"},
    {"unravel_index",
     R"(Numbers in row-major order of a shape as indexes, one tensor for each axis. Raises TypeError for other
numbers than integers, ValueError for a negative size.

>>> torch.unravel_index(torch.tensor([5]), (3, 4))
(tensor([1]), tensor([1]))
)"},
};
static_assert(is_sorted(selection_texts));

}  // namespace

std::span<const OperationText> texts_of_selection() {
  return selection_texts;
}

}  // namespace tenstride::python
