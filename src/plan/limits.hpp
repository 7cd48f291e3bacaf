// SPDX-License-Identifier: Apache-2.0
// Thresholds that several ways share.
#pragma once

#include "base/cache_line.hpp"
#include "tenstride/plan/machine.hpp"

namespace tenstride::detail {

/// Rows of the source that lie at least this far apart are separate memory streams, and a tile of them is
/// transposed straight to memory. Closer rows are read as one stream.
inline constexpr Index min_separate_pitch = 2048;

/// Rows of a tile of at least this length are prefetched page by page while others are transposed.
inline constexpr Index long_tile_row_bytes = 2048;

/// Runs of the source shorter than this start at new addresses too often for the processor's prefetcher.
inline constexpr Index short_run_bytes = 1024;

/// Length of the rows, and the largest number of columns, of a panel that is transposed straight to memory.
/// Each column keeps one partial line for the next strip: 8192 columns keep 512 KiB, which the L2 cache
/// holds.
inline constexpr Index long_panel_bytes = 16384;
inline constexpr Index max_panel_columns = 8192;
/// Bytes of a panel's columns. Panels that are converted have columns of two lines on the narrower side, and
/// at most 64 rows where items become shorter: with twice as many rows uint8 to float32 .83-.85 → .44-.48,
/// float32 to uint8 .58 → .34-.41 of a plain copy.
inline constexpr Index panel_column_bytes = 128;
constexpr Index converted_panel_rows(Index dst_item, Index src_item) {
  if (src_item <= dst_item) return panel_column_bytes / src_item;
  const Index rows = panel_column_bytes / dst_item;
  return rows < 64 ? rows : 64;
}
/// The greatest number of rows of a panel that the processor's prefetcher follows at a time, and how many
/// lines before they are read they are then prefetched.
inline constexpr Index max_followed_rows = 64;
inline constexpr Index near_prefetch_lines = 2;

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

}  // namespace tenstride::detail
