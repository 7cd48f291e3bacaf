// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tenstride/reduce/reduce_plan.hpp"
#include "tenstride/tensor/tensor.hpp"

namespace tenstride::detail {

/// Carries out a plan. Pre: `result` is contiguous and has the shape and the type that were planned; `x` has
/// the storage whose layout was.
void run_reduction(const ReducePlan& plan, Tensor& result, const Tensor& x);

/// Carries out a plan without a block: all results one behind the other at `dst`, in the order of its loops.
/// `src` is the source's storage element 0.
void run_in_order(const ReducePlan& plan, std::byte* dst, const std::byte* src);

}  // namespace tenstride::detail
