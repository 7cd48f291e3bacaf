// SPDX-License-Identifier: Apache-2.0
// Reductions whose results are stored in another order than that in which the source is read.
#pragma once

#include "reduce/reduce_plan.hpp"
#include "tenstride/tensor.hpp"

namespace tenstride::detail {

/// The source of a reduction: its result axes, which stay, and its reduction axes, which are removed.
/// Elements have `item` bytes and begin at `base`.
struct ReduceSource {
  Layout result_axes;
  Layout reduction_axes;
  Index item;
  const std::byte* base;
};

/// Reduces the source into `result`. Where the order of the results differs from that of the source's memory,
/// blocks of results are computed in the order of memory, and transposed into `result` while they are in the
/// cache. Precondition: `result` is contiguous and has the shape of the result axes.
void reduce_into(Tensor& result, const ReduceKernel& kernel, const ReduceSource& source);

}  // namespace tenstride::detail
