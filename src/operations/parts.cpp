// SPDX-License-Identifier: Apache-2.0
#include <variant>

#include "base/message.hpp"
#include "operations/runs.hpp"
#include "tenstride/ops/ops.hpp"

/// Operations that give several views, or views of several tensors.
namespace tenstride::detail {
namespace {

constexpr auto maybe_self = OpClass::view_or_self;

/// The sections, or the indices, that a tensor holds.
std::variant<Index, Dims> split_places(const Tensor& given) {
  if (given.device() != Device::cpu || given.dtype() != DType::int64 || given.dim() > 1) {
    throw RuntimeError(
        message("tensor_split: a tensor of indices or sections must be of int64, on the cpu, with "
                "at most 1 axis (",
                name(given.dtype()), " on ", name(given.device()), ", shape ", given.shape(), ")"));
  }
  if (given.dim() == 0) return given.item<Index>();
  Dims indices;
  for (const Index index : given.to_vector<std::int64_t>()) indices.push_back(index);
  return indices;
}
std::vector<Tensor> split_at(const Tensor& x, const Tensor& given, Index dim) {
  return std::visit([&](const auto& places) { return x.tensor_split(places, dim); }, split_places(given));
}

template <Tensor (*Op)(const Tensor&)>
Value at_least(Call& call) {
  if (call.is_tensor(0)) return Op(call.tensor(0));
  std::vector<Tensor> results;
  for (const Tensor& tensor : call.tensors(0)) results.push_back(Op(tensor));
  return tuple_value(std::move(results));
}

std::vector<Tensor> broadcast_together(const Call& call) {
  return broadcast_tensors(call.has(0) ? call.tensors(0) : std::vector<Tensor>{});
}

MeshIndexing mesh_indexing(const Call& call) {
  if (!call.has(1) || call.text(1) == "ij") return MeshIndexing::ij;
  if (call.text(1) == "xy") return MeshIndexing::xy;
  call.fail_type(1, "'ij' or 'xy'");
}

}  // namespace

std::vector<Operation> part_operations() {
  using T = const Tensor&;
  using D = const Dims&;
  return {
      {"unbind(Tensor self, int dim=0) -> Tensor[]", both, view, runs<&Tensor::unbind>,
       R"(A tuple of views, one for each index along `dim`, which disappears. Raises IndexError for rank 0 and
where there is no such axis.

>>> torch.arange(4).view(2, 2).unbind(1)
(tensor([0, 2]), tensor([1, 3]))
)"},
      {"split(Tensor self, int|int[] split_size, int dim=0) -> Tensor[]", both, view,
       runs<[](T x, Index size, Index dim) { return x.split(size, dim); },
            [](T x, D sizes, Index dim) { return x.split(sizes, dim); }>,
       R"(A tuple of views of `split_size` indices each along `dim` (the last may be shorter), or of the sizes
in a list.

Raises RuntimeError where the size is negative or the sizes do not sum up to the axis.

>>> [part.tolist() for part in torch.arange(5).split(2)]
[[0, 1], [2, 3], [4]]
)"},
      {"split_with_sizes(Tensor self, int[] split_sizes, int dim=0) -> Tensor[]", both, view,
       runs<&Tensor::split_with_sizes>,
       R"(A tuple of views of the given sizes along `dim`. Raises RuntimeError where they do not sum up to the
axis.

>>> [part.tolist() for part in torch.arange(5).split_with_sizes((1, 4))]
[[0], [1, 2, 3, 4]]
)"},
      {"chunk(Tensor self, int chunks, int dim=0) -> Tensor[]", both, view, runs<&Tensor::chunk>,
       R"(A tuple of at most `chunks` views along `dim`, all but the last of one size, rounded up. Raises
RuntimeError where `chunks` is not positive.

>>> [part.numel() for part in torch.arange(7).chunk(5)]
[2, 2, 2, 1]
)"},
      {"tensor_split(Tensor self, int|int[]|Tensor indices_or_sections, int dim=0) -> Tensor[]", both, view,
       runs<split_at, [](T x, Index sections, Index dim) { return x.tensor_split(sections, dim); },
            [](T x, D indices, Index dim) { return x.tensor_split(indices, dim); }>,
       R"(A tuple of views along `dim`: so many whose sizes differ by at most 1, or cut at the given indices.

Raises RuntimeError where the number is not positive, IndexError where there is no such axis.

>>> [part.numel() for part in torch.arange(7).tensor_split(3)], len(torch.arange(7).tensor_split((2, 5)))
([3, 2, 2], 3)
)"},
      {"hsplit(Tensor self, int|int[]|Tensor indices_or_sections) -> Tensor[]", both, view,
       runs<[](T x, Index sections) { return x.hsplit(sections); },
            [](T x, D indices) { return x.hsplit(indices); }>,
       R"(A tuple of views along axis 1 (axis 0 for rank 1): so many equal parts, or cut at the given indices.
Raises RuntimeError for rank 0 and where the division leaves a rest.

>>> [part.shape for part in torch.zeros(2, 4).hsplit(2)]
[torch.Size([2, 2]), torch.Size([2, 2])]
)"},
      {"vsplit(Tensor self, int|int[]|Tensor indices_or_sections) -> Tensor[]", both, view,
       runs<[](T x, Index sections) { return x.vsplit(sections); },
            [](T x, D indices) { return x.vsplit(indices); }>,
       R"(A tuple of views along axis 0: so many equal parts, or cut at the given indices. Raises RuntimeError
below rank 2 and where the division leaves a rest.

>>> [part.shape for part in torch.zeros(4, 2).vsplit((1,))]
[torch.Size([1, 2]), torch.Size([3, 2])]
)"},
      {"dsplit(Tensor self, int|int[]|Tensor indices_or_sections) -> Tensor[]", both, view,
       runs<[](T x, Index sections) { return x.dsplit(sections); },
            [](T x, D indices) { return x.dsplit(indices); }>,
       R"(A tuple of views along axis 2: so many equal parts, or cut at the given indices. Raises RuntimeError
below rank 3 and where the division leaves a rest.

>>> len(torch.zeros(2, 2, 4).dsplit(4))
4
)"},
      {"broadcast_tensors(Tensor... tensors=None) -> Tensor[]", function, maybe_self,
       [](Call& c) { return tuple_value(broadcast_together(c)); },
       R"(A tuple of views, all expanded to the sizes that the tensors have together. Raises RuntimeError
where an axis has two sizes of which none is 1.

>>> [part.shape for part in torch.broadcast_tensors(torch.zeros(3, 1), torch.zeros(4))]
[torch.Size([3, 4]), torch.Size([3, 4])]
)"},
      {"meshgrid(Tensor... tensors, *, str indexing='ij') -> Tensor[]", function, view,
       [](Call& c) { return tuple_value(meshgrid(c.tensors(0), mesh_indexing(c))); },
       R"(A tuple of views, one for each vector, that vary along one axis of their common grid and are
expanded along the others; `indexing` is 'ij' or 'xy', which exchanges the first two axes.

Raises RuntimeError for tensors above rank 1 or of several types.

>>> rows, columns = torch.meshgrid(torch.arange(2), torch.arange(3), indexing="ij")
>>> rows.tolist(), rows.stride()
([[0, 0, 0], [1, 1, 1]], (1, 0))
)"},
      {"atleast_1d(Tensor... tensors) -> Tensor", function, maybe_self, at_least<atleast_1d>,
       R"(A tensor of rank 0 as a view of shape (1,), any other as the very same tensor; several tensors give
a tuple.

>>> torch.atleast_1d(torch.tensor(5)).shape
torch.Size([1])
)"},
      {"atleast_2d(Tensor... tensors) -> Tensor", function, maybe_self, at_least<atleast_2d>,
       R"(A tensor below rank 2 as a view with axes of size 1 in front, any other as the very same tensor;
several give a tuple.

>>> torch.atleast_2d(torch.zeros(3)).shape
torch.Size([1, 3])
)"},
      {"atleast_3d(Tensor... tensors) -> Tensor", function, maybe_self, at_least<atleast_3d>,
       R"(A tensor below rank 3 as a view of rank 3 ((n) becomes (1,n,1), (h,w) becomes (h,w,1)), any other as
the very same tensor; several give a tuple.

>>> torch.atleast_3d(torch.zeros(3)).shape
torch.Size([1, 3, 1])
)"},
  };
}

}  // namespace tenstride::detail
