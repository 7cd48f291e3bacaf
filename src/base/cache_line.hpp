// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tenstride/base/index.hpp"

namespace tenstride::detail {

/// The bytes of a cache line.
inline constexpr Index line_bytes = 64;

}  // namespace tenstride::detail
