// SPDX-License-Identifier: Apache-2.0
#include "documentation.hpp"

/// Elements and slices read from, and written to, places that an index names.
namespace tenstride::python {
namespace {

// Sorted by name.
constexpr OperationText scatter_texts[] = {
    {"gather",
     R"(A row-major copy of the elements that an index names along one axis, with the index's shape:
`result[i][j] = x[index[i][j]][j]` for `dim=0`. Raises RuntimeError for a number outside `[0, size)`, for
an index that is not int64, and where it exceeds the tensor on another axis.

>>> torch.gather(torch.tensor([[1, 2], [3, 4]]), 1, torch.tensor([[1], [0]])).tolist()
[[2], [3]]
)"},
    {"index_add",
     R"(A row-major copy with the source's slices added, times `alpha`, to the slices that the index lists. See
`index_add_`.

>>> torch.zeros(3).index_add(0, torch.tensor([2, 2]), torch.tensor([1.0, 4.0]))
tensor([0., 0., 5.])
)"},
    {"index_add_",
     R"(Adds the source's slices along an axis, times `alpha`, to those that the index lists, one after the
other. Raises IndexError or RuntimeError, as PyTorch, for a number outside `[0, size)`, RuntimeError where dtypes
or sizes differ, and where the tensor shares memory with itself, the index or the source.

>>> torch.zeros(3).index_add_(0, torch.tensor([0, 0]), torch.tensor([1.0, 4.0]), alpha=2)
tensor([10.,  0.,  0.])
)"},
    {"index_copy",
     R"(A row-major copy with the source's slices in place of those that the index lists. See `index_copy_`.

>>> torch.zeros(3).index_copy(0, torch.tensor([2, 0]), torch.tensor([1.0, 4.0]))
tensor([4., 0., 1.])
)"},
    {"index_copy_",
     R"(Writes the source's slices along an axis to those that the index lists; of two for one place the later
one stays. Raises IndexError for a number outside `[0, size)` and where the counts differ, RuntimeError
where dtypes or sizes do.

>>> torch.zeros(3).index_copy_(0, torch.tensor([1]), torch.tensor([7.0]))
tensor([0., 7., 0.])
)"},
    {"index_fill", R"(A copy with one value in the slices that the index lists. See `index_fill_`.

>>> torch.zeros(3).index_fill(0, torch.tensor([0, -1]), 7)
tensor([7., 0., 7.])
)"},
    {"index_fill_",
     R"(Writes one value, a number or a tensor of rank 0, to the slices that the index lists; negative numbers
count from the end. Raises IndexError where there is no such slice and for an index that is not int64.

>>> torch.zeros(3).index_fill_(0, torch.tensor([1]), 7)
tensor([0., 7., 0.])
)"},
    {"index_select",
     R"(A row-major copy of the slices of one axis that an index of rank 1 lists. Raises IndexError for a number
outside `[0, size)` (RuntimeError on axis 1, as PyTorch), RuntimeError for an index that is neither int64 nor int32.

>>> torch.arange(6).view(2, 3).index_select(1, torch.tensor([2, 0])).tolist()
[[2, 0], [5, 3]]
)"},
    {"put",
     R"(A copy with the source's elements in place of those with the index's numbers in row-major order. See
`put_`.

>>> torch.zeros(3).put(torch.tensor([1]), torch.tensor([7.0]))
tensor([0., 7., 0.])
)"},
    {"put_",
     R"(Writes the source's elements to those with the index's numbers in row-major order, or adds them with
`accumulate=True`; negative numbers count from the end. Raises IndexError where there is no such element
and where the counts differ, RuntimeError where dtypes do.

>>> torch.zeros(3).put_(torch.tensor([1, 1]), torch.tensor([3.0, 4.0]), accumulate=True)
tensor([0., 7., 0.])
)"},
    {"scatter",
     R"(A row-major copy with the source's elements, or one value, written where the index says. See `scatter_`.

>>> torch.zeros(3).scatter(0, torch.tensor([2, 0]), torch.tensor([5.0, 6.0]))
tensor([6., 0., 5.])
)"},
    {"scatter_",
     R"(Writes the source's elements, or one value, to the places that an index names along one axis:
`x[index[i][j]][j] = src[i][j]` for `dim=0`. `reduce="add"` or `"multiply"` combines them with what stands
there. Raises RuntimeError for a number outside `[0, size)`, where dtypes differ, where the index exceeds
the tensor on another axis or the source anywhere, and where the tensor shares memory with itself, the
index or the source.

>>> torch.zeros(3).scatter_(0, torch.tensor([1]), 7)
tensor([0., 7., 0.])
)"},
    {"scatter_add",
     R"(A row-major copy with the source's elements added where the index says. See `scatter_add_`.

>>> torch.zeros(3).scatter_add(0, torch.tensor([2, 2]), torch.tensor([5.0, 6.0]))
tensor([ 0.,  0., 11.])
)"},
    {"scatter_add_",
     R"(Adds the source's elements to the places that an index names along one axis, in the order of the index.
Refuses what `scatter_` refuses.

>>> torch.zeros(3).scatter_add_(0, torch.tensor([1, 1]), torch.tensor([5.0, 6.0]))
tensor([ 0., 11.,  0.])
)"},
    {"scatter_reduce",
     R"(A row-major copy with the source's elements reduced into the places that the index names. See
`scatter_reduce_`.

>>> torch.zeros(3).scatter_reduce(0, torch.tensor([2, 2]), torch.tensor([5.0, 6.0]), "amax")
tensor([0., 0., 6.])
)"},
    {"scatter_reduce_",
     R"(The sum, product ("prod"), mean, largest ("amax") or smallest ("amin") of all elements for one place and,
unless `include_self=False`, of what stands there. Means of integers are rounded down. Refuses what
`scatter_` refuses.

>>> x = torch.ones(2)
>>> x.scatter_reduce_(0, torch.tensor([0, 0]), torch.tensor([4.0, 5.0]), "mean", include_self=False)
tensor([4.5000, 1.0000])
)"},
    {"take",
     R"(A row-major copy of the elements with the index's numbers in row-major order, with the index's shape;
negative numbers count from the end. Raises IndexError where there is no such element, RuntimeError for an
index that is not int64.

>>> torch.arange(6).view(2, 3).T.take(torch.tensor([1, -1]))
tensor([3, 5])
)"},
    {"take_along_dim",
     R"(`gather` of the tensor and the indices broadcast to each other but along `dim`; without an axis of the
flattened tensors.

>>> torch.take_along_dim(torch.tensor([[3, 1], [2, 4]]), torch.tensor([[1]]), dim=1).tolist()
[[1], [4]]
)"},
};
static_assert(is_sorted(scatter_texts));

}  // namespace

std::span<const OperationText> texts_of_scatter() {
  return scatter_texts;
}

}  // namespace tenstride::python
