// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "copy/bound_plan.hpp"

namespace tenstride::copy {

/// Copies each tile directly to the destination, without a worker or a buffer.
void run(const CachedTiles& strategy, const BoundPlan& bound);

}  // namespace tenstride::copy
