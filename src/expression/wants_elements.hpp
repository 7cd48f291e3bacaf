// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tenstride/expression/expression.hpp"

namespace tenstride::detail {

/// Whether the failure of an evaluation without memory is that: with elements the call may be carried out.
inline bool wants_elements(const Failure& failure) {
  return failure.message.find("meta") != std::string::npos ||
         failure.message.find("foretold") != std::string::npos;
}

}  // namespace tenstride::detail
