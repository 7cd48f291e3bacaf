// SPDX-License-Identifier: Apache-2.0
// Results that stand in another order than that in which the source is read: blocks of them are computed in
// the order of memory, and transposed into the result while they are in the cache.
#pragma once

#include "tenstride/reduce/reduce_plan.hpp"
#include "tenstride/tensor/tensor.hpp"

namespace tenstride::detail {

bool has_backward_axis(const Layout& layout);
/// The layout with axes of negative strides reversed, so that memory is read forwards.
Layout with_forward_axes(Layout layout);

/// Extents of a block of results. `working`: the strides in which blocks are computed.
Dims block_extents(const ReducePlan& plan, const Dims& working);

/// Carries out a plan that has a block. `src` is the source's storage element 0.
void run_blocks(const ReducePlan& plan, Tensor& result, const std::byte* src);

}  // namespace tenstride::detail
