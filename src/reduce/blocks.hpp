// SPDX-License-Identifier: Apache-2.0
// Results in another order than that in which memory is read.
#pragma once

#include "reduce/walk.hpp"
#include "tenstride/tensor.hpp"

namespace tenstride::detail {

/// What is reduced: the axes that stay and those that are folded, of elements of `item` bytes from `base` on.
struct ReduceSource {
  Layout kept;
  Layout folded;
  Index item;
  const std::byte* base;
};

/// Folds everything and writes the results: into their own order where that is the order of memory, otherwise
/// into that one, block by block, and turned from there while they are in the cache. Pre: `result` is
/// contiguous, of the shape of what stays.
void reduce_into(Tensor& result, const ReduceKernel& kernel, const ReduceSource& source);

}  // namespace tenstride::detail
