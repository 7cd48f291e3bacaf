// SPDX-License-Identifier: Apache-2.0
// Tiles and channels: copies whose source and destination are contiguous along different loops.
#include <algorithm>

#include "plan/ways/tile_shape.hpp"
#include "plan/ways/ways.hpp"

namespace tenstride::detail {
namespace {

// What has costs of its own (plan/costs.hpp), as drawn copies showed (bench/notes/drawn.md). Items of 16
// bytes; five channels and more, which are as fast interleaved as fewer are only by streaming stores; and
// rows of such items of at most this many bytes: 44 x 23 complex128 .22 of a plain copy (blocks .5), 80 x 100
// .40
// (.49) on Zen 3.
constexpr Index large_item = 16;
constexpr Index min_interleaved = 5;
constexpr Index max_slow_row_bytes = 1536;
/// Runs of up to four channels that are streamed from registers: 16 x 2 float64 .51 (blocks .45), 32 x 4 .98
/// (.35) on Zen 3.
constexpr Index min_line_channel_bytes = 128;
/// Columns of at most this many bytes without gaps between them are transposed through a buffer.
constexpr Index max_buffered_column = 128;

Index extent_of(const Nest& nest, std::size_t first, std::size_t end) {
  Index extent = 1;
  for (const Loop& loop : nest.loops.part(first, end)) extent *= loop.extent;
  return extent;
}

double cost_of_channels(const Tiles& tiles, const Problem& problem) {
  const Nest& nest = tiles.nest;
  const Costs& costs = problem.costs();
  const Index source = nest[tiles.source_loop].extent;
  const Index inner = nest.inner().extent;
  const bool is_large = nest.dst_item == large_item;
  const auto of_many = [&](double cost, Index number) {
    return tiles.converts && number >= min_interleaved ? cost * costs.converted_channels : cost;
  };
  if (tiles.kernel == TileKernel::deinterleave) {
    const Index run = inner * nest.dst_item;
    if (!tiles.converts && source < min_interleaved && run >= min_line_channel_bytes &&
        run % line_bytes == 0 && has_uniform_line_offset(nest))
      return costs.line_channels +
             per_byte(is_large ? costs.large_item_line_channel_bytes : costs.line_channel_bytes, run);
    return of_many(costs.channels, source) + per_byte(costs.channel_bytes, run);
  }
  const Index run = source * nest.src_item;
  if (!is_large) return of_many(costs.channels, inner) + per_byte(costs.channel_bytes, run);
  return inner >= min_interleaved
             ? of_many(costs.interleaved_large_items, inner) + per_byte(costs.channel_bytes, run)
             : costs.channels + per_byte(costs.large_item_channel_bytes, run);
}

double cost_of_tiles(const Tiles& tiles, const Problem& problem) {
  const Nest& nest = tiles.nest;
  const Costs& costs = problem.costs();
  const Index item = nest.dst_item;
  const Index column = extent_of(nest, tiles.strip_loop, nest.size()) * item;
  const Index rows = extent_of(nest, tiles.source_loop + 1 - tiles.source_loops, tiles.source_loop + 1);
  const Index row = rows * nest.src_item;
  const bool has_lines = column % line_bytes == 0 && has_uniform_line_offset(nest);
  const bool is_buffered = column <= max_buffered_column && nest[tiles.source_loop].dst_stride == column;
  const double each_row = per_byte(costs.short_row_bytes, row);
  const double short_rows = row < line_bytes ? each_row : 0;
  if (has_lines) {
    const bool are_slow = tiles.converts || (item == large_item && row <= max_slow_row_bytes);
    return (are_slow ? costs.slow_line_tiles : costs.tiles) + short_rows;
  }
  const double matrices =
      per_byte(costs.small_matrix_bytes, rows * column) + (item < 4 ? costs.short_item_partial_lines : 0);
  const double mixed = item < large_item ? costs.partial_lines : 1;
  if (is_buffered)
    return mixed *
           ((tiles.converts ? costs.converted_joined_tiles : costs.joined_tiles) + matrices + short_rows);
  return mixed * ((tiles.converts ? costs.converted_tiles : costs.tiles) + matrices +
                  per_byte(costs.partial_column_bytes, column) + each_row);
}

/// A candidate with tiles, whose cost `cost_of` says.
template <class Way>
std::optional<Candidate> candidate(const Problem& problem, double (*cost_of)(const Tiles&, const Problem&)) {
  std::optional<Candidate> result(std::in_place, std::in_place_type<Way>);
  Way& tiles = std::get<Way>(result->way);
  shape_tiles(tiles, problem);
  if (problem.streams() && tiles.kernel == TileKernel::transpose) join_source_loops(tiles);
  place(tiles, problem.conversion, problem.in_line(tiles.nest.dst_offset));
  result->cost = cost_of(tiles, problem);
  return result;
}

}  // namespace

std::optional<Candidate> propose_tiles(Problem& problem) {
  if (problem.access.kind != AccessKind::transpose) return std::nullopt;
  return candidate<Tiles>(problem, cost_of_tiles);
}

std::optional<Candidate> propose_channels(Problem& problem) {
  if (!problem.access.has_channels()) return std::nullopt;
  return candidate<Channels>(problem, cost_of_channels);
}

}  // namespace tenstride::detail
