// SPDX-License-Identifier: Apache-2.0
// What one reduction of one element type does to runs of elements.
#pragma once

#include <cstddef>

#include "tenstride/reduce.hpp"

namespace tenstride::detail {

/// Pixels of so many channels and more are folded as rows.
inline constexpr Index most_channels = 64;
/// Accumulators that must follow those of `gather`'s result, and may be overwritten.
inline constexpr Index gather_slack = 64;

/// Rows of groups of `group` times `inner` dense elements: what lies above each other is folded, and the
/// `inner` of each group.
struct PoolRows {
  const std::byte* src;
  Index rows;
  std::ptrdiff_t row_step;
  Index groups;
  Index group;
  Index inner;
  Index folded;          ///< elements that go into a result
  std::ptrdiff_t ahead;  ///< bytes to what is read next, which is asked for
};

/// How results are written: so that they stay in the caches, or past them, after which a fence is due.
enum class Stores : unsigned char { plain, streamed };

/// Strides and steps in bytes. An accumulator is `state_size` bytes, aligned to 16.
struct ReduceKernel {
  std::size_t state_size;
  /// So many rows are folded into the same accumulators before halves are combined pairwise.
  Index patience;
  /// Sets `count` accumulators to what changes nothing.
  void (*start)(void* states, Index count);
  /// Folds a run of `run` elements into each of `count` accumulators; the runs lie `step` apart.
  void (*fold)(void* states, Index count, const std::byte* src, std::ptrdiff_t step, Index run,
               std::ptrdiff_t stride);
  /// Folds `rows` rows of `count` elements into `count` accumulators.
  void (*fold_rows)(void* states, Index count, const std::byte* src, std::ptrdiff_t stride, Index rows,
                    std::ptrdiff_t row_step);
  /// Folds `count` dense pixels into `channels` accumulators. Pre: channels < most_channels.
  void (*fold_pixels)(void* states, Index channels, const std::byte* src, Index count);
  /// states[i] = states[i] with others[i].
  void (*combine)(void* states, const void* others, Index count);
  /// Of `count` groups of `group` times `inner` accumulators, folds the `inner` of each group together:
  /// `count` times `inner` in `out`. `in` is lost.
  void (*gather)(void* out, void* in, Index count, Index group, Index inner);
  /// Folds rows and groups at once and writes the results.
  void (*pool)(std::byte* dst, const PoolRows& from, Stores stores);
  /// Writes the results; `folded` is how many elements went into each.
  void (*finish)(std::byte* dst, const void* states, Index count, Index folded);
};

/// `folded`: how many elements go into each result, which says how wide an integer must be.
/// Pre: `reduced_dtype` does not refuse the pair.
const ReduceKernel& reduce_kernel(Reduction reduction, DType dtype, Index folded);
/// The two halves of it: sum, mean and prod; the others.
const ReduceKernel& sum_kernel(Reduction reduction, DType dtype, Index folded);
const ReduceKernel& order_kernel(Reduction reduction, DType dtype);

}  // namespace tenstride::detail
