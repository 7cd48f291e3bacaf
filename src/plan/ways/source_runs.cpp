// SPDX-License-Identifier: Apache-2.0
// Source runs that consist of several loops. A permutation of many axes transposes short rows to short
// columns, and each of them is too small a piece of memory. But behind a row in the source come the rows of
// the next axis, and behind a column in the destination the columns of another one: together they are a
// matrix with long rows and long columns. Six axes of 15 floats reversed: .10 → .76 of a plain copy with rows
// and columns of 15^3.
#include <algorithm>
#include <cstdlib>

#include "plan/limits.hpp"
#include "plan/ways/tile_shape.hpp"

namespace tenstride::detail {
namespace {

/// Source runs are lengthened to 4 KiB where items have 4 bytes and more; their columns' addresses stand in a
/// table of at most 65536. Runs of shorter items stop at `short_run_bytes`, as their tiles have more rows and
/// profit more from a long destination run (33^5 bytes: .60 of a plain copy with runs of 1 KiB, .50 with 4
/// KiB; 7^9 floats: .57 and .90).
constexpr Index min_long_run_bytes = 4096;
constexpr Index max_columns = 65536;
/// The shortest destination run that is cut into strips of two cache lines.
constexpr Index min_strip_run_bytes = 512;
/// Rows whose destination columns are whole cache lines are lengthened only below this. Reversed, .74 → .89
/// of a plain copy for 48x28x28x28x48 floats and .87 → .97 for 352x28x28x4x48; but .98 → .90 for rows of 384
/// bytes.
constexpr Index short_row_bytes = 256;

/// The loops of tiles in this order: the outer loops, the source run, the destination run.
class RunBuilder {
 public:
  explicit RunBuilder(const Tiles& tiles) : item_(tiles.nest.src_item), loops_(tiles.nest.loops) {
    std::sort(loops_.begin(), loops_.end(),
              [](const Loop& a, const Loop& b) { return std::abs(a.dst_stride) > std::abs(b.dst_stride); });
    columns_ = first_ = loops_.size() - 1;
    column_bytes_ = loops_[columns_].extent * item_;
  }

  [[nodiscard]] Index column_bytes() const { return column_bytes_; }
  [[nodiscard]] Index row_bytes() const { return row_bytes_; }

  /// Adds the loop that follows the destination run in the destination. Returns false where there is none, or
  /// where it belongs to the source run.
  bool lengthen_columns() {
    for (std::size_t d = 0; d < first_; ++d) {
      const Loop& loop = loops_[d];
      if (loop.dst_stride != column_bytes_ || loop.src_stride == item_) continue;
      column_bytes_ *= loop.extent;
      std::rotate(loops_.data() + d, loops_.data() + d + 1, loops_.data() + columns_);
      --columns_;
      --first_;
      return true;
    }
    return false;
  }

  /// Adds the loop that follows the source run in the source. Returns false where there is none.
  bool lengthen_rows() {
    for (std::size_t d = 0; d < first_; ++d) {
      const Loop& loop = loops_[d];
      if (loop.src_stride != row_bytes_ || row_bytes_ * loop.extent > max_columns * item_) continue;
      row_bytes_ *= loop.extent;
      std::rotate(loops_.data() + d, loops_.data() + d + 1, loops_.data() + first_);
      --first_;
      return true;
    }
    return false;
  }

  /// Gives the loops and the tile to the tiles.
  void apply_to(Tiles& tiles) {
    Loop* const loops = loops_.data();
    std::sort(loops, loops + first_,
              [](const Loop& a, const Loop& b) { return std::abs(a.src_stride) > std::abs(b.src_stride); });
    tiles.nest.loops = loops_;
    tiles.source_loops = columns_ - first_;
    tiles.source_loop = columns_ - 1;
    tiles.strip_loop = columns_;
    tiles.strip_depth = first_;
    tiles.tile_dst = 2 * line_bytes / item_;
    tiles.tile_src = std::min({row_bytes_ / item_, long_panel_bytes / item_, max_panel_columns});
    tiles.block_src = std::min(tiles.block_src, tiles.tile_src);
  }

 private:
  Index item_;
  Loops loops_;
  /// Index of the first loop of the source run and of the destination run.
  std::size_t first_ = 0;
  std::size_t columns_ = 0;
  Index row_bytes_ = item_;
  Index column_bytes_ = item_;
};

}  // namespace

void join_source_loops(Tiles& tiles) {
  const Nest& nest = tiles.nest;
  const Index item = nest.src_item;
  const Index row_bytes = nest[tiles.source_loop].extent * item;
  const bool has_whole_lines = nest.inner().extent * item % line_bytes == 0 && item >= 4;
  if (tiles.converts || row_bytes >= short_run_bytes ||
      std::abs(nest.inner().src_stride) < min_separate_pitch)
    return;
  if (has_whole_lines && row_bytes >= short_row_bytes) return;
  RunBuilder runs(tiles);
  while (runs.column_bytes() < short_run_bytes && runs.lengthen_columns()) {
  }
  if (runs.column_bytes() < min_strip_run_bytes || !runs.lengthen_rows()) return;
  const Index long_enough = item <= 2 ? short_run_bytes : min_long_run_bytes;
  while (runs.row_bytes() < long_enough && runs.lengthen_rows()) {
  }
  if (runs.row_bytes() < (has_whole_lines ? min_long_run_bytes : std::max(2 * row_bytes, 2 * line_bytes)))
    return;
  while (runs.column_bytes() % line_bytes != 0 && runs.lengthen_columns()) {
  }
  runs.apply_to(tiles);
}

}  // namespace tenstride::detail
