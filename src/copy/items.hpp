// SPDX-License-Identifier: Apache-2.0
// Copies item by item, for copies so small that nothing else is faster.
#pragma once

#include <cstddef>

#include "copy/cached.hpp"

namespace tenstride::copy {

/// Copies items of 1, 2, 4, 8 or 16 bytes, one by one or by contiguous runs.
void copy_items(const Loops& loops, std::size_t item, std::byte* dst, const std::byte* src);

}  // namespace tenstride::copy
