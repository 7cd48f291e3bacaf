// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "copy/bound_plan.hpp"

namespace tenstride::copy {

/// Copies rows along the innermost loop one after another: as they are, filled, gathered, or element by
/// element.
void run(const RowLoops& strategy, const BoundPlan& bound);

}  // namespace tenstride::copy
