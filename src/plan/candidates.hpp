// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tenstride/copy_plan.hpp"

namespace tenstride::detail {

/// Gives a plan the strategy that costs least.
void choose_strategy(CopyPlan& plan, const PlanOptions& options);

}  // namespace tenstride::detail
