// SPDX-License-Identifier: Apache-2.0
// Items one by one: for copies so small that nothing else pays.
#pragma once

#include <cstddef>

#include "copy/cached.hpp"

namespace tenstride::copy {

/// Items of 1, 2, 4, 8 or 16 bytes.
void copy_items(const Loops& loops, std::size_t item, std::byte* dst, const std::byte* src);

}  // namespace tenstride::copy
