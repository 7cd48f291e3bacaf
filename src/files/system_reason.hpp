// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <system_error>

namespace tenstride::io {

/// What the system says to an `errno`, in brackets: " (No such file or directory)".
inline std::string system_reason(int error) {
  return " (" + std::generic_category().message(error) + ")";
}

}  // namespace tenstride::io
