// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "io/plan/file_runs.hpp"
#include "io/plan/tile_plan.hpp"

namespace tenstride::detail {

/// Gaps of at most a page are read over, as the disk reads whole pages anyway.
inline constexpr Index disk_page = 4096;

/// Runs of at least this many pages are read in place, directly into the tile's buffer, with the pages at
/// their ends. Shorter ones pass a request's own buffer, as their end pages would make the tile's buffer
/// larger by up to a quarter.
inline constexpr Index in_place_pages = 16;

/// Sizes that follow from the limits and hold for all plans.
struct BlockBudget {
  Index memory = 0;
  Index page = 1;
  Index request_bytes = 0;
  Index requests_in_flight = 0;
  Index group_bytes = 0;
};
BlockBudget budget_of(const BlockProblem& problem, const BlockLimits& limits);

/// The runs of a tile that is read, and the buffer that holds them.
struct TileBuffer {
  FileRuns runs;
  Dims pitch;        ///< in elements
  Index nbytes = 0;  ///< with room for pages at both ends
  bool is_in_place = false;
};
TileBuffer tile_buffer(const Dims& extents, const Dims& strides, Index item, Index begin, Index page);

/// The runs of a group that is written. In the buffer each run has the same offset in a page as in the file.
TileBuffer group_buffer(const Dims& extents, const Dims& strides, Index item, Index page);

/// The byte range of the whole pages that a piece of a file touches.
struct WriteRange {
  Index first = 0;
  Index last = 0;
};
constexpr WriteRange range_of(Index first_byte, Index end_byte, Index page) {
  return {first_byte / page * page, (end_byte + page - 1) / page * page};
}
/// The part of the pages of piece `first` that it writes itself. Where the next piece begins in the page that
/// the first one ends in, the next one writes that page with the bytes of both.
constexpr WriteRange range_before(const WriteRange& first, Index next_first_page) {
  const bool is_shared = first.first <= next_first_page && next_first_page < first.last;
  return {first.first, is_shared ? next_first_page : first.last};
}

/// Cuts a tile's box along its outer axes into parts that fit a group's buffer, in the order of the
/// destination. The axis that is fastest in the source is cut to no less than a cache line, where other axes
/// can be cut instead and runs stay whole.
std::vector<Box> cut_into_groups(const Box& box, const Dims& strides, const Dims& src_strides, Index item,
                                 Index page, Index group_bytes);

/// Reading all elements of a file of this layout once, elements of `item` bytes from byte `begin` on.
BlockProblem reading_problem(const Layout& layout, Index item, Index begin);

/// The position of an index in a layout, in elements.
Index position_of(const Dims& index, const Layout& layout);

/// Candidates for tiles of at most `elements` elements: whole along the fastest axes of either side, with
/// parts of the next ones.
std::vector<Dims> tile_candidates(const BlockProblem& problem, Index elements);

/// Bytes of the longest request that is not read in place, for a full tile's buffer. Shorter tiles at the end
/// of an axis may not be read in place even where full ones are.
Index bounce_slot_bytes(const TileBuffer& full, Index item, Index page, Index request_bytes);

/// One side of a pass: elements of `item` bytes, from byte `begin` of the file on.
struct FileSide {
  const Layout& layout;
  Index item = 1;
  Index begin = 0;
};
inline FileSide src_side(const BlockProblem& problem) {
  return {problem.src, problem.src_item, problem.src_begin};
}
inline FileSide dst_side(const BlockProblem& problem) {
  return {problem.dst, problem.dst_item, problem.dst_begin};
}
/// Counts the reads and the writes of all tiles of a side; sets `is_counted` to false where they are
/// estimated.
BlockTraffic count_reads(const FileSide& src, const Dims& tile, const BlockBudget& budget, bool& is_counted);
BlockTraffic count_writes(const FileSide& dst, const Dims& src_strides, const Dims& tile,
                          const BlockBudget& budget, bool& is_counted);

/// The fastest plan of a problem whose axes are in the destination's order; nothing where no tile fits.
std::optional<TilePlan> choose_plan(const BlockProblem& problem, const BlockLimits& limits);
/// Whether any tile fits.
bool has_plan(const BlockProblem& problem, const BlockLimits& limits);

/// Counts what the first pass writes to the temporary file and what the second one reads from it.
void count_blocks(TilePlan& plan, const BlockBudget& budget);

/// The blocks of a tile of the first pass, in the order of the temporary file.
std::vector<Box> blocks_of(const TilePlan& plan, const Box& tile);

}  // namespace tenstride::detail
