// SPDX-License-Identifier: Apache-2.0
#include "tenstride/copy/run_plan.hpp"

#include "copy/ways/ways.hpp"
#include "plan/way_text.hpp"

namespace tenstride {

PlanOptions options_here() {
  return {.machine = planned_machine()};
}

void run_plan(const CopyPlan& plan, void* dst_base, const void* src_base) {
  if (plan.count == 0) return;
  const copy::Bound bound(plan, copy::kernels(), dst_base, src_base);
  std::visit([&](const auto& way) { copy::run(way, bound); }, plan.way);
}

std::string run_text(const CopyPlan& plan) {
  return plan.count == 0 ? std::string() : detail::way_text(plan);
}

}  // namespace tenstride
