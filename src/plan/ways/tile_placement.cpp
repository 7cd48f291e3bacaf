// SPDX-License-Identifier: Apache-2.0
// What follows from the shape of tiles and from the address of the destination.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

#include "plan/limits.hpp"
#include "plan/ways/tile_shape.hpp"

namespace tenstride::detail {
namespace {

/// The shortest rows of a panel that are worth a call of their own.
constexpr Index min_panel_bytes = 2 * line_bytes;

/// Whether the prefetched lines of `rows` rows, `pitch` bytes apart, exceed some set of the L1 cache: it has
/// 64 sets of 8 lines, one line of a page in each set.
bool overfill_sets(Index rows, Index pitch) {
  constexpr std::size_t sets = 64;
  constexpr std::size_t ways = 8;
  constexpr std::size_t lines = near_prefetch_lines + 2;
  std::array<std::size_t, sets> lines_of_set{};
  for (Index r = 0; r < rows; ++r) {
    const auto first = static_cast<std::size_t>(r * pitch) / static_cast<std::size_t>(line_bytes);
    for (std::size_t l = first; l < first + lines; ++l) {
      if (++lines_of_set[l % sets] > ways) return true;
    }
  }
  return false;
}

/// Whether panels have few enough long rows for the processor's prefetcher to follow. Prefetching lines near
/// each row is then faster than prefetching the next page: .70 → .79 of a plain copy (float16 5003 x 5009),
/// .80 → .89 (float64 2503 x 2521), .95 → 1.02 (float32 5003 x 5009); but .65 → .45 for 128 rows of bytes,
/// and rows that share sets of the L1 cache lose .03 to .1.
bool follows_rows(const Tiles& tiles) {
  // For so many rows or fewer the prefetch of pages is faster. Lines → pages: .96 → 1.01 of a plain copy
  // (complex128 2503 x 2521).
  constexpr Index min_rows = 8;
  constexpr Index min_row_bytes = 4096;
  const Nest& nest = tiles.nest;
  return tiles.strip_loop + 1 == nest.size() && tiles.tile_dst > min_rows &&
         tiles.tile_dst <= max_followed_rows && tiles.tile_src * nest.dst_item > min_row_bytes &&
         !overfill_sets(tiles.tile_dst, nest.inner().src_stride);
}

/// Whether destination columns of two lines follow each other without a gap, but rows are too long for a
/// buffer: such a matrix is transposed as a wider one.
bool has_long_rows(const Tiles& tiles) {
  return tiles.kernel == TileKernel::transpose && tiles.run * tiles.nest.dst_item == panel_column_bytes &&
         tiles.tile_src * tiles.nest.dst_item >= long_tile_row_bytes;
}

/// Whether all items of the destination are aligned to their size.
bool has_aligned_items(const Tiles& tiles) {
  const Nest& nest = tiles.nest;
  return tiles.dst_in_line % nest.dst_item == 0 &&
         std::all_of(nest.loops.begin(), nest.loops.end(),
                     [&](const Loop& loop) { return loop.dst_stride % nest.dst_item == 0; });
}

/// Whether there is a kernel that transposes panels while it converts (`ConvertingKernels::transpose`).
bool has_converting_panels(DType to, DType from) {
  using enum DType;
  constexpr std::array<std::pair<DType, DType>, 8> pairs{{{float32, uint8},
                                                          {float32, bfloat16},
                                                          {float32, float64},
                                                          {uint8, float32},
                                                          {bfloat16, float32},
                                                          {int32, int64},
                                                          {float32, float16},
                                                          {float16, float32}}};
  return std::find(pairs.begin(), pairs.end(), std::pair{to, from}) != pairs.end();
}

/// Whether tiles are transposed straight to memory. Not where rows of the source lie so close together that a
/// tile is one stream. Pre: tiles are streamed, and not dense.
bool are_panels(const Tiles& tiles, const Conversion& conversion) {
  const Nest& nest = tiles.nest;
  if (tiles.kernel != TileKernel::transpose || std::abs(nest.inner().src_stride) < min_separate_pitch)
    return false;
  if (!tiles.converts)
    return has_aligned_items(tiles) && tiles.tile_dst * nest.dst_item == panel_column_bytes;
  const bool is_plain = conversion.kind == CopyConversion::convert &&
                        conversion.conjugation == Conjugation::keep &&
                        conversion.negation == Negation::none && !tiles.has_partial_lines;
  return is_plain && has_converting_panels(conversion.dst_type, conversion.src_type) &&
         tiles.tile_dst == converted_panel_rows(nest.dst_item, nest.src_item);
}

/// Makes one source run of all its loops, where it is long enough to be transposed straight to memory.
void index_columns(Tiles& tiles) {
  Index columns = 1;
  for (std::size_t i = 0; i < tiles.source_loops; ++i) columns *= tiles.nest[tiles.source_loop - i].extent;
  if (columns * tiles.nest.dst_item < min_panel_bytes) return;
  tiles.has_column_table = true;
  tiles.columns = columns;
  // All strips are transposed straight to memory, also those that begin within a line.
  tiles.has_partial_lines = tiles.has_partial_lines || tiles.shift != 0;
  tiles.shift = 0;
}

/// Makes panels so narrow that threads share tiles evenly; so wide that they are transposed straight to
/// memory where that is narrow enough.
void cut_for_threads(Tiles& tiles) {
  if (tiles.kernel != TileKernel::transpose) return;
  const auto [shorter, longer] = std::minmax(tiles.nest.src_item, tiles.nest.dst_item);
  const Index limit = tiles.max_items / std::min(tiles.tile_dst, tiles.run);
  const bool is_along =
      tiles.has_column_table || (tiles.method == TileMethod::panels && limit >= min_panel_bytes / shorter);
  const Index side = is_along ? min_panel_bytes / shorter : line_bytes / longer;
  const Index most = std::max(limit / side, Index{1}) * side;
  if (most >= tiles.panel) return;
  const Index even = ceil_divide(tiles.columns, ceil_divide(tiles.columns, most));
  tiles.panel = ceil_divide(even, side) * side;
}

/// Cuts the source run into panels.
void cut_panels(Tiles& tiles) {
  tiles.panel = std::min(tiles.tile_src, tiles.columns);
  const bool is_along = tiles.method == TileMethod::panels;
  // A narrow last panel would be a strip of short rows: 8191 x 8193 bytes are cut into two panels.
  if (is_along) {
    const Index panels = std::max<Index>((tiles.columns + tiles.panel / 2) / tiles.panel, 1);
    tiles.panel = ceil_divide(tiles.columns, panels);
  }
  cut_for_threads(tiles);
  if (!tiles.has_column_table) return;
  // A table of columns is for panels alone that are transposed straight to memory, the last one too.
  const auto last_bytes = [&] {
    return (tiles.columns - (ceil_divide(tiles.columns, tiles.panel) - 1) * tiles.panel) *
           tiles.nest.dst_item;
  };
  for (Index panels = ceil_divide(tiles.columns, tiles.panel); last_bytes() < min_panel_bytes;)
    tiles.panel = ceil_divide(tiles.columns, --panels);
}

/// The method of tiles of several whole destination runs that follow each other without a gap.
TileMethod method_of_dense(const Tiles& tiles) {
  if (tiles.kernel == TileKernel::transpose) return TileMethod::joined;
  if (tiles.stores == Stores::ordinary) return tiles.converts ? TileMethod::joined : TileMethod::straight;
  if (tiles.kernel == TileKernel::interleave) return TileMethod::lines;
  const bool is_line = tiles.nest[tiles.source_loop].dst_stride % line_bytes == 0;
  return is_line && !tiles.converts ? TileMethod::lines : TileMethod::joined;
}

TileMethod method_of(const Tiles& tiles, const Conversion& conversion) {
  if (tiles.stores == Stores::ordinary) return tiles.converts ? TileMethod::blocks : TileMethod::straight;
  if (tiles.kernel == TileKernel::deinterleave && !tiles.has_partial_lines) return TileMethod::lines;
  return are_panels(tiles, conversion) ? TileMethod::panels : TileMethod::blocks;
}

}  // namespace

void place(Tiles& tiles, const Conversion& conversion, Index dst_in_line) {
  const Nest& nest = tiles.nest;
  const Loop& source = nest[tiles.source_loop];
  tiles.dst_in_line = dst_in_line;
  tiles.run = 1;
  for (const Loop& loop : nest.loops.part(tiles.strip_loop, nest.size())) tiles.run *= loop.extent;
  tiles.columns = source.extent;
  tiles.shift = 0;
  tiles.has_partial_lines = tiles.has_column_table = tiles.prefetches_near = false;
  tiles.is_dense = tiles.run <= tiles.tile_dst && source.dst_stride == tiles.run * nest.dst_item &&
                   nest.scaled_loop != tiles.source_loop && !has_long_rows(tiles);
  if (tiles.is_dense) {
    tiles.method = method_of_dense(tiles);
    tiles.strips = 1;
  } else {
    if (tiles.stores != Stores::ordinary) {
      tiles.has_partial_lines =
          source.dst_stride % line_bytes != 0 || !have_line_strides(nest.loops.first(tiles.strip_loop));
      if (!tiles.has_partial_lines) tiles.shift = dst_in_line / nest.dst_item;
    }
    tiles.method = method_of(tiles, conversion);
    if (tiles.method == TileMethod::panels) {
      if (tiles.source_loops > 1) index_columns(tiles);
      tiles.prefetches_near = follows_rows(tiles);
    }
    tiles.strips = ceil_divide(tiles.run + tiles.shift, tiles.tile_dst);
  }
  cut_panels(tiles);
}

}  // namespace tenstride::detail
