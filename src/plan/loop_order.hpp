// SPDX-License-Identifier: Apache-2.0
// The order of a plan's loops, and the thresholds that its strategies share.
#pragma once

#include <cstdint>

#include "base/cache_line.hpp"
#include "tenstride/plan/copy_plan.hpp"

namespace tenstride::detail {

/// Rows of the source that lie at least this far apart are separate memory streams, and a tile of them is
/// transposed straight to memory. Closer rows are read as one stream.
inline constexpr Index min_separate_pitch = 2048;

/// Rows of a tile of at least this length are prefetched page by page while others are transposed.
inline constexpr Index long_row_bytes = 2048;

/// Runs of the source shorter than this start at new addresses too often for the processor's prefetcher.
inline constexpr Index short_run_bytes = 1024;

/// Length of the rows, and the largest number of columns, of a panel that is transposed straight to memory.
/// Each column keeps one partial line for the next strip: 8192 columns keep 512 KiB, which the L2 cache
/// holds.
inline constexpr Index long_panel_bytes = 16384;
inline constexpr Index max_panel_columns = 8192;
/// Copies by tiles of up to so many bytes stay in the caches on processors with one memory stream
/// (`MemoryStreams::one`), except where rows or columns lie so far apart that they share sets of a cache. On
/// Zen 5, whose L2 cache has 1 MiB, both sides of 6 MiB fit the part of the L3 cache that others leave. On
/// Zen 3, with half of that, copies of 4 to 6 MiB have half the speed of blocks, also where they are in a
/// cache.
inline Index max_cached_tile_bytes(const Machine& machine) {
  return 6 * machine.l2_bytes;
}

/// The processor's prefetcher follows this many streams on one side beside one on the other. With 32 streams
/// a copy takes 1.4 times as long, whatever their order.
inline constexpr Index max_followed_channels = 16;

/// The distance of two rows of a tile in the source, in bytes. `item` is the size of an item in bytes.
Index row_pitch_bytes(const CopyPlan& plan, Index item);

/// Reverses the direction of a loop of the plan on both sides: it starts at its last index, with negated
/// strides. `is_scaled`: scale and shift run along it, and so their numbers are reversed.
void reverse(CopyLoop& loop, CopyPlan& plan, bool is_scaled);

/// Whether destination runs of `run_bytes`, one at each position of the first `count` loops, all consist of
/// whole cache lines.
bool are_whole_lines(const CopyPlan& plan, const Placement& placement, const CopyLoops& loops,
                     std::size_t count, Index run_bytes);

/// Sorts the loops by the size of their destination strides, the largest first.
void sort_by_destination(CopyLoops& loops);

/// Orders the loops around `strip_loop`: the source run innermost, around it alternately the loop with the
/// smallest stride in the source and the one with the smallest in the destination, so that neither side
/// leaves its memory pages for long.
void order_outer_loops(CopyPlan& plan);

/// Sets `strip_depth`: the loop over strips stands around the loops whose source strides are not larger than
/// the destination run's, so that the rows of a strip are read sequentially.
void place_strips(CopyPlan& plan);

}  // namespace tenstride::detail
