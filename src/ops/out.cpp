// SPDX-License-Identifier: Apache-2.0
#include "ops/out.hpp"

#include "base/message.hpp"
#include "tensor/tensor_overlap.hpp"

namespace tenstride::detail {

void prepare_out(std::string_view operation, Tensor& out, const Layout& result, DType dtype, Device device,
                 OutType type, std::span<const Tensor> read) {
  if (out.device() != device) {
    throw RuntimeError(message(operation, ": out on ", name(out.device()),
                               " must be on the device of the result, ", name(device)));
  }
  const bool fits = type == OutType::same ? out.dtype() == dtype : can_cast(dtype, out.dtype());
  if (!fits) {
    throw RuntimeError(message(operation, ": out's dtype ", name(out.dtype()), " must ",
                               type == OutType::same ? "be" : "take", " the result's, ", name(dtype)));
  }
  static_cast<void>(out.mutable_storage_data());  // refuses a read-only tensor
  for (const Tensor& x : read) require_no_overlap(operation, out, x);
  if (out.shape() == result.shape) return require_distinct_elements(operation, out);
  out.resize_(result.shape);
  if (out.strides() != result.strides) out.as_strided_(result.shape, result.strides, out.storage_offset());
}

}  // namespace tenstride::detail
