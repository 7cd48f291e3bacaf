// SPDX-License-Identifier: Apache-2.0
// Source runs of several loops. A permutation of many axes turns short rows into short columns, and of both
// too little lies in one place: 15 floats of six axes reversed had .10 of a plain copy. But what lies beside
// a row in the source is the next axis' rows, and what lies beside a column in the destination another axis'
// columns. Taken together they are a matrix of long rows and long columns (15^3 each: .76).
#include "plan/source_runs.hpp"

#include <algorithm>
#include <cstdlib>

#include "plan/loop_order.hpp"

namespace tenstride::detail {
namespace {

/// Source runs are this long where they can be, and have at most so many columns, whose places are listed. Of
/// short items, of which a tile takes the more rows, the destination run is the better one for a loop that
/// both could take (33^5 bytes .50 of a plain copy so, .60 with source runs of 1 KiB; 7^9 floats .90 and
/// .57).
constexpr Index long_run_bytes = 4096;
constexpr Index max_places = 65536;
/// Destination runs that are worth strips of two lines.
constexpr Index min_strips_bytes = 512;
/// Rows that are turned by whole lines of the destination are short below this. Reversed, 48x28x28x28x48
/// floats have .89 joined and .74 as they are, 352x28x28x4x48 .97 and .87; but rows of 384 bytes .90 and .98.
constexpr Index short_row_bytes = 256;

/// The loops of a plan in the order: others, the source run, the destination run.
class Runs {
 public:
  explicit Runs(const CopyPlan& plan, Index item)
      : item_(item), unit_(plan.item_elements), loops_(plan.loops) {
    sort_by_destination(loops_);
    columns_ = first_ = loops_.size() - 1;
    column_extent_ = loops_[columns_].extent;
  }

  [[nodiscard]] Index column_bytes() const { return column_extent_ * item_; }
  [[nodiscard]] Index row_bytes() const { return row_extent_ * item_; }

  /// Takes the destination's next loop into its run. False where there is none, or it is the source run's.
  bool lengthen_columns() {
    for (std::size_t d = 0; d < first_; ++d) {
      const CopyLoop& loop = loops_[d];
      if (loop.dst_stride != column_extent_ * unit_ || loop.src_stride == unit_) continue;
      column_extent_ *= loop.extent;
      std::rotate(loops_.data() + d, loops_.data() + d + 1, loops_.data() + columns_);
      --columns_;
      --first_;
      return true;
    }
    return false;
  }

  /// Takes the source's next loop into its run. False where there is none.
  bool lengthen_rows() {
    for (std::size_t d = 0; d < first_; ++d) {
      const CopyLoop& loop = loops_[d];
      if (loop.src_stride != row_extent_ * unit_ || row_extent_ * loop.extent > max_places) continue;
      row_extent_ *= loop.extent;
      std::rotate(loops_.data() + d, loops_.data() + d + 1, loops_.data() + first_);
      --first_;
      return true;
    }
    return false;
  }

  void give(CopyPlan& plan) {
    CopyLoop* const loops = loops_.data();
    std::sort(loops, loops + first_, [](const CopyLoop& a, const CopyLoop& b) {
      return std::abs(a.src_stride) > std::abs(b.src_stride);
    });
    plan.loops = loops_;
    plan.source_loops = columns_ - first_;
    plan.source_loop = columns_ - 1;
    plan.strip_loop = columns_;
    plan.strip_depth = first_;
    plan.tile_dst = 2 * line_bytes / item_;
    plan.tile_src = std::min({row_extent_, long_panel_bytes / item_, max_kept});
    plan.block_src = std::min(plan.block_src, plan.tile_src);
  }

 private:
  Index item_;
  Index unit_;
  CopyLoops loops_;
  /// Where the source run and the destination run begin.
  std::size_t first_ = 0;
  std::size_t columns_ = 0;
  Index row_extent_ = 1;
  Index column_extent_ = 1;
};

}  // namespace

void join_source_loops(CopyPlan& plan, Index item) {
  const CopyLoop& inner = plan.loops[plan.loops.size() - 1];
  const Index row_bytes = plan.loops[plan.source_loop].extent * item;
  const Index apart = bytes_apart(plan, item);
  const bool has_whole_lines = inner.extent * item % line_bytes == 0 && item >= 4;
  if (plan.conversion != CopyConversion::none || row_bytes >= short_run_bytes || apart < apart_bytes) return;
  if (has_whole_lines && row_bytes >= short_row_bytes) return;
  Runs runs(plan, item);
  while (runs.column_bytes() < short_run_bytes && runs.lengthen_columns()) {
  }
  if (runs.column_bytes() < min_strips_bytes || !runs.lengthen_rows()) return;
  const Index enough = item <= 2 ? short_run_bytes : long_run_bytes;
  while (runs.row_bytes() < enough && runs.lengthen_rows()) {
  }
  if (runs.row_bytes() < (has_whole_lines ? long_run_bytes : std::max(2 * row_bytes, 2 * line_bytes))) return;
  while (runs.column_bytes() % line_bytes != 0 && runs.lengthen_columns()) {
  }
  runs.give(plan);
}

}  // namespace tenstride::detail
