// SPDX-License-Identifier: Apache-2.0
#include "replay/formats/torch_operations.hpp"

#include "replay/elements.hpp"
#include "tensor/unchecked.hpp"
#include "tenstride/elementwise/arithmetic.hpp"
#include "tenstride/ops/ops.hpp"
#include "tenstride/tensor/factory.hpp"

namespace replay {
namespace {

using namespace tenstride;
using X = const Tensor&;
using A = Arguments&;

Entry plain(Operation run) {
  return {std::move(run), false};
}
Entry telling_self(Operation run) {
  return {std::move(run), true};
}

/// A number splits into sections, a list at indices.
template <typename Sections, typename Indices>
Entry split_at(Sections sections, Indices indices) {
  return plain([=](X x, A a) -> Outcome {
    if (a.at("v").is_array()) return indices(x, a.dims("v"));
    return sections(x, a.index("v"));
  });
}

Tensor to(X x, A a) {
  ToOptions options;
  if (a.has("dtype")) options.dtype = a.dtype("dtype");
  options.memory_format = a.memory_format("memory_format", MemoryFormat::preserve);
  if (a.has("copy") && a.at("copy").get<bool>()) options.copy = CopyRule::always;
  return x.to(options);
}

/// PyTorch refuses a negative step, tenstride's own `index` gives NumPy's view: PyTorch's rule is asked for.
Tensor index_as_torch(X x, A a) {
  const auto entries = to_indices(a.at("idx"));
  return with_layout(x, index(x.layout(), entries, NegativeStep::refuse));
}

std::vector<Tensor> several(X x, A a) {
  return std::vector<Tensor>(static_cast<std::size_t>(a.index("n")), x);
}

Tensor move_axes(X x, A a) {
  if (a.at("source").is_array()) return x.movedim(a.dims("source"), a.dims("destination"));
  return x.movedim(a.index("source"), a.index("destination"));
}

Tensor counting(const Dims& shape, DType dtype) {
  Tensor tensor = empty(shape, {.dtype = dtype});
  fill_counting(tensor, Imaginary::counted_mod_7);
  return tensor;
}

/// x + y, where y is contiguous once its axes stand in the recorded order: which strides does the sum have?
Tensor add_permuted(X x, A a) {
  const Dims dims = a.dims("dims");
  Dims shape;
  Dims back = Dims::filled(dims.size(), 0);
  for (std::size_t axis = 0; axis < dims.size(); ++axis) {
    shape.push_back(x.size(dims[axis]));
    back[static_cast<std::size_t>(dims[axis])] = static_cast<Index>(axis);
  }
  return add(x, counting(shape, x.dtype()).permute(back));
}

const Operations& elementwise_operations() {
  static const Operations operations{
      {"abs", plain([](X x, A) { return abs(x); })},
      {"add_scalar", plain([](X x, A a) { return add(x, a.number("value")); })},
      {"add_permuted", plain(add_permuted)},
      {"add_rowvec", plain([](X x, A) { return add(x, counting({x.size(-1)}, x.dtype())); })},
  };
  return operations;
}

const Operations& axis_operations() {
  static const Operations operations{
      {"T", plain([](X x, A) { return x.T(); })},
      {"mT", plain([](X x, A) { return x.mT(); })},
      // The recording holds these three resolved: of complex tensors a copy.
      {"H", plain([](X x, A) { return x.H().resolve_conj(); })},
      {"mH", plain([](X x, A) { return x.mH().resolve_conj(); })},
      {"adjoint", plain([](X x, A) { return x.adjoint().resolve_conj(); })},
      {"permute", plain([](X x, A a) { return x.permute(a.dims("dims")); })},
      {"transpose", plain([](X x, A a) { return x.transpose(a.index("dim0"), a.index("dim1")); })},
      {"swapaxes", plain([](X x, A a) { return x.swapaxes(a.index("axis0"), a.index("axis1")); })},
      {"swapdims", plain([](X x, A a) { return x.swapdims(a.index("dim0"), a.index("dim1")); })},
      {"movedim", plain(move_axes)},
      {"moveaxis", plain([](X x, A a) {
         if (a.at("source").is_array()) return x.moveaxis(a.dims("source"), a.dims("destination"));
         return x.moveaxis(a.index("source"), a.index("destination"));
       })},
      {"t", plain([](X x, A) { return x.t(); })},
      {"squeeze", plain([](X x, A) { return x.squeeze(); })},
      {"squeeze.dim", plain([](X x, A a) { return x.squeeze(a.index("dim")); })},
      {"squeeze.dims", plain([](X x, A a) { return x.squeeze(a.dims("dim")); })},
      {"unsqueeze", plain([](X x, A a) { return x.unsqueeze(a.index("dim")); })},
      {"atleast_1d", telling_self([](X x, A) { return x.atleast_1d(); })},
      {"atleast_2d", telling_self([](X x, A) { return x.atleast_2d(); })},
      {"atleast_3d", telling_self([](X x, A) { return x.atleast_3d(); })},
      {"alias", plain([](X x, A) { return x.alias(); })},
      {"detach", plain([](X x, A) { return x.detach(); })},
  };
  return operations;
}

const Operations& view_operations() {
  static const Operations operations{
      {"as_strided", plain([](X x, A a) {
         return x.as_strided(a.dims("size"), a.dims("stride"), a.maybe_index("storage_offset"));
       })},
      {"expand", plain([](X x, A a) { return x.expand(a.dims("size")); })},
      {"broadcast_to", plain([](X x, A a) { return x.broadcast_to(a.dims("size")); })},
      {"select", plain([](X x, A a) { return x.select(a.index("dim"), a.index("index")); })},
      {"narrow",
       plain([](X x, A a) { return x.narrow(a.index("dim"), a.index("start"), a.index("length")); })},
      {"slice", plain([](X x, A a) {
         return x.slice(a.index("dim", 0), a.maybe_index("start"), a.maybe_index("end"), a.index("step", 1));
       })},
      {"index", plain(index_as_torch)},
      {"diagonal", plain([](X x, A a) {
         return x.diagonal(a.index("offset", 0), a.index("dim1", 0), a.index("dim2", 1));
       })},
      {"linalg_diagonal", plain([](X x, A a) {
         return linalg_diagonal(x, a.index("offset", 0), a.index("dim1", -2), a.index("dim2", -1));
       })},
      {"unfold",
       plain([](X x, A a) { return x.unfold(a.index("dimension"), a.index("size"), a.index("step")); })},
      {"view", plain([](X x, A a) { return x.view(a.dims("size")); })},
      {"view.dtype", plain([](X x, A a) { return x.view(a.dtype("dtype")); })},
      {"view_as_real", plain([](X x, A) { return view_as_real(x); })},
      {"view_as_complex", plain([](X x, A) { return view_as_complex(x); })},
      {"real", telling_self([](X x, A) { return x.real(); })},
      {"imag", plain([](X x, A) { return x.imag(); })},
      {"unflatten", plain([](X x, A a) { return x.unflatten(a.index("dim"), a.dims("sizes")); })},
      {"reshape", plain([](X x, A a) { return x.reshape(a.dims("shape")); })},
      {"flatten",
       telling_self([](X x, A a) { return x.flatten(a.index("start_dim", 0), a.index("end_dim", -1)); })},
      {"ravel", plain([](X x, A) { return x.ravel(); })},
      {"unbind", plain([](X x, A a) { return x.unbind(a.index("dim", 0)); })},
      {"split", plain([](X x, A a) { return x.split(a.index("split_size"), a.index("dim", 0)); })},
      {"split_with_sizes",
       plain([](X x, A a) { return x.split_with_sizes(a.dims("split_sizes"), a.index("dim", 0)); })},
      {"chunk", plain([](X x, A a) { return x.chunk(a.index("chunks"), a.index("dim", 0)); })},
      {"tensor_split.sections",
       plain([](X x, A a) { return x.tensor_split(a.index("sections"), a.index("dim", 0)); })},
      {"tensor_split.indices",
       plain([](X x, A a) { return x.tensor_split(a.dims("indices"), a.index("dim", 0)); })},
      {"hsplit",
       split_at([](X x, Index n) { return x.hsplit(n); }, [](X x, const Dims& at) { return x.hsplit(at); })},
      {"vsplit",
       split_at([](X x, Index n) { return x.vsplit(n); }, [](X x, const Dims& at) { return x.vsplit(at); })},
      {"dsplit",
       split_at([](X x, Index n) { return x.dsplit(n); }, [](X x, const Dims& at) { return x.dsplit(at); })},
  };
  return operations;
}

const Operations& copy_operations() {
  static const Operations operations{
      {"clone",
       plain([](X x, A a) { return x.clone(a.memory_format("memory_format", MemoryFormat::preserve)); })},
      {"contiguous", telling_self([](X x, A a) {
         return x.contiguous(a.memory_format("memory_format", MemoryFormat::contiguous));
       })},
      {"to", telling_self(to)},
      {"empty_like", plain([](X x, A a) {
         return empty_like(x, {.memory_format = a.memory_format("memory_format", MemoryFormat::preserve)});
       })},
      {"flip", plain([](X x, A a) { return x.flip(a.dims("dims")); })},
      {"fliplr", plain([](X x, A) { return x.fliplr(); })},
      {"flipud", plain([](X x, A) { return x.flipud(); })},
      {"rot90", plain([](X x, A a) { return x.rot90(a.index("k", 1), a.dims("dims")); })},
      {"roll", plain([](X x, A a) { return x.roll(a.one_or_more("shifts"), a.one_or_more("dims")); })},
      {"repeat", plain([](X x, A a) { return x.repeat(a.dims("repeats")); })},
      {"tile", plain([](X x, A a) { return x.tile(a.dims("dims")); })},
      {"repeat_interleave",
       plain([](X x, A a) { return x.repeat_interleave(a.index("repeats"), a.maybe_index("dim")); })},
      {"cat", plain([](X x, A a) { return cat(several(x, a), a.index("dim", 0)); })},
      {"stack", plain([](X x, A a) { return stack(several(x, a), a.index("dim", 0)); })},
      {"alias_copy", plain([](X x, A) { return alias_copy(x); })},
      {"detach_copy", plain([](X x, A) { return detach_copy(x); })},
      {"as_strided_copy", plain([](X x, A a) {
         return as_strided_copy(x, a.dims("size"), a.dims("stride"), a.maybe_index("storage_offset"));
       })},
      {"diagonal_copy", plain([](X x, A a) {
         return diagonal_copy(x, a.index("offset", 0), a.index("dim1", 0), a.index("dim2", 1));
       })},
      {"expand_copy", plain([](X x, A a) { return expand_copy(x, a.dims("size")); })},
      {"narrow_copy",
       plain([](X x, A a) { return narrow_copy(x, a.index("dim"), a.index("start"), a.index("length")); })},
      {"permute_copy", plain([](X x, A a) { return permute_copy(x, a.dims("dims")); })},
      {"select_copy", plain([](X x, A a) { return select_copy(x, a.index("dim"), a.index("index")); })},
      {"slice_copy", plain([](X x, A a) {
         return slice_copy(x, a.index("dim", 0), a.maybe_index("start"), a.maybe_index("end"),
                           a.index("step", 1));
       })},
      {"split_copy", plain([](X x, A a) { return split_copy(x, a.index("split_size"), a.index("dim", 0)); })},
      {"split_with_sizes_copy",
       plain([](X x, A a) { return split_with_sizes_copy(x, a.dims("split_sizes"), a.index("dim", 0)); })},
      {"squeeze_copy", plain([](X x, A) { return squeeze_copy(x); })},
      {"t_copy", plain([](X x, A) { return t_copy(x); })},
      {"transpose_copy", plain([](X x, A a) { return transpose_copy(x, a.index("dim0"), a.index("dim1")); })},
      {"unbind_copy", plain([](X x, A a) { return unbind_copy(x, a.index("dim", 0)); })},
      {"unfold_copy", plain([](X x, A a) {
         return unfold_copy(x, a.index("dimension"), a.index("size"), a.index("step"));
       })},
      {"unsqueeze_copy", plain([](X x, A a) { return unsqueeze_copy(x, a.index("dim")); })},
      {"view_copy", plain([](X x, A a) { return view_copy(x, a.dims("size")); })},
      {"view_as_real_copy", plain([](X x, A) { return view_as_real_copy(x); })},
      {"view_as_complex_copy", plain([](X x, A) { return view_as_complex_copy(x); })},
  };
  return operations;
}

}  // namespace

const Operations& torch_operations() {
  static const Operations all = [] {
    Operations merged = axis_operations();
    merged.insert(view_operations().begin(), view_operations().end());
    merged.insert(copy_operations().begin(), copy_operations().end());
    merged.insert(elementwise_operations().begin(), elementwise_operations().end());
    return merged;
  }();
  return all;
}

}  // namespace replay
