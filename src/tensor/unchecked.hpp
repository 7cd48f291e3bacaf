// SPDX-License-Identifier: Apache-2.0
// Tensors made of parts that are known to fit: what `Tensor(storage, layout, dtype)` checks is not checked
// again.
#pragma once

#include <string_view>
#include <utility>

#include "tenstride/base/export.hpp"
#include "tenstride/tensor/tensor.hpp"

namespace tenstride {
namespace detail {

struct TensorAccess {
  static Tensor make(Storage&& storage, const Layout& layout, DType dtype) {
    Tensor result;
    result.storage_ = std::move(storage);
    result.layout_ = layout;
    result.dtype_ = dtype;
    return result;
  }
  static Tensor view(const Tensor& x, const Layout& layout) {
    return x.viewed([&layout] { return layout; });
  }
  static Tensor view(const Tensor& x, const Layout& layout, DType dtype) {
    Tensor result = view(x, layout);
    result.dtype_ = dtype;
    result.is_conj_ = false;
    result.is_neg_ = false;
    return result;
  }
  TENSTRIDE_API static Tensor uninitialized(const Dims& size, DType dtype, Device device,
                                            std::string_view operation);
};

}  // namespace detail

/// What `Tensor(storage, layout, dtype)` makes. Pre: the layout stays inside the storage.
inline Tensor unchecked_tensor(Storage&& storage, const Layout& layout, DType dtype) {
  return detail::TensorAccess::make(std::move(storage), layout, dtype);
}

/// A row-major tensor with memory of its own: what `empty` makes.
inline Tensor uninitialized(const Dims& size, DType dtype, Device device, std::string_view operation) {
  return detail::TensorAccess::uninitialized(size, dtype, device, operation);
}

/// A view of x with the layout. Pre: the layout stays inside the storage.
inline Tensor with_layout(const Tensor& x, const Layout& layout) {
  return detail::TensorAccess::view(x, layout);
}
/// A view of x with other elements, counted in those; the conjugate and the negative bit go.
inline Tensor with_layout(const Tensor& x, const Layout& layout, DType dtype) {
  return detail::TensorAccess::view(x, layout, dtype);
}

}  // namespace tenstride
