// SPDX-License-Identifier: Apache-2.0
// Tiles and channels: copies whose source and destination are contiguous along different loops.
#include <algorithm>

#include "plan/ways/tile_shape.hpp"
#include "plan/ways/ways.hpp"

namespace tenstride::detail {
namespace {

/// All constants here are fitted to measurements of drawn copies (bench/notes/drawn.md). Costs of copies with
/// long runs, as multiples of a plain copy's time:
constexpr double channels_cost = 1.1;
constexpr double tiles_cost = 1.2;
constexpr double buffered_tiles_cost = 2;
/// The same for five or more channels of 16-byte items that are interleaved, but where blocks are written in
/// bursts (1.0 to 1.2 of a plain copy on Zen 3):
constexpr double interleaved_large_items_cost = 1.4;
constexpr Index large_item = 16;
constexpr Index min_interleaved = 5;
/// What partial lines of smaller items than that multiply the cost by where blocks are written in bursts:
/// they are ordinary stores between streaming ones.
constexpr double mixed_stores_cost = 1.4;
/// What a conversion multiplies the cost of five or more channels by there: blocks convert longer runs. .61
/// -> .73 of a plain copy (6 x 769765 int32 to int64), .22 -> .55 (7 x 1577 float16 to int32, Zen 3).
constexpr double converted_channels_cost = 1.6;
constexpr Index min_converted_channels = 5;
/// There tiles of whole lines cost as much as buffered ones where they convert, and where rows of 16-byte
/// items are no longer than this: 44 x 23 complex128 .22 of a plain copy (blocks .5), 80 x 100 .40 (.49).
constexpr Index max_slow_row_bytes = 1536;
/// Costs in bytes, which are divided by the bytes of a run: of channels, and of channels of large items that
/// are interleaved.
constexpr double short_channel_cost_bytes = 400;
constexpr double large_item_channel_cost_bytes = 1500;
/// The same where up to four channels are deinterleaved to whole lines, which are streamed from registers, as
/// measured on Zen 3, where blocks are written in bursts: 16 x 2 float64 .51 (blocks .45), 32 x 4 .98 (.35).
constexpr double line_channel_cost_bytes = 35;
constexpr double large_item_line_channel_cost_bytes = 280;
constexpr Index min_line_channel_bytes = 128;
/// Costs of columns that begin or end within a line: in bytes, divided by the bytes of a column; and another
/// one for items of less than 4 bytes.
constexpr double partial_line_column_cost_bytes = 512;
constexpr double partial_line_short_item_cost = .8;
/// The cost of short rows, in bytes, divided by the bytes of a row.
constexpr double short_row_cost_bytes = 35;
/// The cost of each matrix whose columns are not whole lines, in bytes, divided by the bytes of the matrix.
constexpr double small_matrix_cost_bytes = 1500;
/// Columns of at most this many bytes without gaps between them are transposed through a buffer.
constexpr Index max_buffered_column = 128;

/// A cost per byte of a run of `bytes` bytes.
double per_byte(double cost_bytes, Index bytes) {
  return cost_bytes / static_cast<double>(bytes);
}

Index extent_of(const Nest& nest, std::size_t first, std::size_t end) {
  Index extent = 1;
  for (const Loop& loop : nest.loops.part(first, end)) extent *= loop.extent;
  return extent;
}

bool are_bursts(const Problem& problem) {
  return problem.options.machine.block_stores == BlockStores::burst;
}

double cost_of_channels(const Tiles& tiles, const Problem& problem) {
  const Nest& nest = tiles.nest;
  const bool is_burst = are_bursts(problem);
  const Index source = nest[tiles.source_loop].extent;
  const Index inner = nest.inner().extent;
  const auto channels = [&](Index number) {
    return channels_cost *
           (is_burst && tiles.converts && number >= min_converted_channels ? converted_channels_cost : 1);
  };
  if (tiles.kernel == TileKernel::deinterleave) {
    const Index run = inner * nest.dst_item;
    if (is_burst && !tiles.converts && source < min_interleaved && run >= min_line_channel_bytes &&
        run % line_bytes == 0 && has_uniform_line_offset(nest))
      return 1 + per_byte(nest.dst_item == large_item ? large_item_line_channel_cost_bytes
                                                      : line_channel_cost_bytes,
                          run);
    return channels(source) + per_byte(short_channel_cost_bytes, run);
  }
  const Index run = source * nest.src_item;
  if (nest.dst_item != large_item || (is_burst && inner >= min_interleaved))
    return channels(inner) + per_byte(short_channel_cost_bytes, run);
  return inner >= min_interleaved ? interleaved_large_items_cost + per_byte(short_channel_cost_bytes, run)
                                  : channels_cost + per_byte(large_item_channel_cost_bytes, run);
}

double cost_of_tiles(const Tiles& tiles, const Problem& problem) {
  const Nest& nest = tiles.nest;
  const Index item = nest.dst_item;
  const bool is_burst = are_bursts(problem);
  const Index column = extent_of(nest, tiles.strip_loop, nest.size()) * item;
  const Index rows = extent_of(nest, tiles.source_loop + 1 - tiles.source_loops, tiles.source_loop + 1);
  const Index row = rows * nest.src_item;
  const bool has_lines = column % line_bytes == 0 && has_uniform_line_offset(nest);
  const bool is_buffered = column <= max_buffered_column && nest[tiles.source_loop].dst_stride == column;
  const double short_rows = row < line_bytes ? per_byte(short_row_cost_bytes, row) : 0;
  const bool has_slow_lines =
      is_burst && (tiles.converts || (item == large_item && row <= max_slow_row_bytes));
  if (has_lines) return (has_slow_lines ? buffered_tiles_cost : tiles_cost) + short_rows;
  const double matrices =
      per_byte(small_matrix_cost_bytes, rows * column) + (item < 4 ? partial_line_short_item_cost : 0);
  const double mixed = is_burst && item < large_item ? mixed_stores_cost : 1;
  if (is_buffered && !(is_burst && tiles.converts)) return mixed * (tiles_cost + matrices + short_rows);
  return mixed * ((tiles.converts ? buffered_tiles_cost : tiles_cost) + matrices +
                  per_byte(partial_line_column_cost_bytes, column) + per_byte(short_row_cost_bytes, row));
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
