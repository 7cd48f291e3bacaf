// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "tenstride/block_plan.hpp"
#include "tenstride/file_runs.hpp"

namespace tenstride::detail {

/// Gaps up to the size of a page are read over: the disk reads whole pages.
inline constexpr Index disk_page = 4096;

/// Runs at least so many pages long are read into the tile's buffer where they lie, pages at their ends
/// included; shorter ones by way of a request's own buffer, as the pages would make the tile's buffer larger
/// by a quarter.
inline constexpr Index in_place_pages = 16;

/// The sizes that the limit gives to all plans alike.
struct BlockBudget {
  Index memory = 0;
  Index page = 1;
  Index request_bytes = 0;
  Index requests_in_flight = 0;
  Index group_bytes = 0;
};
BlockBudget budget_of(const BlockProblem& problem, const BlockLimits& limits);

/// The runs of a tile as it is read, and the buffer that holds them.
struct TileBuffer {
  FileRuns runs;
  Dims pitch;        ///< in elements
  Index nbytes = 0;  ///< with room for the pages at both ends
  bool is_in_place = false;
};
TileBuffer tile_buffer(const Dims& extents, const Dims& strides, Index item, Index begin, Index page);

/// The runs of a group as it is written: in the buffer each run lies at the same place of a page as in the
/// file.
TileBuffer group_buffer(const Dims& extents, const Dims& strides, Index item, Index page);

/// The whole pages that a piece of a file touches, in bytes.
struct WriteRange {
  Index first = 0;
  Index last = 0;
};
constexpr WriteRange range_of(Index first_byte, Index end_byte, Index page) {
  return {first_byte / page * page, (end_byte + page - 1) / page * page};
}
/// Of two pieces of a tile, one written after the other, the later one writes the page that the first ends in
/// where it begins in that, with what is there of both: what is left for the first.
constexpr WriteRange range_before(const WriteRange& first, Index next_first_page) {
  const bool is_shared = first.first <= next_first_page && next_first_page < first.last;
  return {first.first, is_shared ? next_first_page : first.last};
}

/// A tile's box cut into parts along its outer axes, each small enough for a group's buffer; each in the
/// order of the destination. The axis that is fastest in the source is cut to no less than a line of the
/// cache where other axes can be cut instead and runs stay whole.
std::vector<BlockBox> cut_into_groups(const BlockBox& box, const Dims& strides, const Dims& src_strides,
                                      Index item, Index page, Index group_bytes);

/// Position of an index, in elements.
Index position_of(const Dims& index, const Layout& layout);

/// Candidates for tiles of at most `elements` elements: whole along the fastest axes of either side, and
/// parts of the next ones.
std::vector<Dims> tile_candidates(const BlockProblem& problem, Index elements);

/// The longest request that is not read in place, of a full tile's buffer. Where that is read in place,
/// shorter tiles at the end of an axis need not be.
Index bounce_slot_bytes(const TileBuffer& full, Index item, Index page, Index request_bytes);

/// What reading all tiles of a layout asks; false in `is_counted` where it was estimated.
BlockTraffic count_reads(const Layout& src, const Dims& tile, Index item, Index begin,
                         const BlockBudget& budget, bool& is_counted);
BlockTraffic count_writes(const Layout& dst, const Dims& src_strides, const Dims& tile, Index item,
                          Index begin, const BlockBudget& budget, bool& is_counted);

/// The fastest plan of a problem whose axes are in the order of the destination; nothing where no tile fits.
std::optional<BlockPlan> choose_plan(const BlockProblem& problem, const BlockLimits& limits);
/// Whether any tile fits.
bool has_plan(const BlockProblem& problem, const BlockLimits& limits);

/// What the first pass writes to the temporary file and the second one reads from it.
void count_blocks(BlockPlan& plan, const BlockBudget& budget);

/// The blocks of a tile of the first pass, in the order of the temporary file.
std::vector<BlockBox> blocks_of(const BlockPlan& plan, const BlockBox& tile);

}  // namespace tenstride::detail
