// SPDX-License-Identifier: Apache-2.0
// What one reduction of one element type does to runs of elements.
#pragma once

#include <cstddef>

#include "tenstride/reduce.hpp"

namespace tenstride::detail {

/// Strides in bytes. An accumulator is `state_size` bytes, aligned to 16.
struct ReduceKernel {
  std::size_t state_size;
  /// Sets `count` accumulators to what changes nothing.
  void (*start)(void* states, Index count);
  /// Folds `count` elements into one accumulator.
  void (*fold)(void* state, const std::byte* src, Index count, std::ptrdiff_t stride);
  /// Folds `rows` rows of `count` elements into `count` accumulators.
  void (*fold_rows)(void* states, const std::byte* src, Index count, std::ptrdiff_t stride, Index rows,
                    std::ptrdiff_t row_stride);
  /// states[i] = states[i] with others[i].
  void (*combine)(void* states, const void* others, Index count);
  /// Of `count` groups of `group` times `inner` accumulators, folds the `inner` of each group together, and
  /// moves them up: `count` times `inner` are left.
  void (*gather)(void* states, Index count, Index group, Index inner);
  /// Writes the results; `folded` is how many elements went into each.
  void (*finish)(std::byte* dst, const void* states, Index count, Index folded);
};

/// Pre: `reduced_dtype` does not refuse the pair.
const ReduceKernel& reduce_kernel(Reduction reduction, DType dtype);

}  // namespace tenstride::detail
