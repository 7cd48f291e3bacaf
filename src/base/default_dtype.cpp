// SPDX-License-Identifier: Apache-2.0
#include "tenstride/base/default_dtype.hpp"

#include <atomic>

#include "base/message.hpp"

namespace tenstride {
namespace {

std::atomic<DType> chosen = DType::float32;

}  // namespace

DType default_dtype() noexcept {
  return chosen.load(std::memory_order_relaxed);
}

DType default_complex_dtype() noexcept {
  switch (default_dtype()) {
    case DType::float64:
      return DType::complex128;
    case DType::float16:
      return DType::complex32;
    default:
      return DType::complex64;
  }
}

void set_default_dtype(DType type) {
  if (!is_floating_point(type) || item_size(type) == 1) {
    throw TypeError(
        detail::message("set_default_dtype: ", name(type), " must be float16, bfloat16, float32 or float64"));
  }
  chosen.store(type, std::memory_order_relaxed);
}

}  // namespace tenstride
