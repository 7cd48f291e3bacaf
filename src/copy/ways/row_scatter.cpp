// SPDX-License-Identifier: Apache-2.0
// A line that two rows share is written only when both rows have been read. Rows share lines along one loop,
// the neighbour loop; in the source's order all rows of the loops inside it come between two neighbours, so a
// partial line is kept for each of these.
#include <algorithm>

#include "copy/line_buffer.hpp"
#include "copy/shares.hpp"
#include "copy/sink.hpp"
#include "copy/ways/ways.hpp"
#include "plan/ways/grids.hpp"

namespace tenstride::copy {
namespace {

/// Copies the units of one thread.
class ScatterWorker {
 public:
  ScatterWorker(const Bound& bound, const RowScatter& scatter, const detail::Grid& grid)
      : bound_(bound),
        scatter_(scatter),
        grid_(grid),
        neighbour_(bound.loop(scatter.neighbour_loop)),
        cut_(bound.loop(scatter.neighbour_loop + 1)),
        has_inner_(scatter.neighbour_loop + 2 < bound.nest.size() - 1),
        inner_(bound.loops(scatter.neighbour_loop + 2, bound.nest.size() - 1), bound.dst, bound.src) {
    if (!scatter.has_partial_lines) return;
    const auto lines = static_cast<std::size_t>(scatter.inner_part * inner_.count());
    lines_ = LineBuffer((lines + 1) * PartialRows::pitch);
  }

  /// Copies units [first, last).
  void operator()(Index first, Index last) {
    constexpr std::size_t neighbours = detail::Grid::innermost;
    constexpr std::size_t cut = neighbours - 1;
    Cursor at(grid_.loops(), bound_.dst, bound_.src);
    at.seek(first);
    const auto length = [&](std::size_t number) {
      return grid_.length(number, at.index(grid_.place(number)));
    };
    for (; first < last; ++first, at.next()) copy(at.dst(), at.src(), length(neighbours), length(cut));
    bound_.kernels.fence();
  }

 private:
  /// Copies `neighbours` iterations of the neighbour loop and `cut` of the loop inside it.
  void copy(std::byte* dst, const std::byte* src, Index neighbours, Index cut) {
    PartialRows rows;
    rows.bytes = bound_.row_bytes();
    for (Index i = 0; i < neighbours; ++i, dst += neighbour_.dst_stride, src += neighbour_.src_stride) {
      if (scatter_.has_partial_lines) {
        rows.partial_lines = lines_.data() + line_bytes;
        rows.is_first = i == 0;
        rows.is_last = i + 1 == neighbours;
      }
      copy_inner(rows, dst, src, cut);
    }
  }

  void copy_inner(PartialRows& rows, std::byte* dst, const std::byte* src, Index cut) {
    if (!has_inner_) {
      copy_rows(rows, dst, src, cut_, cut);
      return;
    }
    for (Index i = 0; i < cut; ++i, dst += cut_.dst_stride, src += cut_.src_stride) {
      for (Index left = inner_.count(); left > 0;) {
        const Index count = inner_.run_left();
        copy_rows(rows, dst + (inner_.dst() - bound_.dst), src + (inner_.src() - bound_.src), inner_.run(),
                  count);
        inner_.skip(count);
        left -= count;
      }
    }
  }

  void copy_rows(PartialRows& rows, std::byte* dst, const std::byte* src, const Loop& along,
                 Index count) const {
    rows.dst = dst;
    rows.dst_pitch = along.dst_stride;
    rows.src = src;
    rows.src_pitch = along.src_stride;
    rows.rows = static_cast<std::size_t>(count);
    bound_.kernels.stream_partial_rows(rows);
    if (rows.partial_lines != nullptr) rows.partial_lines += rows.rows * PartialRows::pitch;
  }

  const Bound& bound_;
  const RowScatter& scatter_;
  const detail::Grid& grid_;
  const Loop& neighbour_;
  const Loop& cut_;
  bool has_inner_;
  Cursor inner_;
  LineBuffer lines_;
};

}  // namespace

void run(const RowScatter& way, const Bound& plan) {
  const Bound bound(way.nest, plan);
  const detail::Grid grid = detail::grid_of(way);
  share_out(grid, bound.threads,
            [&](Index first, Index last) { ScatterWorker(bound, way, grid)(first, last); });
}

}  // namespace tenstride::copy
