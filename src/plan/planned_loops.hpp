// SPDX-License-Identifier: Apache-2.0
// What the loops of the first engine cost, as far as its plan tells.
#pragma once

#include "tenstride/copy_plan.hpp"

namespace tenstride::detail {

/// The time of a plan that is walked with its kernel, as a multiple of a plain copy's.
double cost_of_planned_loops(const CopyPlan& plan);

}  // namespace tenstride::detail
