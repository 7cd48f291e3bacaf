// SPDX-License-Identifier: Apache-2.0
#include "tenstride/ops/selection.hpp"
#include "operations/runs.hpp"
#include "tenstride/ops/diagonals.hpp"
#include "tenstride/ops/ops.hpp"

/// Elements chosen by a truth value, diagonals, and copies with one view replaced.
namespace tenstride::detail {
namespace {

Value nonzero_of(Call& call) {
  const bool is_tuple = call.flag(0);
  if (is_tuple && call.out_parameter()) {
    throw RuntimeError("nonzero: out must not be given with as_tuple=True");
  }
  return is_tuple ? tuple_value(nonzero_as_tuple(call.self())) : nonzero(call.self());
}

Value cartesian_prod_of(Call& call) {
  if (!call.has(0)) return cartesian_prod(std::vector<Tensor>());
  const Value::Sequence* given = call.value(0).sequence();
  if (given != nullptr && given->kind == Value::SequenceKind::list) call.fail_type(0, "tensors, not a list");
  const std::vector<Tensor> tensors = call.tensors(0);
  if (tensors.size() > 1) return cartesian_prod(tensors);
  static_cast<void>(cartesian_prod(tensors));  // refuses what is no vector
  return given == nullptr ? call.value(0) : given->items[0];
}

}  // namespace

std::vector<Operation> selection_operations() {
  return {
      {"nonzero(Tensor self, *, bool as_tuple=False) -> Tensor", both, fresh, nonzero_of, OutRule::apart,
       R"(The index of each element that is not 0, one a row, in row-major order: int64, each column dense. With
`as_tuple=True` the columns, one for each axis; then RuntimeError where `out` is given.

>>> torch.nonzero(torch.tensor([[0, 1], [1, 0]])).tolist()
[[0, 1], [1, 0]]
>>> torch.tensor([0, 3, 4]).nonzero(as_tuple=True)
(tensor([1, 2]),)
)"},
      {"argwhere(Tensor self) -> Tensor", both, fresh, runs<argwhere>,
       R"(The index of each element that is not 0, one a row: `nonzero`.

>>> torch.argwhere(torch.tensor([[0, 1], [1, 0]])).tolist()
[[0, 1], [1, 0]]
)"},
      {"unravel_index(Tensor indices, int|int[] shape) -> Tensor[]", function, fresh,
       makes<[](const Tensor& indices, const Ints& shape, Caller caller) {
         return unravel_index(indices, shape, caller);
       }>,
       R"(Numbers in row-major order of a shape as indexes, one tensor for each axis. Raises TypeError for other
numbers than integers, ValueError for a negative size.

>>> torch.unravel_index(torch.tensor([5]), (3, 4))
(tensor([1]), tensor([1]))
)"},
      {"cartesian_prod(Tensor... tensors=None) -> Tensor", function, fresh, cartesian_prod_of,
       R"(All ways to take one element of each vector, one a row, the last vector's changing fastest. Raises
RuntimeError for other ranks.

>>> torch.cartesian_prod(torch.tensor([1, 2]), torch.tensor([5, 6])).tolist()
[[1, 5], [1, 6], [2, 5], [2, 6]]
)"},
      {"combinations(Tensor self, int r=2, bool with_replacement=False) -> Tensor", function, fresh,
       runs<combinations>,
       R"(All ways to take `r` (2) elements of a vector in their order, one a row; with `with_replacement=True` each
as often as one likes.

>>> torch.combinations(torch.tensor([1, 2, 3])).tolist()
[[1, 2], [1, 3], [2, 3]]
)"},
      {"masked_select(Tensor self, Tensor mask) -> Tensor", both, copy, runs<masked_select>, OutRule::apart,
       R"(The elements where the mask is true, in row-major order, as a vector; tensor and mask broadcast. Raises
RuntimeError for a mask that is not bool.

>>> torch.arange(4).masked_select(torch.arange(4) > 1)
tensor([2, 3])
)"},
      {"masked_scatter(Tensor self, Tensor mask, Tensor source) -> Tensor", both, copy, runs<masked_scatter>,
       R"(A row-major copy with the source's elements, in row-major order, where the mask is true. See
`masked_scatter_`.

>>> torch.arange(4).masked_scatter(torch.arange(4) > 1, torch.tensor([8, 9]))
tensor([0, 1, 8, 9])
)"},
      {"masked_scatter_(Tensor self, Tensor mask, Tensor source) -> Tensor", method, in_place,
       runs<masked_scatter_>,
       R"(Writes the source's elements, in row-major order, to where the mask is true; the mask broadcasts to the
tensor's shape. Raises RuntimeError where they are too few, where dtypes differ, and for a mask that is not
bool.

>>> torch.arange(4).masked_scatter_(torch.arange(4) < 1, torch.tensor([8, 9]))
tensor([8, 1, 2, 3])
)"},
      {"masked_fill(Tensor self, Tensor mask, Scalar|Tensor value) -> Tensor", both, copy,
       [](Call& c) -> Value { return masked_fill(c.self(), c.tensor(0), value_of(c, 1)); },
       R"(A row-major copy with one value where the mask is true. See `masked_fill_`.

>>> torch.arange(4).masked_fill(torch.arange(4) > 1, 7)
tensor([0, 1, 7, 7])
)"},
      {"masked_fill_(Tensor self, Tensor mask, Scalar|Tensor value) -> Tensor", method, in_place,
       [](Call& c) {
         masked_fill_(c.mutable_self(), c.tensor(0), value_of(c, 1));
         return c.self_value();
       },
       R"(Writes one value, a number or a tensor of rank 0, to where the mask is true; the mask broadcasts to the
tensor's shape. Raises RuntimeError for a mask that is not bool.

>>> torch.arange(4).masked_fill_(torch.tensor(True), 7)
tensor([7, 7, 7, 7])
)"},
      {"diag(Tensor self, int diagonal=0) -> Tensor", both, copy, runs<diag>, OutRule::copied,
       R"(A copy of a matrix's diagonal, or the matrix that has a vector on its diagonal. Raises RuntimeError for
other ranks.

>>> torch.diag(torch.tensor([1, 2])).tolist()
[[1, 0], [0, 2]]
)"},
      {"trace(Tensor self) -> Tensor", both, fresh, runs<trace>,
       R"(The sum of a matrix's diagonal; of integers int64. Raises RuntimeError for other ranks and for bool.

>>> torch.arange(9).view(3, 3).trace()
tensor(12)
)"},
      {"fill_diagonal_(Tensor self, Scalar fill_value, bool wrap=False) -> Tensor", method, in_place,
       runs<fill_diagonal_>,
       R"(Writes a number to the elements (i, i, …), in place; gives the tensor itself. `wrap` goes on below the first block of a
matrix of more rows than columns. Raises RuntimeError below 2 axes, and for more than 2 of different sizes.

>>> torch.zeros(5, 2).fill_diagonal_(1, wrap=True)
tensor([[1., 0.],
        [0., 1.],
        [0., 0.],
        [1., 0.],
        [0., 1.]])
)"},
      {"tril_(Tensor self, int diagonal=0) -> Tensor", method, in_place, runs<tril_>,
       R"(Writes zeros above a diagonal of each matrix, in place; gives the tensor itself. Raises RuntimeError below 2 axes.

>>> torch.ones(2, 2).tril_()
tensor([[1., 0.],
        [1., 1.]])
)"},
      {"triu_(Tensor self, int diagonal=0) -> Tensor", method, in_place, runs<triu_>,
       R"(Writes zeros below a diagonal of each matrix, in place; gives the tensor itself. Raises RuntimeError below 2 axes.

>>> torch.ones(2, 2).triu_()
tensor([[1., 1.],
        [0., 1.]])
)"},
      {"diag_embed(Tensor self, int offset=0, int dim1=-2, int dim2=-1) -> Tensor", both, copy,
       runs<diag_embed>,
       R"(The last axis on the diagonal of planes of zeros, whose axes become `dim1` and `dim2` (the last two).

>>> torch.diag_embed(torch.ones(4, 2), offset=1).shape
torch.Size([4, 3, 3])
)"},
      {"diagflat(Tensor self, int offset=0) -> Tensor", both, copy, runs<diagflat>,
       R"(The matrix that has the flattened tensor on its diagonal.

>>> torch.diagflat(torch.tensor([[1], [2]])).tolist()
[[1, 0], [0, 2]]
)"},
      {"diagonal_scatter(Tensor self, Tensor src, int offset=0, int dim1=0, int dim2=1) -> Tensor", both,
       copy, runs<diagonal_scatter>,
       R"(A copy in which what `diagonal` shows holds `src`. Raises RuntimeError where the shapes differ.

>>> torch.zeros(2, 2).diagonal_scatter(torch.tensor([1.0, 2.0])).tolist()
[[1.0, 0.0], [0.0, 2.0]]
)"},
      {"select_scatter(Tensor self, Tensor src, int dim, int index) -> Tensor", both, copy,
       runs<select_scatter>,
       R"(A copy in which what `select` shows holds `src`. Raises RuntimeError where the shapes differ.

>>> torch.zeros(2, 2).select_scatter(torch.ones(2), 0, 1).tolist()
[[0.0, 0.0], [1.0, 1.0]]
)"},
      {"slice_scatter(Tensor self, Tensor src, int dim=0, int? start=None, int? end=None, int step=1) -> "
       "Tensor",
       both, copy, runs<slice_scatter>,
       R"(A copy in which what `slice` shows holds `src`. Raises RuntimeError where the shapes differ.

>>> torch.zeros(4).slice_scatter(torch.ones(2), 0, 1, 3)
tensor([0., 1., 1., 0.])
)"},
      {"as_strided_scatter(Tensor self, Tensor src, int[] size, int[] stride, int? storage_offset=None) -> "
       "Tensor",
       both, copy, runs<as_strided_scatter>,
       R"(A copy in which what `as_strided` shows holds `src`. Raises RuntimeError where the shapes differ.

>>> torch.zeros(4).as_strided_scatter(torch.ones(2), (2,), (2,))
tensor([1., 0., 1., 0.])
)"},
  };
}

}  // namespace tenstride::detail
