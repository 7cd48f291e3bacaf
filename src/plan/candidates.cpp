// SPDX-License-Identifier: Apache-2.0
#include "plan/candidates.hpp"

#include <algorithm>
#include <limits>

#include "plan/nest.hpp"
#include "plan/pipelined_blocks.hpp"
#include "plan/planned_loops.hpp"

namespace tenstride::detail {
namespace {

/// Below so many bytes a copy is done before blocks are weighed.
constexpr Index least_weighed = Index{64} << 10;
/// Within the caches what only moves goes by tables or tiles, and what converts by blocks where the loops
/// cost so much; short axes that are converted in whole runs have to cost more.
constexpr double much_within_caches = 2;
constexpr double much_of_channels_within_caches = 10;

Index bytes_moved(const CopyPlan& plan) {
  return plan.count * static_cast<Index>(std::max(item_size(plan.dst_type), item_size(plan.src_type)));
}

/// What the loops of a plan may cost without blocks being weighed.
double enough(const CopyPlan& plan, bool leaves_caches) {
  if (leaves_caches) return least_cost_of_blocks;
  if (plan.conversion == CopyConversion::none) return std::numeric_limits<double>::infinity();
  const bool has_channels = plan.kernel == CopyKernel::interleave || plan.kernel == CopyKernel::deinterleave;
  return has_channels ? much_of_channels_within_caches : much_within_caches;
}

}  // namespace

void choose_strategy(CopyPlan& plan, const PlanOptions& options) {
  if (options.engine == Engine::first || plan.kernel == CopyKernel::nothing ||
      plan.kernel == CopyKernel::strided)
    return;
  const Index bytes = bytes_moved(plan);
  const bool leaves_caches = plan.streaming || bytes >= options.streaming_above / 2;
  if (options.engine == Engine::cheapest) {
    if (bytes < least_weighed) return;
    const double cost = cost_of_planned_loops(plan);
    if (cost <= enough(plan, leaves_caches)) return;
    plan.costs.loops = cost;
  }
  const std::optional<Nest> nest = nest_of(plan);
  if (!nest) return;
  const std::optional<PipelinedBlocks> blocks = propose_pipelined_blocks(*nest, options, plan.costs);
  if (!blocks || (options.engine == Engine::cheapest && blocks->cost >= plan.costs.loops)) return;
  plan.strategy = *blocks;
  plan.streaming = leaves_caches;
}

}  // namespace tenstride::detail
