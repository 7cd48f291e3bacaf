// SPDX-License-Identifier: Apache-2.0
#include "plan/candidates.hpp"

#include <algorithm>

#include "plan/nest.hpp"
#include "plan/pipelined_blocks.hpp"
#include "plan/planned_loops.hpp"

namespace tenstride::detail {
namespace {

/// Whether what is moved does not stay in the caches, on one side or the other.
bool leaves_caches(const CopyPlan& plan, const PlanOptions& options) {
  const auto dst_bytes = plan.count * static_cast<Index>(item_size(plan.dst_type));
  const auto src_bytes = plan.count * static_cast<Index>(item_size(plan.src_type));
  return plan.kernel != CopyKernel::nothing && plan.kernel != CopyKernel::strided &&
         std::max(dst_bytes, src_bytes) >= options.streaming_above / 2;
}

}  // namespace

void choose_strategy(CopyPlan& plan, const PlanOptions& options) {
  if (options.engine == Engine::first || !leaves_caches(plan, options)) return;
  const double cost = plan.cost_of_loops = cost_of_planned_loops(plan);
  if (options.engine == Engine::cheapest && cost <= least_cost_of_blocks) return;
  const std::optional<Nest> nest = nest_of(plan);
  if (!nest) return;
  const std::optional<PipelinedBlocks> blocks = propose_pipelined_blocks(*nest, options);
  if (!blocks || (options.engine == Engine::cheapest && blocks->cost >= cost)) return;
  plan.strategy = *blocks;
  plan.streaming = true;
}

}  // namespace tenstride::detail
