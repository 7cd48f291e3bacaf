// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>

#include "copy/line_buffer.hpp"
#include "copy/shares.hpp"
#include "copy/sink.hpp"
#include "copy/ways/ways.hpp"
#include "plan/ways/grids.hpp"
#include "tenstride/copy/run_plan.hpp"

namespace tenstride::copy {
namespace {

/// The bytes of rows that are packed at a time. Larger batches wait less often for loads behind streaming
/// stores.
constexpr Index batch_bytes = Index{32} << 10;

/// Whether all rows are whole cache lines of the destination.
bool are_lines(const Bound& bound, const RepeatedRows& rows) {
  auto line_remainder = reinterpret_cast<std::uintptr_t>(bound.dst) | static_cast<std::uintptr_t>(rows.row);
  for (std::size_t d = 0; d <= rows.loop; ++d)
    line_remainder |= static_cast<std::uintptr_t>(bound.loop(d).dst_stride);
  return line_remainder % line_bytes == 0;
}

/// Writes the rows of one thread.
class RowRepeater {
 public:
  RowRepeater(const Bound& bound, const RepeatedRows& way)
      : bound_(bound),
        loop_(way.loop),
        times_(bound.loop(loop_)),
        pitch_(way.row),
        batch_rows_(std::max<Index>(batch_bytes / pitch_, 1)),
        streams_items_(way.repeats_items && are_lines(bound, way)),
        sink_(bound.kernels, way.stores),
        rows_(static_cast<std::size_t>(batch_rows_ * pitch_) + spill_bytes) {}

  /// Writes positions [first, last) of rows: all repetitions of each row before the next row.
  void operator()(Index first, Index last) {
    Cursor at = bound_.outer(loop_);
    at.seek(first / times_.extent);
    while (first < last) {
      const Index repetition = first % times_.extent;
      const bool are_whole = repetition == 0 && last - first >= times_.extent;
      const Index times = are_whole ? times_.extent : std::min(times_.extent - repetition, last - first);
      const Index count =
          are_whole ? std::min({at.run_left(), (last - first) / times_.extent, batch_rows_}) : Index{1};
      std::byte* const dst = at.dst() + repetition * times_.dst_stride;
      if (streams_items_) {
        for (Index row = 0; row < count; ++row)
          repeat_items(dst + row * at.run().dst_stride, at.src() + row * at.run().src_stride, times);
      } else {
        pack(at, count);
        for (Index row = 0; row < count; ++row)
          write(dst + row * at.run().dst_stride, rows_.data() + row * pitch_, pitch_, times);
      }
      at.skip(count);
      first += count * times;
    }
  }

 private:
  void write(std::byte* dst, const std::byte* row, Index bytes, Index times) {
    for (Index t = 0; t < times; ++t, dst += times_.dst_stride)
      sink_.write(dst, row, static_cast<std::size_t>(bytes));
  }

  /// Streams one row of short items from registers to all its positions.
  void repeat_items(std::byte* dst, const std::byte* src, Index times) {
    const std::size_t last = bound_.nest.size() - 1;
    const std::size_t bytes = bound_.row_bytes();
    const auto item_times = static_cast<std::size_t>(bound_.loop(last - 1).extent);
    const auto count = static_cast<std::size_t>(bound_.loop(last - 2).extent);
    const ShortItemKernels& kernels = *bound_.kernels.short_items;
    const std::size_t done = kernels.repeat_lines(dst, times_.dst_stride, static_cast<std::size_t>(times),
                                                  src, bytes, item_times, count);
    kernels.repeat(rows_.data(), src + done / item_times, static_cast<Index>(bytes), bytes, item_times,
                   count - done / (bytes * item_times));
    write(dst + done, rows_.data(), pitch_ - static_cast<Index>(done), times);
  }

  /// Packs `count` rows from the cursor on, without gaps: a copy of its own.
  void pack(const Cursor& at, Index count) {
    if (count != planned_rows_) {
      packing_ = plan_of(count);
      planned_rows_ = count;
    }
    run_plan(packing_, rows_.data(), at.src());
  }

  [[nodiscard]] CopyPlan plan_of(Index count) const {
    const Conversion& conversion = bound_.conversion;
    const auto dst_element = static_cast<Index>(item_size(conversion.dst_type));
    const auto src_element = static_cast<Index>(item_size(conversion.src_type));
    Layout to;
    Layout from;
    const auto add = [&](Index extent, Index dst_stride, Index src_stride) {
      to.shape.push_back(extent);
      to.strides.push_back(dst_stride / dst_element);
      from.strides.push_back(src_stride / src_element);
    };
    add(count, pitch_, loop_ == 0 ? 0 : bound_.loop(loop_ - 1).src_stride);
    for (const Loop& loop : bound_.loops(loop_ + 1, bound_.nest.size()))
      add(loop.extent, loop.dst_stride, loop.src_stride);
    add(bound_.nest.elements, dst_element, src_element);
    from.shape = to.shape;
    PlanOptions options;
    options.conjugation = conversion.conjugation;
    options.negation = conversion.negation;
    options.scale = conversion.scale;
    options.shift = conversion.shift;
    options.max_threads = 1;
    return plan_copy(to, conversion.dst_type, from, conversion.src_type, options);
  }

  const Bound& bound_;
  std::size_t loop_;
  const Loop& times_;
  Index pitch_;
  Index batch_rows_;
  bool streams_items_;
  Sink sink_;
  LineBuffer rows_;
  CopyPlan packing_;
  Index planned_rows_ = 0;
};

}  // namespace

void run(const RepeatedRows& way, const Bound& plan) {
  const detail::Grid grid = detail::grid_of(way, plan.nest);
  const Index cut_stride = plan.loop(way.loop + 1).dst_stride;
  const Index positions = plan.nest.loops.positions_of(way.loop + 1);
  share_out(grid, plan.threads, [&](Index unit, Index end) {
    // A part of the rows is made as rows of their own.
    while (unit < end) {
      const Index part = unit / positions;
      const Index first = grid.first(grid.outermost(), part);
      Nest nest = plan.nest;
      Loop& cut = nest.loops[way.loop + 1];
      nest.dst_offset += first * cut.dst_stride;
      nest.src_offset += first * cut.src_stride;
      cut.extent = grid.length(grid.outermost(), part);
      const Bound bound(nest, plan);
      RepeatedRows rows = way;
      rows.row = cut.extent * cut_stride;
      const Index last = std::min(end, (part + 1) * positions);
      RowRepeater(bound, rows)(unit - part * positions, last - part * positions);
      unit = last;
    }
  });
}

}  // namespace tenstride::copy
