// SPDX-License-Identifier: Apache-2.0
// The order of a plan's loops.
#pragma once

#include <cstdint>

#include "tenstride/copy_plan.hpp"

namespace tenstride::detail {

inline constexpr Index line_bytes = 64;
/// Rows of the source from this far apart are turned straight to memory: nearer ones are one stream.
inline constexpr Index apart_bytes = 2048;

/// Rows of a tile from this length on are brought into the cache page by page while others are turned.
inline constexpr Index long_row_bytes = 2048;

/// Runs of the source below this begin elsewhere too often for the processor's prefetcher.
inline constexpr Index short_run_bytes = 1024;

/// Rows of a strip that is turned straight to memory, and as many columns as keep half a megabyte.
inline constexpr Index long_panel_bytes = 16384;
inline constexpr Index max_kept = 8192;
/// Tiles of fewer bytes are turned within the caches on processors that go on with one stream of memory, but
/// where their rows or columns lie so far apart that they share sets of a cache (Zen 5: both sides of 6 MiB
/// in 32 MiB of an L3 cache that others use too).
inline constexpr Index max_cached_tiles = Index{6} << 20;

/// As many streams as the processor's prefetcher follows on one side while it follows one on the other: with
/// 32, in order or not, a copy takes 1.4 times as long.
inline constexpr Index few_channels = 16;

/// How far apart two rows of a tile lie in the source. `item` in bytes.
Index bytes_apart(const CopyPlan& plan, Index item);

/// Reverses the loop on both sides: it begins where it ended.
void reverse(CopyLoop& loop, CopyPlan& plan);

/// Whether destination runs of so many bytes, at every place of the first `count` loops, are whole lines.
bool are_whole_lines(const CopyPlan& plan, const Placement& placement, const CopyLoops& loops,
                     std::size_t count, Index run_bytes);

/// Outer to inner as the destination lies.
void sort_by_destination(CopyLoops& loops);

/// Orders the loops outside of `strip_loop`, the turned loop innermost and the others by the strides of the
/// source and of the destination in turn: neither side leaves its pages for long.
void order_outer_loops(CopyPlan& plan);

/// Puts the strips around the loops whose steps in the source are not longer than the destination run's, so
/// that the rows of a strip are read on and on.
void place_strips(CopyPlan& plan);

}  // namespace tenstride::detail
