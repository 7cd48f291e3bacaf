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

/// As many rows are made at once: the less often, the less a load waits for stores that wait behind streaming
/// ones.
constexpr Index batch_bytes = Index{32} << 10;
/// Rows from this length on go from the registers to all places where a leaf can; of shorter ones it leaves
/// too much.
constexpr Index min_straight = 1024;
/// What the leaves for short items take.
constexpr Index longest_short_item = 16;
/// Ranges of rows for each thread.
constexpr Index ranges_each = 4;

/// Whether all rows are whole lines.
bool are_lines(const Walk& walk, const RepeatedRows& rows) {
  auto misfit = reinterpret_cast<std::uintptr_t>(walk.dst) |
                static_cast<std::uintptr_t>(rows.elements) * item_size(walk.plan.dst_type);
  for (std::size_t d = 0; d <= rows.loop; ++d) misfit |= static_cast<std::uintptr_t>(walk.loop(d).dst_stride);
  return misfit % line_bytes == 0;
}

/// Rows of short items that are repeated side by side, which a leaf writes straight past the cache.
struct ShortItems {
  Index bytes = 0;
  Index times = 0;
  Index count = 0;
};

/// Of the row within loop `repeated`; of 0 bytes where it is another.
ShortItems find_short_items(const Walk& walk, const RepeatedRows& repeated) {
  const CopyPlan& plan = walk.plan;
  const std::size_t last = plan.loops.size() - 1;
  if (plan.kernel != CopyKernel::rows || plan.conversion != CopyConversion::none ||
      last != repeated.loop + 3 || !are_lines(walk, repeated)) {
    return {};
  }
  if (repeated.elements * static_cast<Index>(item_size(plan.dst_type)) < min_straight) return {};
  const Index bytes = plan.loops[last].extent * static_cast<Index>(walk.dst_item);
  const Loop& items = walk.loop(last - 2);
  if (bytes > longest_short_item || walk.loop(last - 1).src_stride != 0 || items.src_stride != bytes)
    return {};
  return {bytes, plan.loops[last - 1].extent, items.extent};
}

/// The work of one thread.
class RowRepeater {
 public:
  RowRepeater(const Walk& walk, const RepeatedRows& repeated)
      : walk_(walk),
        loop_(repeated.loop),
        times_(walk.loop(loop_)),
        pitch_(repeated.elements * static_cast<Index>(item_size(walk.plan.dst_type))),
        most_(std::max<Index>(batch_bytes / pitch_, 1)),
        items_(find_short_items(walk, repeated)),
        written_(plain(walk.plan)),
        sink_(written_, walk.kernels),
        rows_(static_cast<std::size_t>(most_ * pitch_) + spill_bytes) {}

  /// Results [from, to): all repetitions of each row before the next row.
  void operator()(Index from, Index to) {
    Cursor at = walk_.outer(loop_);
    at.seek(from / times_.extent);
    while (from < to) {
      const Index first = from % times_.extent;
      const bool are_whole = first == 0 && to - from >= times_.extent;
      const Index times = are_whole ? times_.extent : std::min(times_.extent - first, to - from);
      const Index count =
          are_whole ? std::min({at.run_left(), (to - from) / times_.extent, most_}) : Index{1};
      std::byte* const dst = at.dst() + first * times_.dst_stride;
      if (items_.bytes != 0) {
        for (Index row = 0; row < count; ++row)
          repeat(dst + row * at.run().dst_stride, at.src() + row * at.run().src_stride, times);
      } else {
        make(at, count);
        for (Index row = 0; row < count; ++row)
          write(dst + row * at.run().dst_stride, rows_.data() + row * pitch_, pitch_, times);
      }
      at.skip(count);
      from += count * times;
    }
  }

 private:
  /// What is written is converted already.
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

  /// One row from the registers to its places.
  void repeat(std::byte* dst, const std::byte* src, Index times) {
    const auto bytes = static_cast<std::size_t>(items_.bytes);
    const auto each = static_cast<std::size_t>(items_.times);
    const auto count = static_cast<std::size_t>(items_.count);
    const std::size_t done = walk_.kernels.short_items->repeat_lines(
        dst, times_.dst_stride, static_cast<std::size_t>(times), src, bytes, each, count);
    walk_.kernels.short_items->repeat(rows_.data(), src + done / each, items_.bytes, bytes, each,
                                      count - done / (bytes * each));
    write(dst + done, rows_.data(), pitch_ - static_cast<Index>(done), times);
  }

  /// `count` rows from here on, side by side.
  void make(const Cursor& at, Index count) {
    if (count != planned_) {
      made_ = plan_of(count);
      planned_ = count;
    }
    const Walk making(made_, walk_.kernels, rows_.data(), at.src());
    if (made_.transposes()) {
      run(Tiles{}, making);
    } else {
      run(RowLoops{}, making);
    }
  }

  [[nodiscard]] CopyPlan plan_of(Index count) const {
    const CopyPlan& plan = walk_.plan;
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
    return tenstride::plan(to, plan.dst_type, from, plan.src_type, options);
  }

  const Walk& walk_;
  std::size_t loop_;
  const Loop& times_;
  Index pitch_;
  Index most_;
  ShortItems items_;
  CopyPlan written_;
  Sink sink_;
  LineBuffer rows_;
  CopyPlan made_;
  Index planned_ = 0;
};

}  // namespace

void run(const RepeatedRows& strategy, const Walk& walk) {
  const Index times = walk.loop(strategy.loop).extent;
  const Index results = walk.outer(strategy.loop).count() * times;
  share_out(walk.plan, parted(walk.plan, {results, ranges_each, times}),
            [&](Index from, Index to) { RowRepeater(walk, strategy)(from, to); });
}

}  // namespace tenstride::copy
