// SPDX-License-Identifier: Apache-2.0
#include "plan/strategies/repeated_rows.hpp"

#include <algorithm>
#include <cstdlib>

#include "plan/loop_order.hpp"

namespace tenstride::detail {
namespace {

/// Shorter rows are written one by one for too little, longer ones leave the L2 cache.
constexpr Index min_bytes = 128;
constexpr Index max_bytes = Index{128} << 10;
/// Longer runs of the source, or of one item, go straight to the destination: they cost nothing to make.
constexpr Index longest_short_run = 1024;
/// Little more is read than one row of many: what is left of a plain copy are its writes.
constexpr double writes_alone = .7;

/// Whether the innermost loops, from `first` on, have those that the plan's kernel works on.
bool holds_kernel(const CopyPlan& plan, const CopyLoops& loops, std::size_t first) {
  return !plan.transposes() || std::abs(plan.loops[plan.source_loop].dst_stride) <= loops[first].dst_stride;
}

/// Whether rows cost more to make than to copy from a cache.
bool is_costly(const CopyPlan& plan) {
  const Index run = plan.loops[plan.loops.size() - 1].extent * static_cast<Index>(item_size(plan.dst_type)) *
                    plan.item_elements;
  switch (plan.kernel) {
    case CopyKernel::rows:
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

bool may_repeat_rows(const CopyPlan& plan) {
  return plan.streaming && plan.scale.size() <= 1 && plan.shift.size() <= 1 && is_costly(plan) &&
         std::any_of(plan.loops.begin(), plan.loops.end() - 1,
                     [](const CopyLoop& loop) { return loop.src_stride == 0; });
}

/// The outermost loop of repetitions around a dense row that fits; 0 elements to a row where there is none.
RepeatedRows find_repetition(const CopyPlan& plan, const CopyLoops& loops) {
  const auto element = static_cast<Index>(item_size(plan.dst_type));
  RepeatedRows found;
  Index elements = plan.item_elements;
  for (std::size_t d = loops.size(); d-- > 0 && elements * element <= max_bytes;) {
    const CopyLoop& loop = loops[d];
    const bool is_row = d + 1 < loops.size() && elements * element >= min_bytes;
    if (is_row && loop.src_stride == 0 && holds_kernel(plan, loops, d + 1)) found = {d, elements};
    if (loop.dst_stride != elements) break;
    elements *= loop.extent;
  }
  return found;
}

/// Whether a kernel makes such rows in registers, and writes them past the cache at once: that takes less
/// than to make them once (2 x 2 numbers .88 of a plain fill, .66).
bool goes_straight(const CopyPlan& plan) {
  if (plan.kernel != CopyKernel::gather) return plan.transposes() && plan.kernel != CopyKernel::tile;
  return std::abs(plan.loops[plan.loops.size() - 1].src_stride) <= 4 * plan.item_elements;
}

}  // namespace

std::optional<Proposal> propose_repeated_rows(Problem& problem) {
  if (!may_repeat_rows(problem.plan)) return std::nullopt;
  CopyLoops loops = problem.plan.loops;
  sort_by_destination(loops);
  const RepeatedRows rows = find_repetition(problem.plan, loops);
  const Index row_bytes = rows.elements * static_cast<Index>(item_size(problem.plan.dst_type));
  if (rows.elements == 0 ||
      (goes_straight(problem.plan) &&
       are_whole_lines(problem.plan, problem.options.placement, loops, rows.loop + 1, row_bytes)))
    return std::nullopt;
  return Proposal{rows, writes_alone};
}

void arrange_repeated_rows(CopyPlan& plan) {
  sort_by_destination(plan.loops);
  plan.tile_dst = plan.tile_src = plan.block_src = 0;
  plan.source_loop = plan.strip_loop = plan.strip_depth = 0;
  plan.source_loops = 1;
}

}  // namespace tenstride::detail
