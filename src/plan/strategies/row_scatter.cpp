// SPDX-License-Identifier: Apache-2.0
// Memory that is read in its own order comes at the speed of a plain copy, and streaming stores may go
// anywhere by some lines at a time. In the destination's order, from row to row of the source, the processor
// foresees nothing: on Zen 5 rows of 1472 bytes have .57 of a plain copy in that order, .96 in the source's;
// on Emerald Rapids rows of 128 bytes .46 and .79.
#include "plan/strategies/row_scatter.hpp"

#include <algorithm>
#include <cstdlib>

#include "plan/loop_order.hpp"

namespace tenstride::detail {
namespace {

/// Shorter rows are moved faster by blocks, longer ones as well one by one in the destination's order.
constexpr Index shortest_row = 72;
constexpr Index longest_row = 16384;
/// Rows without neighbours in the destination write to parts of lines at both ends.
constexpr Index shortest_lone_row = 512;
/// Lines carried at most: 512 KiB with what lies between them, in the L2 cache.
constexpr Index max_carried = 4096;
/// Rows that carry nothing are cut into units of so many bytes.
constexpr Index unit_bytes = Index{1} << 20;
/// Bytes that a plain copy moves while a row begins.
constexpr double row_costs = 35;

struct Scatter {
  RowScatter strategy;
  CopyLoops loops;
};

bool may_scatter(const CopyPlan& plan) {
  return plan.kernel == CopyKernel::rows && plan.conversion == CopyConversion::none && plan.streaming &&
         plan.loops.size() >= 3 &&
         std::none_of(plan.loops.begin(), plan.loops.end(),
                      [](const CopyLoop& loop) { return loop.src_stride == 0; });
}

Index row_bytes(const CopyPlan& plan) {
  return plan.loops[plan.loops.size() - 1].extent * static_cast<Index>(item_size(plan.dst_type)) *
         plan.item_elements;
}

/// As many of the loops inside of the joined one as can be carried stay there, one of them in part; the
/// others go around it.
void limit_carried(Scatter& scatter) {
  CopyLoops& loops = scatter.loops;
  RowScatter& strategy = scatter.strategy;
  const std::size_t row = loops.size() - 1;
  const std::size_t cut = strategy.joined + 1;
  Index inner = 1;
  std::size_t d = row;
  while (d > cut && inner * loops[d - 1].extent <= max_carried) inner *= loops[--d].extent;
  if (d > cut) {
    std::rotate(loops.begin() + strategy.joined, loops.begin() + cut, loops.begin() + (d - 1));
    strategy.joined = d - 2;
    strategy.cut_part = max_carried / inner;
  } else {
    strategy.cut_part = loops[cut].extent;
  }
}

/// The least stride of the destination.
std::size_t nearest(const CopyLoops& loops, std::size_t row) {
  std::size_t least = 0;
  for (std::size_t d = 1; d < row; ++d) {
    if (std::abs(loops[d].dst_stride) < std::abs(loops[least].dst_stride)) least = d;
  }
  return least;
}

std::optional<Scatter> scatter_of(const CopyPlan& plan, const PlanOptions& options) {
  if (!may_scatter(plan)) return std::nullopt;
  const Index bytes = row_bytes(plan);
  if (bytes < shortest_row || bytes > longest_row) return std::nullopt;
  Scatter scatter{{}, plan.loops};
  CopyLoops& loops = scatter.loops;
  const std::size_t row = loops.size() - 1;
  std::stable_sort(loops.begin(), loops.begin() + row, [](const CopyLoop& a, const CopyLoop& b) {
    return std::abs(a.src_stride) > std::abs(b.src_stride);
  });
  const std::size_t near = nearest(loops, row);
  if (near == row - 1) return std::nullopt;  // one order on both sides
  scatter.strategy.joined = row - 2;
  scatter.strategy.cut_part = std::clamp<Index>(unit_bytes / bytes, 1, loops[row - 1].extent);
  if (are_whole_lines(plan, options.placement, loops, row, bytes)) return scatter;
  // Carried lines are reads and writes beside those of several streams, for which these are lost.
  if (options.machine.streams == MemoryStreams::several) return std::nullopt;
  if (loops[near].dst_stride * static_cast<Index>(item_size(plan.dst_type)) != bytes)
    return bytes >= shortest_lone_row ? std::optional(scatter) : std::nullopt;
  scatter.strategy.carries = true;
  scatter.strategy.joined = near;
  limit_carried(scatter);
  return scatter;
}

}  // namespace

std::optional<Proposal> propose_row_scatter(Problem& problem) {
  const std::optional<Scatter> scatter = scatter_of(problem.plan, problem.options);
  if (!scatter) return std::nullopt;
  return Proposal{scatter->strategy, 1 + row_costs / static_cast<double>(row_bytes(problem.plan))};
}

void arrange_row_scatter(CopyPlan& plan, const PlanOptions& options) {
  plan.loops = scatter_of(plan, options)->loops;
}

}  // namespace tenstride::detail
