// SPDX-License-Identifier: Apache-2.0
#include "plan/candidates.hpp"

#include <algorithm>
#include <array>

#include "plan/cached_tiles.hpp"
#include "plan/loop_order.hpp"
#include "plan/pipelined_blocks.hpp"
#include "plan/repeated_rows.hpp"
#include "plan/row_loops.hpp"
#include "plan/row_scatter.hpp"
#include "plan/tiles.hpp"

namespace tenstride::detail {
namespace {

std::optional<Proposal> propose_contiguous(const Problem& problem) {
  const CopyPlan& plan = problem.plan;
  if (plan.kernel != CopyKernel::memcpy || plan.conversion != CopyConversion::none) return std::nullopt;
  return Proposal{Contiguous{}, 1};
}

/// In the order of CopyStrategy. The blocks come last: they are weighed only where all others cost more than
/// blocks can.
constexpr std::array<std::optional<Proposal> (*)(const Problem&), strategy_names.size()> candidates{
    propose_contiguous,
    propose_row_loops,
    propose_repeated_rows,
    propose_row_scatter,
    propose_tiles,
    propose_cached_tiles,
    nullptr};

/// The cheapest proposal, or that of the strategy which is asked for.
std::optional<Proposal> cheapest(const Problem& problem, std::string_view wanted, StrategyCosts& costs) {
  std::optional<Proposal> best;
  const auto weigh = [&](std::size_t at, const std::optional<Proposal>& proposal) {
    if (!proposal) return;
    costs.strategies[at] = proposal->cost;
    if (!best || proposal->cost < best->cost) best = proposal;
  };
  for (std::size_t at = 0; at + 1 < candidates.size(); ++at) {
    if (wanted.empty() || wanted == strategy_names[at]) weigh(at, candidates[at](problem));
  }
  const std::size_t blocks = candidates.size() - 1;
  const bool is_wanted = wanted == strategy_names[blocks];
  if (is_wanted || (wanted.empty() && may_gain_by_blocks(problem, best ? best->cost : 0)))
    weigh(blocks, propose_pipelined_blocks(problem, costs));
  return best;
}

}  // namespace

void choose_strategy(CopyPlan& plan, const PlanOptions& options) {
  const Index bytes =
      plan.count * static_cast<Index>(std::max(item_size(plan.dst_type), item_size(plan.src_type)));
  const Problem problem{plan, options, plan.streaming || bytes >= options.streaming_above / 2};
  std::optional<Proposal> best = cheapest(problem, options.strategy, plan.costs);
  if (!best) best = cheapest(problem, {}, plan.costs);
  plan.strategy = best->strategy;
  if (std::holds_alternative<RepeatedRows>(plan.strategy)) arrange_repeated_rows(plan);
  if (std::holds_alternative<RowScatter>(plan.strategy)) arrange_row_scatter(plan, options);
  if (std::holds_alternative<PipelinedBlocks>(plan.strategy)) plan.streaming = problem.leaves_caches;
}

}  // namespace tenstride::detail
