// SPDX-License-Identifier: Apache-2.0
// Copies within the caches, by one thread and without a buffer.
#pragma once

#include <cstddef>

#include "tenstride/plan/copy_way.hpp"

namespace tenstride::copy {

/// Copies the items of some loops, of `item` bytes, as the way says.
void copy_cached(const CachedTiles& way, const Loops& loops, Index item, std::byte* dst,
                 const std::byte* src);

/// Copies items of 1, 2, 4, 8 or 16 bytes one by one.
void copy_items(const Loops& loops, Index item, std::byte* dst, const std::byte* src);

}  // namespace tenstride::copy
