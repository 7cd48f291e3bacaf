// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reduce/kernels/kernels.hpp"
#include "tenstride/reduce/reduce_plan.hpp"

namespace tenstride::detail {

/// The kernel that carries out a plan.
const ReduceKernel& kernel_of(const ReducePlan& plan);

/// Sets the loops, the way and the tiles for results that stand in the order of `dst_strides`, which are
/// dense. `results` are those of the plan's problem or a part of them.
void plan_in_order(ReducePlan& plan, const Layout& results, const Dims& dst_strides);

}  // namespace tenstride::detail
