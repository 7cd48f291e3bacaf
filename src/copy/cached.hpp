// SPDX-License-Identifier: Apache-2.0
// Copies within the caches, by tables of the offsets of rows and columns, without a plan or a buffer.
#pragma once

#include <cstddef>

#include "plan/loops.hpp"

namespace tenstride::copy {

using detail::Loop;
using detail::Loops;

/// Copies items of 1, 2, 4, 8 or 16 bytes. Returns false, with nothing written, where the destination has no
/// contiguous run, or where runs of strided items are better copied by a plan. Pre: the loops are merged.
bool copy_cached(const Loops& loops, std::size_t item, std::byte* dst, const std::byte* src);

}  // namespace tenstride::copy
