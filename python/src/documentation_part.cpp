// SPDX-License-Identifier: Apache-2.0
#include "documentation.hpp"

/// Operations that give several views, or views of several tensors.
namespace tenstride::python {
namespace {

// Sorted by name.
constexpr OperationText part_texts[] = {
    {"atleast_1d",
     R"(A tensor of rank 0 as a view of shape (1,), any other as the very same tensor; several tensors give
a tuple.

>>> torch.atleast_1d(torch.tensor(5)).shape
torch.Size([1])
)"},
    {"atleast_2d",
     R"(A tensor below rank 2 as a view with axes of size 1 in front, any other as the very same tensor;
several give a tuple.

>>> torch.atleast_2d(torch.zeros(3)).shape
torch.Size([1, 3])
)"},
    {"atleast_3d",
     R"(A tensor below rank 3 as a view of rank 3 ((n) becomes (1,n,1), (h,w) becomes (h,w,1)), any other as
the very same tensor; several give a tuple.

>>> torch.atleast_3d(torch.zeros(3)).shape
torch.Size([1, 3, 1])
)"},
    {"broadcast_tensors",
     R"(A tuple of views, all expanded to the sizes that the tensors have together. Raises RuntimeError
where an axis has two sizes of which none is 1.

>>> [part.shape for part in torch.broadcast_tensors(torch.zeros(3, 1), torch.zeros(4))]
[torch.Size([3, 4]), torch.Size([3, 4])]
)"},
    {"chunk",
     R"(A tuple of at most `chunks` views along `dim`, all but the last of one size, rounded up. Raises
RuntimeError where `chunks` is not positive.

>>> [part.numel() for part in torch.arange(7).chunk(5)]
[2, 2, 2, 1]
)"},
    {"dsplit",
     R"(A tuple of views along axis 2: so many equal parts, or cut at the given indices. Raises RuntimeError
below rank 3 and where the division leaves a rest.

>>> len(torch.zeros(2, 2, 4).dsplit(4))
4
)"},
    {"hsplit",
     R"(A tuple of views along axis 1 (axis 0 for rank 1): so many equal parts, or cut at the given indices.
Raises RuntimeError for rank 0 and where the division leaves a rest.

>>> [part.shape for part in torch.zeros(2, 4).hsplit(2)]
[torch.Size([2, 2]), torch.Size([2, 2])]
)"},
    {"meshgrid",
     R"(A tuple of views, one for each vector, that vary along one axis of their common grid and are
expanded along the others; `indexing` is 'ij' or 'xy', which exchanges the first two axes.

Raises RuntimeError for tensors above rank 1 or of several types.

>>> rows, columns = torch.meshgrid(torch.arange(2), torch.arange(3), indexing="ij")
>>> rows.tolist(), rows.stride()
([[0, 0, 0], [1, 1, 1]], (1, 0))
)"},
    {"split",
     R"(A tuple of views of `split_size` indices each along `dim` (the last may be shorter), or of the sizes
in a list.

Raises RuntimeError where the size is negative or the sizes do not sum up to the axis.

>>> [part.tolist() for part in torch.arange(5).split(2)]
[[0, 1], [2, 3], [4]]
)"},
    {"split_with_sizes",
     R"(A tuple of views of the given sizes along `dim`. Raises RuntimeError where they do not sum up to the
axis.

>>> [part.tolist() for part in torch.arange(5).split_with_sizes((1, 4))]
[[0], [1, 2, 3, 4]]
)"},
    {"tensor_split",
     R"(A tuple of views along `dim`: so many whose sizes differ by at most 1, or cut at the given indices.

Raises RuntimeError where the number is not positive, IndexError where there is no such axis.

>>> [part.numel() for part in torch.arange(7).tensor_split(3)], len(torch.arange(7).tensor_split((2, 5)))
([3, 2, 2], 3)
)"},
    {"unbind",
     R"(A tuple of views, one for each index along `dim`, which disappears. Raises IndexError for rank 0 and
where there is no such axis.

>>> torch.arange(4).view(2, 2).unbind(1)
(tensor([0, 2]), tensor([1, 3]))
)"},
    {"vsplit",
     R"(A tuple of views along axis 0: so many equal parts, or cut at the given indices. Raises RuntimeError
below rank 2 and where the division leaves a rest.

>>> [part.shape for part in torch.zeros(4, 2).vsplit((1,))]
[torch.Size([1, 2]), torch.Size([3, 2])]
)"},
};
static_assert(is_sorted(part_texts));

}  // namespace

std::span<const OperationText> texts_of_parts() {
  return part_texts;
}

}  // namespace tenstride::python
