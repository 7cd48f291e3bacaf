// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/message.hpp"
#include "tenstride/tensor/tensor.hpp"

namespace tenstride::detail {

/// Throws RuntimeError where a tensor has no elements, as on `meta`. `purpose` says what they are wanted for:
/// "read", "copied".
inline void require_memory(const Tensor& tensor, std::string_view operation,
                           std::string_view purpose = "read") {
  if (tensor.has_memory()) return;
  throw RuntimeError(message(operation, ": ", without_memory_text(tensor.device()), " has no elements to be ",
                             purpose, " (shape ", tensor.shape(), ")"));
}

}  // namespace tenstride::detail
