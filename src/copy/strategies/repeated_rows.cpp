// SPDX-License-Identifier: Apache-2.0
#include "copy/strategies/repeated_rows.hpp"

#include <algorithm>
#include <cstdint>

#include "copy/line_buffer.hpp"
#include "copy/shares.hpp"
#include "copy/sink.hpp"
#include "copy/strategies/row_loops.hpp"
#include "copy/strategies/tiles.hpp"

namespace tenstride::copy {
namespace {

/// The bytes of rows that are packed at a time. Larger batches wait less often for loads behind streaming
/// stores.
constexpr Index batch_bytes = Index{32} << 10;
/// The shortest rows that a kernel may stream from registers to all positions; of shorter rows too much is
/// left to be copied.
constexpr Index min_direct_row_bytes = 1024;
/// The longest items that the kernels for short items take.
constexpr Index max_short_item_bytes = 16;
/// Ranges of repetitions for each thread.
constexpr Index ranges_per_thread = 4;

/// Whether all rows are whole cache lines of the destination.
bool are_lines(const BoundPlan& bound, const RepeatedRows& rows) {
  auto line_remainder = reinterpret_cast<std::uintptr_t>(bound.dst) |
                        static_cast<std::uintptr_t>(rows.elements) * item_size(bound.plan.dst_type);
  for (std::size_t d = 0; d <= rows.loop; ++d)
    line_remainder |= static_cast<std::uintptr_t>(bound.loop(d).dst_stride);
  return line_remainder % line_bytes == 0;
}

/// A row of short items, each repeated `times` times side by side, which a kernel streams directly.
struct ShortItems {
  Index bytes = 0;
  Index times = 0;
  Index count = 0;
};

/// The short items of the row inside the repeating loop; of 0 bytes where the row is another one.
ShortItems find_short_items(const BoundPlan& bound, const RepeatedRows& repeated) {
  const CopyPlan& plan = bound.plan;
  const std::size_t last = plan.loops.size() - 1;
  if (plan.kernel != CopyKernel::rows || plan.conversion != CopyConversion::none ||
      last != repeated.loop + 3 || !are_lines(bound, repeated)) {
    return {};
  }
  if (repeated.elements * static_cast<Index>(item_size(plan.dst_type)) < min_direct_row_bytes) return {};
  const Index bytes = plan.loops[last].extent * static_cast<Index>(bound.dst_item);
  const Loop& items = bound.loop(last - 2);
  if (bytes > max_short_item_bytes || bound.loop(last - 1).src_stride != 0 || items.src_stride != bytes)
    return {};
  return {bytes, plan.loops[last - 1].extent, items.extent};
}

/// Writes the rows of one thread.
class RowRepeater {
 public:
  RowRepeater(const BoundPlan& bound, const RepeatedRows& repeated)
      : bound_(bound),
        loop_(repeated.loop),
        times_(bound.loop(loop_)),
        pitch_(repeated.elements * static_cast<Index>(item_size(bound.plan.dst_type))),
        batch_rows_(std::max<Index>(batch_bytes / pitch_, 1)),
        items_(find_short_items(bound, repeated)),
        written_(plain(bound.plan)),
        sink_(written_, bound.kernels),
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
      if (items_.bytes != 0) {
        for (Index row = 0; row < count; ++row)
          repeat(dst + row * at.run().dst_stride, at.src() + row * at.run().src_stride, times);
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
  /// The plan of what is written: bytes, as the rows are converted already.
  static CopyPlan plain(const CopyPlan& plan) {
    CopyPlan result;
    result.dst_type = plan.dst_type;
    result.src_type = plan.dst_type;
    result.streaming = plan.streaming;
    return result;
  }

  void write(std::byte* dst, const std::byte* row, Index bytes, Index times) {
    for (Index t = 0; t < times; ++t, dst += times_.dst_stride)
      sink_.write(dst, row, static_cast<std::size_t>(bytes));
  }

  /// Streams one row from registers to all its positions.
  void repeat(std::byte* dst, const std::byte* src, Index times) {
    const auto bytes = static_cast<std::size_t>(items_.bytes);
    const auto item_times = static_cast<std::size_t>(items_.times);
    const auto count = static_cast<std::size_t>(items_.count);
    const std::size_t done = bound_.kernels.short_items->repeat_lines(
        dst, times_.dst_stride, static_cast<std::size_t>(times), src, bytes, item_times, count);
    bound_.kernels.short_items->repeat(rows_.data(), src + done / item_times, items_.bytes, bytes, item_times,
                                       count - done / (bytes * item_times));
    write(dst + done, rows_.data(), pitch_ - static_cast<Index>(done), times);
  }

  /// Packs `count` rows from the cursor on, without gaps.
  void pack(const Cursor& at, Index count) {
    if (count != planned_rows_) {
      packing_plan_ = plan_of(count);
      planned_rows_ = count;
    }
    const BoundPlan bound(packing_plan_, bound_.kernels, rows_.data(), at.src());
    if (packing_plan_.transposes()) {
      run(Tiles{}, bound);
    } else {
      run(RowLoops{}, bound);
    }
  }

  [[nodiscard]] CopyPlan plan_of(Index count) const {
    const CopyPlan& plan = bound_.plan;
    Layout to;
    Layout from;
    const auto add = [&](Index extent, Index dst_stride, Index src_stride) {
      to.shape.push_back(extent);
      to.strides.push_back(dst_stride);
      from.strides.push_back(src_stride);
    };
    const auto element = static_cast<Index>(item_size(plan.dst_type));
    add(count, pitch_ / element, loop_ == 0 ? 0 : plan.loops[loop_ - 1].src_stride);
    for (std::size_t d = loop_ + 1; d < plan.loops.size(); ++d)
      add(plan.loops[d].extent, plan.loops[d].dst_stride, plan.loops[d].src_stride);
    add(plan.item_elements, 1, 1);
    from.shape = to.shape;
    PlanOptions options;
    options.conjugation = plan.conjugation;
    options.negation = plan.negation;
    options.scale = plan.scale;
    options.shift = plan.shift;
    options.max_threads = 1;
    return tenstride::plan_copy(to, plan.dst_type, from, plan.src_type, options);
  }

  const BoundPlan& bound_;
  std::size_t loop_;
  const Loop& times_;
  Index pitch_;
  Index batch_rows_;
  ShortItems items_;
  CopyPlan written_;
  Sink sink_;
  LineBuffer rows_;
  CopyPlan packing_plan_;
  Index planned_rows_ = 0;
};

}  // namespace

void run(const RepeatedRows& strategy, const BoundPlan& bound) {
  const Index times = bound.loop(strategy.loop).extent;
  const Index results = bound.outer(strategy.loop).count() * times;
  share_out(bound.plan, split_groups(bound.plan, {results, ranges_per_thread, times}),
            [&](Index first, Index last) { RowRepeater(bound, strategy)(first, last); });
}

}  // namespace tenstride::copy
