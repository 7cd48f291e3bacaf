// SPDX-License-Identifier: Apache-2.0
// Copies whose both sides stay in a cache: by tables of where rows and columns lie, without a plan, a worker
// or a buffer.
#pragma once

#include <cstddef>

#include "plan/loops.hpp"

namespace tenstride::copy {

using detail::Loop;
using detail::Loops;

/// Writes items of 1, 2, 4, 8 or 16 bytes from one side to the other. False, and nothing is written, where
/// the destination has no contiguous run, or the items of one are a stride apart. Pre: merged loops.
bool copy_cached(const Loops& loops, std::size_t item, std::byte* dst, const std::byte* src);

}  // namespace tenstride::copy
