// SPDX-License-Identifier: Apache-2.0
// The extents of tiles, and of what is interleaved or deinterleaved at a time.
#pragma once

#include <cstdint>

#include "tenstride/copy_plan.hpp"

namespace tenstride::detail {

/// How what is written in order goes to memory.
enum class InOrder : std::uint8_t { through_cache, non_temporal };

/// A tile is whole lines wide in the destination and a page long in the source; where the matrix is narrower
/// than the tile on one side the tile grows along the other. Orders the loops around it. Pre: the kernel and
/// the turned loop are chosen; `bytes` of an item of the source.
void choose_tile(CopyPlan& plan, Index bytes, InOrder order);

/// Whether every run of the destination has the same place within a line: then whole lines of each go
/// straight past the cache, and the rest through it.
bool keeps_lines(const CopyPlan& plan);

}  // namespace tenstride::detail
