// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "copy/bound_plan.hpp"

namespace tenstride::copy {

/// Copies one contiguous run; several threads copy pieces that begin at cache lines of the destination.
void run(const Contiguous& strategy, const BoundPlan& bound);

}  // namespace tenstride::copy
