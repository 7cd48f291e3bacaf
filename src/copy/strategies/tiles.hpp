// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "copy/bound_plan.hpp"

namespace tenstride::copy {

/// Copies tile by tile: a tile extends along the innermost loop, contiguous in the destination, and along the
/// source run, contiguous in the source.
void run(const Tiles& strategy, const BoundPlan& bound);

}  // namespace tenstride::copy
