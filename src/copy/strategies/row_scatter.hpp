// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "copy/bound_plan.hpp"

namespace tenstride::copy {

/// Reads rows in the order of the plan's loops and scatters them by streaming stores.
void run(const RowScatter& strategy, const BoundPlan& bound);

}  // namespace tenstride::copy
