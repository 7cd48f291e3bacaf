// SPDX-License-Identifier: Apache-2.0
#include "tenstride/ops/diagonals.hpp"

#include <algorithm>

#include "base/message.hpp"
#include "memory/watch.hpp"
#include "tensor/tensor_overlap.hpp"
#include "tensor/unchecked.hpp"
#include "tenstride/copy/copy.hpp"
#include "tenstride/elementwise/arithmetic.hpp"
#include "tenstride/tensor/factory.hpp"

namespace tenstride {
namespace {

using detail::message;
using detail::OperationScope;

/// A copy of the storage, seen as the tensor sees its own; dense where an axis has stride 0.
Tensor copy_with_strides(const Tensor& x) {
  for (std::size_t d = 0; d < x.layout().rank(); ++d) {
    if (x.strides()[d] == 0 && x.shape()[d] > 1) return x.clone();
  }
  Tensor storage = x.flat_storage();
  if (x.is_conj()) storage = storage.conj();
  if (x.is_neg()) storage = storage.neg_view();
  return with_layout(storage.clone(), x.layout());
}

/// `view` is of `result`.
Tensor replaced(std::string_view operation, Tensor result, Tensor view, const Tensor& src) {
  if (view.shape() != src.shape()) {
    throw RuntimeError(
        message(operation, ": src of shape ", src.shape(), " must have the view's shape ", view.shape()));
  }
  detail::require_distinct_elements(operation, view);
  copy_elements(view, src);
  return result;
}

}  // namespace

Tensor diag(const Tensor& x, Index diagonal, Caller caller) {
  const OperationScope scope("diag", caller);
  if (x.dim() == 1) return diag_embed(x, diagonal);
  if (x.dim() == 2) return x.diagonal(diagonal).clone(MemoryFormat::contiguous);
  throw RuntimeError(message("diag: the tensor must have 1 or 2 axes (shape ", x.shape(), ")"));
}

Tensor diag_embed(const Tensor& x, Index offset, Index dim1, Index dim2, Caller caller) {
  const OperationScope scope("diag_embed", caller);
  const std::size_t rank = x.layout().rank() + 1;
  const std::size_t first = detail::wrap_axis("diag_embed", dim1, x.shape(), rank);
  const std::size_t second = detail::wrap_axis("diag_embed", dim2, x.shape(), rank);
  if (first == second) detail::throw_equal_axes("diag_embed", dim1, x.shape());
  const Index away = offset < 0 ? checked_multiply(offset, -1, "diag_embed") : offset;
  const Index size = checked_add(x.size(-1), away, "diag_embed");
  Dims shape = x.shape();
  shape.pop_back();
  shape.insert(std::min(first, second), size);
  shape.insert(std::max(first, second), size);
  Tensor result = zeros(shape, {.dtype = x.dtype(), .device = x.device()});
  Tensor diagonal = result.diagonal(offset, static_cast<Index>(first), static_cast<Index>(second));
  copy_elements(diagonal, x);
  return result;
}

Tensor diagflat(const Tensor& x, Index offset, Caller caller) {
  const OperationScope scope("diagflat", caller);
  return diag_embed(x.reshape({-1}), offset);
}

Tensor& fill_diagonal_(Tensor& self, const Scalar& value, Wrap wrap, Caller caller) {
  const OperationScope scope("fill_diagonal_", caller);
  if (self.dim() < 2) detail::throw_rank("fill_diagonal_", self.shape(), "must have at least 2 axes");
  const bool is_even = std::all_of(self.shape().begin(), self.shape().end(),
                                   [&](Index size) { return size == self.shape()[0]; });
  if (self.dim() > 2 && !is_even) {
    throw RuntimeError(
        message("fill_diagonal_: all axes must have one size where there are more than 2 (shape ",
                self.shape(), ")"));
  }
  Tensor diagonal = self.diagonal();
  while (diagonal.dim() > 1) diagonal = diagonal.diagonal(0, 0, -1);
  diagonal.fill_(value);
  if (wrap == Wrap::no || self.dim() > 2 || self.size(1) == 0) return self;
  const Index block = self.size(1) + 1;
  for (Index row = block; row < self.size(0); row += block) self.slice(0, row).diagonal().fill_(value);
  return self;
}

Tensor trace(const Tensor& x, Caller caller) {
  const OperationScope scope("trace", caller);
  if (x.dim() != 2) detail::throw_rank("trace", x.shape(), "must have 2 axes");
  if (x.dtype() == DType::bool_)
    throw RuntimeError("trace: dtype bool must be a number's; convert with .to(dtype)");
  // Of single precision PyTorch adds in double precision, too.
  const bool is_single = component_type(x.dtype()) == DType::float32;
  if (!is_single) return sum(x.diagonal());
  const DType wide = x.is_complex() ? DType::complex128 : DType::float64;
  return sum(x.diagonal(), {}, KeepDim::no, wide).to(x.dtype());
}

Tensor diagonal_scatter(const Tensor& x, const Tensor& src, Index offset, Index dim1, Index dim2,
                        Caller caller) {
  const OperationScope scope("diagonal_scatter", caller);
  const Tensor result = copy_with_strides(x);
  return replaced("diagonal_scatter", result, result.diagonal(offset, dim1, dim2), src);
}

Tensor select_scatter(const Tensor& x, const Tensor& src, Index dim, Index index, Caller caller) {
  const OperationScope scope("select_scatter", caller);
  const Tensor result = copy_with_strides(x);
  return replaced("select_scatter", result, result.select(dim, index), src);
}

Tensor slice_scatter(const Tensor& x, const Tensor& src, Index dim, std::optional<Index> start,
                     std::optional<Index> end, Index step, Caller caller) {
  const OperationScope scope("slice_scatter", caller);
  const Tensor result = copy_with_strides(x);
  return replaced("slice_scatter", result, result.slice(dim, start, end, step), src);
}

Tensor as_strided_scatter(const Tensor& x, const Tensor& src, const Dims& size, const Dims& stride,
                          std::optional<Index> storage_offset, Caller caller) {
  const OperationScope scope("as_strided_scatter", caller);
  const Tensor result = copy_with_strides(x);
  return replaced("as_strided_scatter", result, result.as_strided(size, stride, storage_offset), src);
}

}  // namespace tenstride
