// SPDX-License-Identifier: Apache-2.0
// A line in which two rows meet is not written until both are there. They meet along one loop, the joined
// one, and in the source's order all rows of the loops inside of it lie between them; so a line is carried
// for each of these.
#include "copy/strategies/row_scatter.hpp"

#include <algorithm>

#include "copy/line_buffer.hpp"
#include "copy/shares.hpp"
#include "copy/sink.hpp"

namespace tenstride::copy {
namespace {

/// The joined loop is cut for the threads into parts of so many bytes at least of each destination row.
constexpr Index shortest_part = 16384;
/// Units of work for each thread.
constexpr Index units_each = 8;

Index row_bytes(const Walk& walk) {
  return walk.innermost().extent * static_cast<Index>(walk.dst_item);
}

/// The parts that one thread after another takes: along the joined loop, the cut one, the outer ones.
struct Units {
  Index joined_part = 1;
  Index joined_parts = 1;
  Index cut_parts = 1;
  Index count = 1;

  Units(const Walk& walk, const RowScatter& scatter) {
    const Index joined = walk.plan.loops[scatter.joined].extent;
    cut_parts = ceil_divide(walk.plan.loops[scatter.joined + 1].extent, scatter.cut_part);
    const Index others = walk.outer(scatter.joined).count() * cut_parts;
    const Index threads = threads_of(walk.plan);
    const Index wanted = threads == 1 ? 1 : ceil_divide(units_each * threads, others);
    const Index shortest = scatter.carries ? ceil_divide(shortest_part, row_bytes(walk)) : 1;
    joined_part = std::clamp<Index>(ceil_divide(joined, wanted), std::min(shortest, joined), joined);
    joined_parts = ceil_divide(joined, joined_part);
    count = others * joined_parts;
  }
};

/// The work of one thread.
class ScatterWorker {
 public:
  ScatterWorker(const Walk& walk, const RowScatter& scatter, const Units& units)
      : walk_(walk),
        scatter_(scatter),
        units_(units),
        joined_(walk.loop(scatter.joined)),
        cut_(walk.loop(scatter.joined + 1)),
        has_inner_(scatter.joined + 2 < walk.plan.loops.size() - 1),
        inner_(walk.loops(scatter.joined + 2, walk.plan.loops.size() - 1), walk.dst, walk.src) {
    if (!scatter.carries) return;
    const auto lines = static_cast<std::size_t>(scatter.cut_part * inner_.count());
    lines_ = LineBuffer((lines + 1) * PartialRows::pitch);
  }

  void operator()(Index from, Index to) {
    for (Index unit = from; unit < to; ++unit) {
      const Index joined = unit % units_.joined_parts * units_.joined_part;
      const Index rest = unit / units_.joined_parts;
      const Index cut = rest % units_.cut_parts * scatter_.cut_part;
      Cursor outer = walk_.outer(scatter_.joined);
      outer.seek(rest / units_.cut_parts);
      copy(outer.dst() + joined * joined_.dst_stride + cut * cut_.dst_stride,
           outer.src() + joined * joined_.src_stride + cut * cut_.src_stride,
           std::min(units_.joined_part, joined_.extent - joined),
           std::min(scatter_.cut_part, cut_.extent - cut));
    }
    walk_.kernels.fence();
  }

 private:
  /// Part of the joined loop and of the cut one.
  void copy(std::byte* dst, const std::byte* src, Index joined, Index cut) {
    PartialRows rows;
    rows.bytes = static_cast<std::size_t>(row_bytes(walk_));
    for (Index i = 0; i < joined; ++i, dst += joined_.dst_stride, src += joined_.src_stride) {
      if (scatter_.carries) {
        rows.partial_lines = lines_.data() + line_bytes;
        rows.is_first = i == 0;
        rows.is_last = i + 1 == joined;
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
        copy_rows(rows, dst + (inner_.dst() - walk_.dst), src + (inner_.src() - walk_.src), inner_.run(),
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
    walk_.kernels.stream_partial_rows(rows);
    if (rows.partial_lines != nullptr) rows.partial_lines += rows.rows * PartialRows::pitch;
  }

  const Walk& walk_;
  const RowScatter& scatter_;
  const Units& units_;
  const Loop& joined_;
  const Loop& cut_;
  bool has_inner_;
  Cursor inner_;
  LineBuffer lines_;
};

}  // namespace

void run(const RowScatter& strategy, const Walk& walk) {
  const Units units(walk, strategy);
  share_out(walk.plan, {units.count, units_each},
            [&](Index from, Index to) { ScatterWorker(walk, strategy, units)(from, to); });
}

}  // namespace tenstride::copy
