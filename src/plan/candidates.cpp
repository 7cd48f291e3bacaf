// SPDX-License-Identifier: Apache-2.0
#include "plan/candidates.hpp"

#include <algorithm>
#include <array>

#include "plan/strategies/cached_tiles.hpp"
#include "plan/strategies/pipelined_blocks.hpp"
#include "plan/strategies/repeated_rows.hpp"
#include "plan/strategies/row_loops.hpp"
#include "plan/strategies/row_scatter.hpp"
#include "plan/strategies/tiles.hpp"

namespace tenstride::detail {
namespace {

std::optional<Proposal> propose_contiguous(Problem& problem) {
  const CopyPlan& plan = problem.plan;
  if (plan.kernel != CopyKernel::memcpy || plan.conversion != CopyConversion::none) return std::nullopt;
  return Proposal{Contiguous{}, 1};
}

/// In the order of CopyStrategy: blocks are weighed last, and only where all others cost more than blocks
/// can.
constexpr std::array<std::optional<Proposal> (*)(Problem&), strategy_names.size()> candidates{
    propose_contiguous, propose_row_loops,    propose_repeated_rows,   propose_row_scatter,
    propose_tiles,      propose_cached_tiles, propose_pipelined_blocks};

/// The cheapest proposal, or that of the strategy which is asked for.
std::optional<Proposal> cheapest(Problem& problem, std::string_view wanted) {
  std::optional<Proposal> best;
  for (std::size_t at = 0; at < candidates.size(); ++at) {
    if (!wanted.empty() && wanted != strategy_names[at]) continue;
    const std::optional<Proposal> proposal = candidates[at](problem);
    if (!proposal) continue;
    problem.costs.strategies[at] = proposal->cost;
    if (best && proposal->cost >= best->cost) continue;
    best = proposal;
    problem.least = proposal->cost;
  }
  return best;
}

}  // namespace

void choose_strategy(CopyPlan& plan, const PlanOptions& options) {
  const Index bytes =
      plan.count * static_cast<Index>(std::max(item_size(plan.dst_type), item_size(plan.src_type)));
  Problem problem{plan, options, plan.streaming || bytes >= options.streaming_above / 2};
  std::optional<Proposal> best = cheapest(problem, options.strategy);
  if (!best) best = cheapest(problem, {});
  plan.costs = problem.costs;
  plan.strategy = best->strategy;
  if (std::holds_alternative<RepeatedRows>(plan.strategy)) arrange_repeated_rows(plan);
  if (std::holds_alternative<RowScatter>(plan.strategy)) arrange_row_scatter(plan, options);
  if (std::holds_alternative<PipelinedBlocks>(plan.strategy)) plan.streaming = problem.leaves_caches;
}

}  // namespace tenstride::detail
