// SPDX-License-Identifier: Apache-2.0
// The order of a plan's loops around the tiles, and which of them make up the source run.
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
inline constexpr Index most_kept = 8192;
/// Bytes of a column that a wide strip of them has.
inline constexpr Index wide_strip_bytes = 256;

/// Tiles of fewer bytes are turned within the caches on processors that go on with one stream of memory, but
/// where their rows or columns lie so far apart that they share sets of a cache (Zen 5: both sides of 6 MiB
/// in 32 MiB of an L3 cache that others use too).
inline constexpr Index most_cached_tiles = Index{6} << 20;

/// Pages of each of the 16 ways of the L2 cache: 1 MiB on Skylake-SP and its like, 2 MiB since.
inline constexpr Index small_way_pages = 16;
inline constexpr Index large_way_pages = 32;

/// As many streams as the processor's prefetcher follows on one side while it follows one on the other: with
/// 32, in order or not, a copy takes 1.4 times as long.
inline constexpr Index few_channels = 16;

/// Whether so many rows so many bytes apart fill all ways of the sets of the L2 cache that they share, or
/// more: with ways of 64 KiB, rows of (nearly) a multiple of 8 KiB. Each way then holds one row, and lines go
/// that are not turned yet: 128 rows of bytes are read in twice the time of 64.
bool fill_sets(Index rows, Index apart, Index way_pages);

/// How far apart two rows of a tile lie in the source. `item` in bytes.
Index bytes_apart(const CopyPlan& plan, Index item);

/// Outer to inner as the destination lies.
void sort_by_destination(CopyLoops& loops);

/// The plan with its loops so, from the first elements on.
CopyPlan in_destination_order(const CopyPlan& plan);

/// Whose strides decide on the order of the outer loops.
enum class OuterOrder : std::uint8_t {
  source,  ///< what is read next lies beside what was read
  both     ///< the source's and the destination's in turn: neither side leaves its pages for long
};

/// Orders the loops outside of `strip_loop`, the turned loop of a tile innermost.
void order_outer_loops(CopyPlan& plan, OuterOrder order);

/// Puts the strips around the loops whose steps in the source are not longer than the destination run's, so
/// that the rows of a strip are read on and on.
void place_strips(CopyPlan& plan);

/// For tiles of a copy far larger than what the TLB covers: narrower strips, and another order of the loops,
/// where the tiles would be written to more pages than it holds, one item of a line to each. Pre: streaming;
/// ordered, with strips placed. `item` in bytes.
void arrange_for_pages(CopyPlan& plan, Index item);

/// The same for processors whose TLB finds the pages again, and whose streaming stores are the faster ones:
/// short rows of the source are gone on with, whatever the destination's pages, by strips of two lines and
/// runs long enough for the prefetcher. Reversed 4-d to 6-d permutations have .68-.95 of a plain copy so; by
/// strips of one line, with loops cut where pages are lost, .57-.69. Strips of long rows
/// are wide where memory is read as one stream.
void arrange_for_streams(CopyPlan& plan, Index item);

/// Makes short rows of the source longer, where its next loops are no part of the destination run: both runs
/// are then several loops, and the plan is one of a matrix with long rows on both sides, whose rows and
/// columns are listed. Pre: a streaming tile without scale, on a processor as for `arrange_for_streams`.
/// Whether it did.
bool join_source_loops(CopyPlan& plan, Index item);

}  // namespace tenstride::detail
