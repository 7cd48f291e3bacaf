// SPDX-License-Identifier: Apache-2.0
// The tiles of a copy, one after the other.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "copy/bound.hpp"
#include "copy/sink.hpp"
#include "plan/ways/grids.hpp"

namespace tenstride::copy {

/// Tiles bound to memory.
struct Tiling {
  const Tiles& way;
  const Bound& bound;
  const detail::TileGrid grid;
  /// The innermost loops of the source run and of the destination run.
  const Loop& run;
  const Loop& inner;
  /// Whether scale and shift have a number for each item of the destination run, and for each column.
  bool has_scaled_rows;
  bool has_scaled_columns;
  /// The offset of each column in the destination, where the source run has several loops.
  std::vector<Index> column_offsets{};
  /// The kernel that transposes panels with a conversion.
  ConvertingKernels::Transpose converting{};

  Tiling(const Tiles& way_, const Bound& bound_)
      : way(way_),
        bound(bound_),
        grid(detail::grid_of(way)),
        run(bound.loop(way.source_loop)),
        inner(bound.innermost()),
        has_scaled_rows(bound.is_scaled(bound.nest.size() - 1)),
        has_scaled_columns(bound.is_scaled(way.source_loop)) {
    if (way.has_column_table) index_columns();
    if (way.method == TileMethod::panels && way.converts)
      converting = bound.kernels.converting->transpose(bound.conversion.dst_type, bound.conversion.src_type);
  }

  /// Whether the destination run is one loop, with one stride in the source.
  [[nodiscard]] bool is_plain() const { return way.strip_loop + 1 == bound.nest.size(); }

  /// Writes the source addresses of items [first, last) of the destination run.
  void fill_addresses(const std::byte* base, Index first, Index last, const std::byte** out) const {
    Cursor at(bound.loops(way.strip_loop, bound.nest.size()), bound.dst, base);
    at.seek(first);
    for (Index q = first; q < last; ++q) {
      *out++ = at.src();
      at.next();
    }
  }

 private:
  void index_columns() {
    column_offsets.reserve(static_cast<std::size_t>(way.columns));
    column_offsets.push_back(0);
    for (std::size_t i = 0; i < way.source_loops; ++i) {
      const Loop& loop = bound.loop(way.source_loop - i);
      const std::size_t columns = column_offsets.size();
      for (Index n = 1; n < loop.extent; ++n) {
        for (std::size_t k = 0; k < columns; ++k)
          column_offsets.push_back(column_offsets[k] + n * loop.dst_stride);
      }
    }
  }
};

/// One tile: its addresses on both sides, and its ranges in items of the destination run and of the source
/// run.
struct Tile {
  std::byte* dst = nullptr;        // of the outer loops' position
  const std::byte* src = nullptr;  // of the outer loops' position, at the tile's first column
  std::size_t scale_index = 0;     // of the outer loops' position
  Index strip = 0;
  Index first = 0;  // along the destination run
  Index last = 0;
  Index column = 0;  // along the source run
  Index columns = 0;

  [[nodiscard]] Index rows() const { return last - first; }
};

/// Whether all columns of a tile are the same number of whole destination lines, after each is shifted back
/// to the start of a line.
inline bool takes_whole_lines(const Tiling& tiling, const Tile& tile) {
  const Tiles& way = tiling.way;
  const auto item = static_cast<Index>(tiling.bound.dst_item);
  const Index start = tile.strip * way.tile_dst;
  const auto alignment =
      reinterpret_cast<std::uintptr_t>(tile.dst) | static_cast<std::uintptr_t>(tiling.run.dst_stride);
  if (alignment % tiling.bound.dst_item != 0 ||
      (tile.strip == 0 && (way.has_partial_lines || way.shift != 0)))
    return false;
  // The last strip also writes the partial lines behind it.
  if (way.has_partial_lines && tile.strip + 1 == way.strips) return false;
  if (start + way.tile_dst <= way.run) return true;
  // The rows of the last strip are equally long if all are shifted alike.
  const Index end = way.run + way.shift;
  return end > start && (end - start) * item % static_cast<Index>(line_bytes) == 0;
}

/// The index of the scale and shift numbers of an element of a tile.
inline std::size_t scale_index(const Tiling& tiling, const Tile& tile, Index row, Index column) {
  // Items before the first row are never written, so any number will do for them.
  if (tiling.has_scaled_rows) return static_cast<std::size_t>(std::max<Index>(row, 0));
  return tile.scale_index + (tiling.has_scaled_columns ? static_cast<std::size_t>(tile.column + column) : 0);
}

/// The tiles of a range, one after another.
class TileSequence {
 public:
  /// The tiles [first, last) of the grid.
  TileSequence(const Tiling& tiling, Index first, Index last)
      : tiling_(tiling),
        grid_(tiling.grid),
        cursor_(grid_.loops(), tiling.bound.dst, tiling.bound.src),
        left_(last - first) {
    cursor_.seek(first);
  }

  /// Sets `tile` to the next tile. Returns false at the end of the range.
  bool next(Tile& tile) {
    for (; left_ > 0; cursor_.next()) {
      --left_;
      tile.strip = index(grid_.strips);
      tile.first = grid_.first(grid_.strips, tile.strip);
      tile.last = grid_.last(grid_.strips, tile.strip);
      if (tile.rows() <= 0) continue;
      const Index panel = index(grid_.panels);
      tile.column = grid_.first(grid_.panels, panel);
      tile.columns = grid_.length(grid_.panels, panel);
      tile.dst = cursor_.dst();
      tile.src = cursor_.src() + tile.column * tiling_.run.src_stride;
      tile.scale_index =
          grid_.scaled == detail::no_grid_loop ? 0 : static_cast<std::size_t>(index(grid_.scaled));
      cursor_.next();
      return true;
    }
    return false;
  }

 private:
  [[nodiscard]] Index index(std::size_t number) const { return cursor_.index(grid_.place(number)); }

  const Tiling& tiling_;
  const detail::TileGrid& grid_;
  Cursor cursor_;
  Index left_;
};

}  // namespace tenstride::copy
