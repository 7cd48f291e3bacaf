// SPDX-License-Identifier: Apache-2.0
// A line that two rows share is written only when both rows have been read. Rows share lines along one loop,
// the neighbour loop; in the source's order all rows of the loops inside it come between two neighbours, so a
// partial line is kept for each of these.
#include <algorithm>

#include "copy/line_buffer.hpp"
#include "copy/shares.hpp"
#include "copy/sink.hpp"
#include "copy/ways/ways.hpp"

namespace tenstride::copy {
namespace {

/// The neighbour loop is cut for threads into parts of at least this many bytes of a destination row.
constexpr Index min_part_bytes = 16384;
/// Units of work for each thread.
constexpr Index units_per_thread = 8;

/// The units of work: parts along the neighbour loop, along the loop inside it, and the positions of the
/// outer loops.
struct Units {
  Index neighbour_part = 1;
  Index neighbour_parts = 1;
  Index cut_parts = 1;
  Index count = 1;

  Units(const Bound& bound, const RowScatter& scatter) {
    const Index extent = bound.loop(scatter.neighbour_loop).extent;
    cut_parts = ceil_divide(bound.loop(scatter.neighbour_loop + 1).extent, scatter.inner_part);
    const Index others = bound.outer(scatter.neighbour_loop).count() * cut_parts;
    const Index threads = threads_of(bound.threads);
    const Index wanted_parts = threads == 1 ? 1 : ceil_divide(units_per_thread * threads, others);
    const Index min_part =
        scatter.has_partial_lines ? ceil_divide(min_part_bytes, static_cast<Index>(bound.row_bytes())) : 1;
    neighbour_part = std::clamp<Index>(ceil_divide(extent, wanted_parts), std::min(min_part, extent), extent);
    neighbour_parts = ceil_divide(extent, neighbour_part);
    count = others * neighbour_parts;
  }
};

/// Copies the units of one thread.
class ScatterWorker {
 public:
  ScatterWorker(const Bound& bound, const RowScatter& scatter, const Units& units)
      : bound_(bound),
        scatter_(scatter),
        units_(units),
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
    for (Index unit = first; unit < last; ++unit) {
      const Index neighbour = unit % units_.neighbour_parts * units_.neighbour_part;
      const Index remaining = unit / units_.neighbour_parts;
      const Index cut = remaining % units_.cut_parts * scatter_.inner_part;
      Cursor outer = bound_.outer(scatter_.neighbour_loop);
      outer.seek(remaining / units_.cut_parts);
      copy(outer.dst() + neighbour * neighbour_.dst_stride + cut * cut_.dst_stride,
           outer.src() + neighbour * neighbour_.src_stride + cut * cut_.src_stride,
           std::min(units_.neighbour_part, neighbour_.extent - neighbour),
           std::min(scatter_.inner_part, cut_.extent - cut));
    }
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
  const Units& units_;
  const Loop& neighbour_;
  const Loop& cut_;
  bool has_inner_;
  Cursor inner_;
  LineBuffer lines_;
};

}  // namespace

void run(const RowScatter& way, const Bound& plan) {
  const Bound bound(way.nest, plan);
  const Units units(bound, way);
  share_out(bound.threads, {units.count, units_per_thread},
            [&](Index first, Index last) { ScatterWorker(bound, way, units)(first, last); });
}

}  // namespace tenstride::copy
