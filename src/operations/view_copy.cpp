// SPDX-License-Identifier: Apache-2.0
#include "base/message.hpp"
#include "operations/runs.hpp"
#include "ops/out.hpp"
#include "tensor/tensor_overlap.hpp"
#include "tenstride/copy/copy.hpp"

/// Copies of what a view would give.
namespace tenstride::detail {
namespace {

Value view_copy_of(Call& call) {
  if (!call.has(0) && !call.has(1)) call.fail_type(0, "sizes or a dtype");
  if (call.has(0) && !call.is_dtype(0)) return view_copy(call.self(), call.dims(0));
  return view_copy(call.self(), call.has(0) ? *call.dtype(0) : *call.dtype(1));
}

/// The tensors of `out`, one for each part.
std::vector<Value> outs_of(const Call& call, std::size_t parameter, std::size_t parts) {
  const Value::Sequence* outs = call.value(parameter).sequence();
  if (outs == nullptr) call.fail_type(parameter, "a tuple of tensors");
  static_cast<void>(call.tensors(parameter));
  if (outs->items.size() == parts) return outs->items;
  throw RuntimeError(message(call.operation().name, ": out must have ", parts,
                             " tensors, one for each part, not ", outs->items.size()));
}

/// Copies the parts that an earlier tensor of `out` lies in the memory of, which are read after that is
/// written.
void keep_apart(const Tensor& whole, std::vector<Tensor>& parts, const std::vector<Value>& outs) {
  for (std::size_t i = 0; i + 1 < outs.size(); ++i) {
    const Tensor& out = *outs[i].tensor();
    if (!may_overlap(out, whole)) continue;
    for (std::size_t k = i + 1; k < parts.size(); ++k) parts[k] = apart_from(out, parts[k]);
  }
}

/// Each part by `copy_` into the tensor of `out` for it, which broadcasts and converts; gives None, as
/// PyTorch does.
Value parts_into(Call& call, std::size_t parameter, std::vector<Tensor> parts) {
  std::vector<Value> outs = outs_of(call, parameter, parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    require_no_partial_overlap("copy_", *outs[i].tensor(), parts[i]);
  }
  keep_apart(call.self(), parts, outs);
  for (std::size_t i = 0; i < parts.size(); ++i) outs[i].tensor()->copy_(parts[i]);
  return {};
}

Value split_parts(Call& call) {
  const Index size = call.index(0), dim = call.index(1, 0);
  if (call.has(2)) return parts_into(call, 2, call.self().split(size, dim));
  return tuple_value(split_copy(call.self(), size, dim));
}
Value unbound_parts(Call& call) {
  const Index dim = call.index(0, 0);
  if (call.has(1)) return parts_into(call, 1, call.self().unbind(dim));
  return tuple_value(unbind_copy(call.self(), dim));
}
/// Here PyTorch resizes the tensors of `out`, and converts nothing.
Value sized_parts(Call& call) {
  const Dims sizes = call.dims(0);
  const Index dim = call.index(1, 0);
  if (!call.has(2)) return tuple_value(split_with_sizes_copy(call.self(), sizes, dim));
  std::vector<Tensor> parts = call.self().split_with_sizes(sizes, dim);
  std::vector<Value> outs = outs_of(call, 2, parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    Tensor& out = *outs[i].tensor();
    const Layout layout{parts[i].shape(), row_major_strides(parts[i].shape()), 0};
    prepare_out(call.operation().name, out, layout, parts[i].dtype(), parts[i].device(), OutType::same,
                std::span(&parts[i], 1));
  }
  keep_apart(call.self(), parts, outs);
  for (std::size_t i = 0; i < parts.size(); ++i) copy_elements(*outs[i].tensor(), parts[i]);
  return {};
}

}  // namespace

std::vector<Operation> view_copy_operations() {
  using T = const Tensor&;
  return {
      {"alias_copy(Tensor self) -> Tensor", function, copy, runs<alias_copy>, OutRule::copied,
       R"(A contiguous copy of all of it.

>>> torch.alias_copy(torch.zeros(2, 3).T).stride()
(2, 1)
)"},
      {"detach_copy(Tensor self) -> Tensor", function, copy, runs<detach_copy>, OutRule::copied,
       R"(A contiguous copy of all of it.

>>> torch.detach_copy(torch.arange(3))
tensor([0, 1, 2])
)"},
      {"as_strided_copy(Tensor self, int[] size, int[] stride, int? storage_offset=None) -> Tensor", function,
       copy, runs<as_strided_copy>, OutRule::copied,
       R"(What `as_strided` shows, as a contiguous copy; with the same refusals.

>>> torch.as_strided_copy(torch.arange(6), (2, 2), (1, 2)).tolist()
[[0, 2], [1, 3]]
)"},
      {"diagonal_copy(Tensor self, int offset=0, int dim1=0, int dim2=1) -> Tensor", function, copy,
       runs<diagonal_copy>, OutRule::copied,
       R"(What `diagonal` shows, as a contiguous copy; with the same refusals.

>>> torch.diagonal_copy(torch.arange(4).view(2, 2)).stride()
(1,)
)"},
      {"expand_copy(Tensor self, int[] size) -> Tensor", function, copy, runs<expand_copy>, OutRule::copied,
       R"(What `expand` shows, as a contiguous copy; with the same refusals.

>>> torch.expand_copy(torch.zeros(2, 1), (2, 3)).stride()
(3, 1)
)"},
      {"narrow_copy(Tensor self, int dim, int start, int length) -> Tensor", both, copy, runs<narrow_copy>,
       OutRule::copied, R"(What `narrow` shows, as a contiguous copy; with the same refusals.

>>> torch.narrow_copy(torch.arange(5), 0, 1, 2)
tensor([1, 2])
)"},
      {"permute_copy(Tensor self, int[] dims) -> Tensor", function, copy, runs<permute_copy>, OutRule::copied,
       R"(What `permute` shows, as a contiguous copy; with the same refusals. Takes and gives arrays of other
libraries too.

>>> torch.permute_copy(torch.zeros(2, 3, 4), (2, 0, 1)).stride()
(6, 3, 1)
)"},
      {"select_copy(Tensor self, int dim, int index) -> Tensor", function, copy, runs<select_copy>,
       OutRule::copied, R"(What `select` shows, as a contiguous copy; with the same refusals.

>>> torch.select_copy(torch.arange(4).view(2, 2), 1, 0)
tensor([0, 2])
)"},
      {"slice_copy(Tensor self, int dim=0, int? start=None, int? end=None, int step=1) -> Tensor", function,
       copy, runs<slice_copy>, OutRule::copied,
       R"(What `slice` shows, as a contiguous copy; with the same refusals.

>>> torch.slice_copy(torch.arange(6), 0, 0, 6, 2)
tensor([0, 2, 4])
)"},
      {"squeeze_copy(Tensor self, int|int[]? dim=None) -> Tensor", function, copy,
       runs<[](T x, Caller c) { return squeeze_copy(x, c); },
            [](T x, Index dim, Caller c) { return squeeze_copy(x, dim, c); },
            [](T x, const Dims& dim, Caller c) { return squeeze_copy(x, dim, c); }>,
       OutRule::copied, R"(What `squeeze` shows, as a contiguous copy; with the same refusals.

>>> torch.squeeze_copy(torch.zeros(1, 2)).shape
torch.Size([2])
)"},
      {"t_copy(Tensor self) -> Tensor", function, copy, runs<t_copy>, OutRule::copied,
       R"(What `t` shows, as a contiguous copy; with the same refusals.

>>> torch.t_copy(torch.zeros(2, 3)).stride()
(2, 1)
)"},
      {"transpose_copy(Tensor self, int dim0, int dim1) -> Tensor", function, copy, runs<transpose_copy>,
       OutRule::copied, R"(What `transpose` shows, as a contiguous copy; with the same refusals.

>>> torch.transpose_copy(torch.zeros(2, 3), 0, 1).stride()
(2, 1)
)"},
      {"unfold_copy(Tensor self, int dimension, int size, int step) -> Tensor", function, copy,
       runs<unfold_copy>, OutRule::copied,
       R"(What `unfold` shows, as a contiguous copy; with the same refusals.

>>> torch.unfold_copy(torch.arange(4), 0, 2, 1).stride()
(2, 1)
)"},
      {"unsqueeze_copy(Tensor self, int dim) -> Tensor", function, copy, runs<unsqueeze_copy>,
       OutRule::copied, R"(What `unsqueeze` shows, as a contiguous copy; with the same refusals.

>>> torch.unsqueeze_copy(torch.zeros(2), 0).shape
torch.Size([1, 2])
)"},
      {"view_copy(Tensor self, int[]|ScalarType? size=None, *, ScalarType? dtype=None) -> Tensor", function,
       copy, view_copy_of, OutRule::copied,
       R"(What `view` shows, as a contiguous copy; with the same refusals.

>>> torch.view_copy(torch.arange(4), (2, 2)).tolist()
[[0, 1], [2, 3]]
)"},
      {"view_as_real_copy(Tensor self) -> Tensor", function, copy, runs<view_as_real_copy>, OutRule::copied,
       R"(What `view_as_real` shows, as a contiguous copy; with the same refusals.

>>> torch.view_as_real_copy(torch.tensor([1 + 2j])).tolist()
[[1.0, 2.0]]
)"},
      {"view_as_complex_copy(Tensor self) -> Tensor", function, copy, runs<view_as_complex_copy>,
       OutRule::copied, R"(What `view_as_complex` shows, as a contiguous copy; with the same refusals.

>>> torch.view_as_complex_copy(torch.tensor([[1.0, 2.0]])).tolist()
[(1+2j)]
)"},
      {"split_copy(Tensor self, int split_size, int dim=0, *, Tensor[]? out=None) -> Tensor[]", function,
       copy, split_parts, R"(What `split` shows, as a tuple of contiguous copies; with the same refusals.

>>> [part.tolist() for part in torch.split_copy(torch.arange(3), 2)]
[[0, 1], [2]]
)"},
      {"split_with_sizes_copy(Tensor self, int[] split_sizes, int dim=0, *, Tensor[]? out=None) -> Tensor[]",
       function, copy, sized_parts,
       R"(What `split_with_sizes` shows, as a tuple of contiguous copies; with the same refusals.

>>> [part.tolist() for part in torch.split_with_sizes_copy(torch.arange(3), (1, 2))]
[[0], [1, 2]]
)"},
      {"unbind_copy(Tensor self, int dim=0, *, Tensor[]? out=None) -> Tensor[]", function, copy,
       unbound_parts, R"(What `unbind` shows, as a tuple of contiguous copies; with the same refusals.

>>> torch.unbind_copy(torch.arange(2))
(tensor(0), tensor(1))
)"},
  };
}

}  // namespace tenstride::detail
