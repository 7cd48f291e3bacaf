// SPDX-License-Identifier: Apache-2.0
// Sequential reads are as fast as in a plain copy, and streaming stores may go anywhere by a few lines at a
// time. In the destination's order the reads jump from row to row, which no prefetcher follows: .57 → .96 of
// a plain copy in the source's order for rows of 1472 bytes (Zen 5), .46 → .79 for rows of 128 bytes (Emerald
// Rapids).
#include "plan/strategies/row_scatter.hpp"

#include <algorithm>
#include <cstdlib>

#include "plan/loop_order.hpp"

namespace tenstride::detail {
namespace {

/// Bounds of a row's bytes: blocks are faster for shorter rows, and longer rows are as fast in the
/// destination's order.
constexpr Index min_row_bytes = 72;
constexpr Index max_row_bytes = 16384;
/// The shortest rows that have no neighbour in the destination: partial lines are written at both ends of
/// each.
constexpr Index min_lone_row_bytes = 512;
/// The most partial lines that are kept: 512 KiB with the gaps between them, in the L2 cache.
constexpr Index max_partial_lines = 4096;
/// Where no partial lines are kept, a unit of work has this many bytes.
constexpr Index unit_bytes = Index{1} << 20;
/// The cost of each row, in bytes that a plain copy moves in the same time.
constexpr double row_cost_bytes = 35;

/// The strategy with the plan's loops in the order that it needs.
struct Scatter {
  RowScatter strategy;
  CopyLoops loops;
};

bool can_scatter(const CopyPlan& plan) {
  return plan.kernel == CopyKernel::rows && plan.conversion == CopyConversion::none && plan.streaming &&
         plan.loops.size() >= 3 &&
         std::none_of(plan.loops.begin(), plan.loops.end(),
                      [](const CopyLoop& loop) { return loop.src_stride == 0; });
}

Index row_bytes(const CopyPlan& plan) {
  return plan.loops[plan.loops.size() - 1].extent * static_cast<Index>(item_size(plan.dst_type)) *
         plan.item_elements;
}

/// Keeps as many loops inside the neighbour loop as partial lines can be kept for, the outermost of them in
/// parts, and moves the other loops around it.
void limit_partial_lines(Scatter& scatter) {
  CopyLoops& loops = scatter.loops;
  RowScatter& strategy = scatter.strategy;
  const std::size_t row = loops.size() - 1;
  const std::size_t cut = strategy.neighbour_loop + 1;
  Index inner = 1;
  std::size_t d = row;
  while (d > cut && inner * loops[d - 1].extent <= max_partial_lines) inner *= loops[--d].extent;
  if (d > cut) {
    std::rotate(loops.begin() + strategy.neighbour_loop, loops.begin() + cut, loops.begin() + (d - 1));
    strategy.neighbour_loop = d - 2;
    strategy.inner_part = max_partial_lines / inner;
  } else {
    strategy.inner_part = loops[cut].extent;
  }
}

/// The loop with the smallest stride in the destination: along it rows are neighbours.
std::size_t find_neighbour_loop(const CopyLoops& loops, std::size_t row) {
  std::size_t found = 0;
  for (std::size_t d = 1; d < row; ++d) {
    if (std::abs(loops[d].dst_stride) < std::abs(loops[found].dst_stride)) found = d;
  }
  return found;
}

std::optional<Scatter> scatter_of(const CopyPlan& plan, const PlanOptions& options) {
  if (!can_scatter(plan)) return std::nullopt;
  const Index bytes = row_bytes(plan);
  if (bytes < min_row_bytes || bytes > max_row_bytes) return std::nullopt;
  Scatter scatter{{}, plan.loops};
  CopyLoops& loops = scatter.loops;
  const std::size_t row = loops.size() - 1;
  std::stable_sort(loops.begin(), loops.begin() + row, [](const CopyLoop& a, const CopyLoop& b) {
    return std::abs(a.src_stride) > std::abs(b.src_stride);
  });
  const std::size_t neighbour = find_neighbour_loop(loops, row);
  if (neighbour == row - 1) return std::nullopt;  // the order is the same on both sides
  scatter.strategy.neighbour_loop = row - 2;
  scatter.strategy.inner_part = std::clamp<Index>(unit_bytes / bytes, 1, loops[row - 1].extent);
  if (are_whole_lines(plan, options.placement, loops, row, bytes)) return scatter;
  // Partial lines in a buffer would interrupt the several streams that such machines need.
  if (options.machine.streams == MemoryStreams::several) return std::nullopt;
  if (loops[neighbour].dst_stride * static_cast<Index>(item_size(plan.dst_type)) != bytes)
    return bytes >= min_lone_row_bytes ? std::optional(scatter) : std::nullopt;
  scatter.strategy.has_partial_lines = true;
  scatter.strategy.neighbour_loop = neighbour;
  limit_partial_lines(scatter);
  return scatter;
}

}  // namespace

std::optional<Candidate> propose_row_scatter(Problem& problem) {
  const std::optional<Scatter> scatter = scatter_of(problem.plan, problem.options);
  if (!scatter) return std::nullopt;
  return Candidate{scatter->strategy, 1 + row_cost_bytes / static_cast<double>(row_bytes(problem.plan))};
}

void arrange_row_scatter(CopyPlan& plan, const PlanOptions& options) {
  plan.loops = scatter_of(plan, options)->loops;
}

}  // namespace tenstride::detail
