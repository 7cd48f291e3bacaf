// SPDX-License-Identifier: Apache-2.0
// Tensors passed as `out`: what PyTorch requires of them before a result is written.
#pragma once

#include <span>
#include <string_view>

#include "tenstride/base/export.hpp"
#include "tenstride/tensor/tensor.hpp"

namespace tenstride::detail {

/// Which element types `out` may have.
enum class OutType : unsigned char {
  same,      ///< the result's alone
  castable,  ///< one of the same or a higher kind: float32 for int64, not int64 for float32
};

/// Prepares `out` for a result of that layout and type. Where its shape
/// differs it is resized and has the result's strides, else it keeps its own. Throws RuntimeError for another
/// type or device, and where elements of `out` share memory with each other or with what is `read`.
TENSTRIDE_API void prepare_out(std::string_view operation, Tensor& out, const Layout& result, DType dtype,
                               Device device, OutType type, std::span<const Tensor> read);

}  // namespace tenstride::detail
