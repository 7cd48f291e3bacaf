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

std::optional<Candidate> propose_contiguous(Problem& problem) {
  const CopyPlan& plan = problem.plan;
  if (plan.kernel != CopyKernel::memcpy || plan.conversion != CopyConversion::none) return std::nullopt;
  return Candidate{Contiguous{}, 1};
}

/// In the order of CopyStrategy. Pipelined blocks come last: searching for them takes longest, and is skipped
/// where another candidate costs less than any blocks can.
constexpr std::array<std::optional<Candidate> (*)(Problem&), strategy_names.size()> proposals{
    propose_contiguous, propose_row_loops,    propose_repeated_rows,   propose_row_scatter,
    propose_tiles,      propose_cached_tiles, propose_pipelined_blocks};

/// The candidate with the lowest cost, of all strategies or of the one named `only`.
std::optional<Candidate> cheapest_candidate(Problem& problem, std::string_view only) {
  std::optional<Candidate> best;
  for (std::size_t i = 0; i < proposals.size(); ++i) {
    if (!only.empty() && only != strategy_names[i]) continue;
    const std::optional<Candidate> candidate = proposals[i](problem);
    if (!candidate) continue;
    problem.costs.strategies[i] = candidate->cost;
    if (best && candidate->cost >= best->cost) continue;
    best = candidate;
    problem.lowest_cost = candidate->cost;
  }
  return best;
}

}  // namespace

void choose_strategy(CopyPlan& plan, const PlanOptions& options) {
  const Index bytes =
      plan.count * static_cast<Index>(std::max(item_size(plan.dst_type), item_size(plan.src_type)));
  Problem problem{plan, options, plan.streaming || bytes >= options.streaming_above / 2};
  std::optional<Candidate> best = cheapest_candidate(problem, options.strategy);
  if (!best) best = cheapest_candidate(problem, {});
  plan.costs = problem.costs;
  plan.strategy = best->strategy;
  if (std::holds_alternative<RepeatedRows>(plan.strategy)) arrange_repeated_rows(plan);
  if (std::holds_alternative<RowScatter>(plan.strategy)) arrange_row_scatter(plan, options);
  if (std::holds_alternative<PipelinedBlocks>(plan.strategy)) plan.streaming = problem.exceeds_caches;
}

}  // namespace tenstride::detail
