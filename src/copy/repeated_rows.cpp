// SPDX-License-Identifier: Apache-2.0
// Rows that come several times in the destination: an axis of the source with a stride of 0 just outside of
// what a row is made of. Pixels of an image enlarged along both axes are such.
#include "copy/repeated_rows.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>

#include "../message.hpp"
#include "copy/runs.hpp"
#include "copy/sink.hpp"
#include "copy/tiles.hpp"
#include "copy_plan_order.hpp"
#include "tenstride/parallel.hpp"

namespace tenstride::copy {
namespace {

/// Shorter rows are written one by one for too little, longer ones leave the L2 cache.
constexpr Index least_bytes = 128;
constexpr Index most_bytes = Index{128} << 10;
/// As many rows are made at once: the less often, the less a load waits for stores that wait behind streaming
/// ones.
constexpr Index batch_bytes = Index{32} << 10;
/// Rows from this length on go from the registers to all places where a leaf can; of shorter ones it leaves
/// too much.
constexpr Index least_straight = 1024;
/// Longer runs of the source, or of one item, go straight to the destination: they cost nothing to make.
constexpr Index longest_short_run = 1024;
/// What the leaves for short items take.
constexpr Index longest_short_item = 16;
/// Ranges of rows for each thread.
constexpr Index parts_each = 4;

/// Whether the innermost loops, from `first` on, have those that the plan's kernel works on.
bool holds_kernel(const CopyPlan& plan, std::size_t first, Index turned_stride) {
  return !plan.turns() || std::abs(turned_stride) <= plan.loops[first].dst_stride;
}

/// Whether rows cost more to make than to copy from a cache.
bool is_costly(const CopyPlan& plan, Index item) {
  const Index run = plan.loops[plan.loops.size() - 1].extent * item;
  switch (plan.kernel) {
    case CopyKernel::rows:
      return plan.tile_dst == 0 && run <= longest_short_run;
    case CopyKernel::fill:
      return run <= longest_short_run;
    case CopyKernel::gather:
    case CopyKernel::tile:
    case CopyKernel::interleave:
    case CopyKernel::deinterleave:
      return true;
    default:
      return false;
  }
}

/// The outermost loop of repetitions around a dense row that fits; 0 elements to a row where there is none.
struct Repetition {
  std::size_t loop = 0;
  Index elements = 0;
};

Repetition find_repetition(const CopyPlan& plan, Index turned_stride, Index element) {
  Repetition found;
  Index elements = plan.item_elements;
  for (std::size_t d = plan.loops.size(); d-- > 0 && elements * element <= most_bytes;) {
    const CopyLoop& loop = plan.loops[d];
    const bool is_row = d + 1 < plan.loops.size() && elements * element >= least_bytes;
    if (is_row && loop.src_stride == 0 && holds_kernel(plan, d + 1, turned_stride)) found = {d, elements};
    if (loop.dst_stride != elements) break;
    elements *= loop.extent;
  }
  return found;
}

/// Whether all rows are whole lines.
bool are_lines(const Walk& walk, const Repetition& repetition) {
  auto misfit = reinterpret_cast<std::uintptr_t>(walk.dst) |
                static_cast<std::uintptr_t>(repetition.elements) * item_size(walk.plan.dst_type);
  for (std::size_t d = 0; d <= repetition.loop; ++d)
    misfit |= static_cast<std::uintptr_t>(walk.loop(d).dst_stride);
  return misfit % line_bytes == 0;
}

/// Whether a leaf makes such rows in registers, and writes them past the cache at once: that takes less than
/// to make them once (2 x 2 numbers .88 of a plain fill, .66).
bool goes_straight(const Walk& walk) {
  if (walk.plan.kernel != CopyKernel::gather)
    return walk.plan.turns() && walk.plan.kernel != CopyKernel::tile;
  const ByteLoop run = walk.loop(walk.plan.loops.size() - 1);
  return std::abs(run.src_stride) <= 4 * static_cast<Index>(walk.src_item);
}

struct Free {
  void operator()(std::byte* block) const { ::operator delete[](block, std::align_val_t{line_bytes}); }
};

/// Rows of short items that are repeated side by side, which a leaf writes straight past the cache.
struct ShortItems {
  Index bytes = 0;
  Index times = 0;
  Index count = 0;
};

/// Of the row within loop `repeated`; of 0 bytes where it is another.
ShortItems find_short_items(const Walk& walk, const Repetition& repetition) {
  const CopyPlan& plan = walk.plan;
  const std::size_t last = plan.loops.size() - 1;
  if (plan.kernel != CopyKernel::rows || plan.conversion != CopyConversion::none ||
      last != repetition.loop + 3 || !are_lines(walk, repetition)) {
    return {};
  }
  if (repetition.elements * static_cast<Index>(item_size(plan.dst_type)) < least_straight) return {};
  const Index bytes = plan.loops[last].extent * static_cast<Index>(walk.dst_item);
  const ByteLoop items = walk.loop(last - 2);
  if (bytes > longest_short_item || walk.loop(last - 1).src_stride != 0 || items.src_stride != bytes)
    return {};
  return {bytes, plan.loops[last - 1].extent, items.extent};
}

/// The work of one thread.
class RepeatedRows {
 public:
  RepeatedRows(const Walk& walk, const Repetition& repetition)
      : walk_(walk),
        loop_(repetition.loop),
        times_(walk.loop(loop_)),
        pitch_(repetition.elements * static_cast<Index>(item_size(walk.plan.dst_type))),
        most_(std::max<Index>(batch_bytes / pitch_, 1)),
        items_(find_short_items(walk, repetition)),
        written_(plain(walk.plan)),
        sink_(written_, walk.kernels),
        rows_(static_cast<std::byte*>(::operator new[](static_cast<std::size_t>(most_* pitch_) + spill_bytes,
                                                       std::align_val_t{line_bytes}))) {}

  /// Results [from, to): all repetitions of each row before the next row.
  void operator()(Index from, Index to) {
    Odometer at(walk_, 0, loop_, max_rank);
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
          write(dst + row * at.run().dst_stride, rows_.get() + row * pitch_, pitch_, times);
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
    walk_.kernels.short_items->repeat(rows_.get(), src + done / each, items_.bytes, bytes, each,
                                      count - done / (bytes * each));
    write(dst + done, rows_.get(), pitch_ - static_cast<Index>(done), times);
  }

  /// `count` rows from here on, side by side.
  void make(const Odometer& at, Index count) {
    if (count != planned_) {
      made_ = plan_of(count);
      planned_ = count;
    }
    const Walk making(made_, walk_.kernels, rows_.get(), at.src());
    if (made_.turns()) {
      run_tiles(making);
    } else {
      run_runs(making);
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
  ByteLoop times_;
  Index pitch_;
  Index most_;
  ShortItems items_;
  CopyPlan written_;
  Sink sink_;
  std::unique_ptr<std::byte[], Free> rows_;
  CopyPlan made_;
  Index planned_ = 0;
};

bool may_repeat_rows(const CopyPlan& plan) {
  return plan.streaming && plan.scale.size() <= 1 && plan.shift.size() <= 1 &&
         is_costly(plan, static_cast<Index>(item_size(plan.dst_type)) * plan.item_elements) &&
         std::any_of(plan.loops.begin(), plan.loops.end() - 1,
                     [](const CopyLoop& loop) { return loop.src_stride == 0; });
}

/// Of a plan in the destination's order; 0 elements where other ways are as good.
Repetition choose_repetition(const Walk& walk, Index turned_stride) {
  const Repetition found =
      find_repetition(walk.plan, turned_stride, static_cast<Index>(item_size(walk.plan.dst_type)));
  if (found.elements != 0 && goes_straight(walk) && are_lines(walk, found)) return {};
  return found;
}

}  // namespace

bool run_repeated_rows(const Walk& walk) {
  const CopyPlan& plan = walk.plan;
  if (!may_repeat_rows(plan)) return false;
  const CopyPlan ordered = detail::in_destination_order(plan);
  const Walk rows(ordered, walk.kernels, walk.dst, walk.src);
  const Repetition repetition = choose_repetition(rows, plan.loops[plan.turned_loop].dst_stride);
  if (repetition.elements == 0) return false;
  const Index positions = Odometer(rows, 0, repetition.loop, max_rank).count();
  const Index times = ordered.loops[repetition.loop].extent;
  const Index threads = threads_of(plan);
  const Index parts = parts_each * threads;
  const Index grain =
      positions >= parts ? ceil_divide(positions, parts) * times : ceil_divide(positions * times, parts);
  parallel_for(
      0, positions * times, grain, [&](Index from, Index to) { RepeatedRows(rows, repetition)(from, to); },
      plan.threads);
  return true;
}

std::string repeated_rows_text(const Walk& walk) {
  const CopyPlan& plan = walk.plan;
  if (!may_repeat_rows(plan)) return {};
  const CopyPlan ordered = detail::in_destination_order(plan);
  const Walk rows(ordered, walk.kernels, walk.dst, walk.src);
  const Repetition repetition = choose_repetition(rows, plan.loops[plan.turned_loop].dst_stride);
  if (repetition.elements == 0) return {};
  return tenstride::detail::message("rows of ", repetition.elements,
                                    " elements are made once in a cache, each written ",
                                    ordered.loops[repetition.loop].extent, " times");
}

}  // namespace tenstride::copy
