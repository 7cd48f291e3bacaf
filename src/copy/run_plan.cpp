// SPDX-License-Identifier: Apache-2.0
#include "tenstride/copy/run_plan.hpp"

#include "copy/strategies/cached_tiles.hpp"
#include "copy/strategies/contiguous.hpp"
#include "copy/strategies/pipelined_blocks.hpp"
#include "copy/strategies/repeated_rows.hpp"
#include "copy/strategies/row_loops.hpp"
#include "copy/strategies/row_scatter.hpp"
#include "copy/strategies/tiles.hpp"
#include "plan/strategy_text.hpp"

namespace tenstride {

PlanOptions options_here() {
  PlanOptions options;
  options.machine = planned_machine();
  return options;
}

void run_plan(const CopyPlan& plan, void* dst_base, const void* src_base) {
  if (plan.count == 0) return;
  const copy::BoundPlan bound(plan, copy::kernels(), dst_base, src_base);
  std::visit([&](const auto& strategy) { copy::run(strategy, bound); }, plan.strategy);
}

std::string run_text(const CopyPlan& plan) {
  return plan.count == 0 ? std::string() : detail::strategy_text(plan);
}

}  // namespace tenstride
