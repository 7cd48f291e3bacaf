// SPDX-License-Identifier: Apache-2.0
#include "tenstride/tensor/ops_views.hpp"

#include "base/message.hpp"
#include "memory/watch.hpp"
#include "tensor/unchecked.hpp"

namespace tenstride {

Tensor view_as_real(const Tensor& x) {
  if (!x.is_complex()) {
    throw RuntimeError(detail::message("view_as_real: the dtype ", name(x.dtype()), " must be complex"));
  }
  if (x.is_conj()) {
    throw RuntimeError(
        "view_as_real: a tensor whose conjugation is pending must be resolved first; use .resolve_conj()");
  }
  const Tensor parts = with_layout(x, view_as_real(x.layout()), component_type(x.dtype()));
  return x.is_neg() ? parts.neg_view() : parts;
}

Tensor view_as_complex(const Tensor& x) {
  const std::optional<DType> type = complex_type(x.dtype());
  if (!type) {
    throw RuntimeError(detail::message("view_as_complex: the dtype ", name(x.dtype()),
                                       " must be float16, float32 or float64"));
  }
  const Tensor joined = with_layout(x, view_as_complex(x.layout()), *type);
  return x.is_neg() ? joined.neg_view() : joined;
}

std::vector<Tensor> broadcast_tensors(TensorList tensors) {
  Dims shape;
  for (const Tensor& x : tensors) shape = broadcast_shapes(shape, x.shape());
  std::vector<Tensor> result;
  result.reserve(tensors.size());
  for (const Tensor& x : tensors) result.push_back(x.expand(shape));
  return result;
}

Tensor narrow_copy(const Tensor& x, Index dim, Index start, Index length, Caller caller) {
  if (dim >= x.dim() && x.dim() > 0) {
    throw RuntimeError(detail::message("narrow_copy: axis ", dim, " must lie in [", -x.dim(), ",",
                                       x.dim() - 1, "] (shape ", x.shape(), ")"));
  }
  if (x.dim() > 0) {
    // The axis and the start are asked before the length.
    const std::size_t d = wrap_axis("narrow_copy", dim, x.shape());
    if (start < -x.shape()[d] || start > x.shape()[d]) detail::throw_narrow_start(dim, start, x.shape());
  }
  return detail::contiguous_copy(x.narrow(dim, start, length), "narrow_copy", caller);
}

Tensor detail::contiguous_copy(const Tensor& view, std::string_view operation, const Caller& caller) {
  const OperationScope scope(operation, caller);
  return view.clone(MemoryFormat::contiguous);
}

std::vector<Tensor> detail::contiguous_copies(std::vector<Tensor> views, std::string_view operation,
                                              const Caller& caller) {
  for (Tensor& view : views) view = contiguous_copy(view, operation, caller);
  return views;
}

}  // namespace tenstride
