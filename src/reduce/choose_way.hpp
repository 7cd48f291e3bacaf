// SPDX-License-Identifier: Apache-2.0
// The one place where the way of a reduction is chosen.
#pragma once

#include "reduce/kernels/kernels.hpp"
#include "reduce/reduce_loops.hpp"

namespace tenstride::detail {

/// The way of a plan that has its loops. The rules are asked from the most special way to the most general;
/// each says what it gains. Rules, and not costs that a machine could shift: the way of floating sums decides
/// how they are rounded.
ReduceWay choose_way(const ReducePlan& plan, ReduceShape shape, const ReduceKernel& kernel);

}  // namespace tenstride::detail
