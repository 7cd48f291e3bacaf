// SPDX-License-Identifier: Apache-2.0
#include "plan/strategies/repeated_rows.hpp"

#include <algorithm>
#include <cstdlib>

#include "plan/loop_order.hpp"

namespace tenstride::detail {
namespace {

/// Bounds of a row's bytes: a call for each shorter row costs too much, and longer rows do not fit the L2
/// cache.
constexpr Index min_row_bytes = 128;
constexpr Index max_row_bytes = Index{128} << 10;
/// Rows of longer runs of the source, or of one item, are as fast to make anew: they are written directly.
constexpr Index max_costly_run_bytes = 1024;
/// The cost of repeated rows: of a plain copy mostly the writes remain, as each row is read once.
constexpr double repeated_rows_cost = .7;

/// Whether the loops from `first` to the innermost contain the loops that the plan's kernel works on.
bool holds_kernel(const CopyPlan& plan, const CopyLoops& loops, std::size_t first) {
  return !plan.transposes() || std::abs(plan.loops[plan.source_loop].dst_stride) <= loops[first].dst_stride;
}

/// Whether a row takes longer to make than to copy from a cache.
bool is_costly(const CopyPlan& plan) {
  const Index run = plan.loops[plan.loops.size() - 1].extent * static_cast<Index>(item_size(plan.dst_type)) *
                    plan.item_elements;
  switch (plan.kernel) {
    case CopyKernel::rows:
    case CopyKernel::fill:
      return run <= max_costly_run_bytes;
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

/// The outermost loop that repeats a contiguous row within the bounds; a row of 0 elements where there is
/// none.
RepeatedRows find_repetition(const CopyPlan& plan, const CopyLoops& loops) {
  const auto element = static_cast<Index>(item_size(plan.dst_type));
  RepeatedRows found;
  Index elements = plan.item_elements;
  for (std::size_t d = loops.size(); d-- > 0 && elements * element <= max_row_bytes;) {
    const CopyLoop& loop = loops[d];
    const bool is_row = d + 1 < loops.size() && elements * element >= min_row_bytes;
    if (is_row && loop.src_stride == 0 && holds_kernel(plan, loops, d + 1)) found = {d, elements};
    if (loop.dst_stride != elements) break;
    elements *= loop.extent;
  }
  return found;
}

/// Whether a kernel makes whole lines of such rows in registers and streams them: making them for every
/// repetition is then faster than packing them once. 2 x 2 numbers: .66 packed once → .88 of a plain fill.
bool is_made_in_registers(const CopyPlan& plan) {
  if (plan.kernel != CopyKernel::gather) return plan.transposes() && plan.kernel != CopyKernel::tile;
  return std::abs(plan.loops[plan.loops.size() - 1].src_stride) <= 4 * plan.item_elements;
}

}  // namespace

std::optional<Candidate> propose_repeated_rows(Problem& problem) {
  if (!may_repeat_rows(problem.plan)) return std::nullopt;
  CopyLoops loops = problem.plan.loops;
  sort_by_destination(loops);
  const RepeatedRows rows = find_repetition(problem.plan, loops);
  const Index row_bytes = rows.elements * static_cast<Index>(item_size(problem.plan.dst_type));
  if (rows.elements == 0 ||
      (is_made_in_registers(problem.plan) &&
       are_whole_lines(problem.plan, problem.options.placement, loops, rows.loop + 1, row_bytes)))
    return std::nullopt;
  return Candidate{rows, repeated_rows_cost};
}

void arrange_repeated_rows(CopyPlan& plan) {
  sort_by_destination(plan.loops);
  plan.tile_dst = plan.tile_src = plan.block_src = 0;
  plan.source_loop = plan.strip_loop = plan.strip_depth = 0;
  plan.source_loops = 1;
}

}  // namespace tenstride::detail
