// SPDX-License-Identifier: Apache-2.0
// What one reduction of one element type does to runs of elements.
#pragma once

#include <cstddef>

#include "tenstride/reduce.hpp"

namespace tenstride::detail {

/// Pixels of so many channels and more are folded as rows.
inline constexpr Index max_channels = 64;
/// Accumulators that must follow those of `gather`'s result, and may be overwritten.
inline constexpr Index gather_slack = 64;

/// What `pool` folds at a time, in bytes of accumulators. Of pixels of up to so many channels the rows are
/// folded first, into so many bytes.
inline constexpr Index pool_bytes = 4096;
inline constexpr Index staged_channels = 8;
inline constexpr Index staged_bytes = 8192;

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
  /// Lines of results, each of as many rows and groups: from one to the next.
  Index lines = 1;
  std::ptrdiff_t line_step = 0;
};

/// The most `accumulate_gapped` takes from one element to the next, in elements.
inline constexpr Index max_gapped_step = 8;

/// `rows` rows of `run` elements, `step` elements apart.
struct GappedRows {
  const std::byte* src;
  Index rows;
  std::ptrdiff_t row_step;  ///< not negative
  Index run;
  Index step;
  std::ptrdiff_t ahead;  ///< bytes to what is read soon, which is asked for
  /// Elements from the first of a row to the last.
  [[nodiscard]] Index span() const { return (run - 1) * step + 1; }
};

/// Rows of fewer pixels are not worth it to `accumulate_threes`.
inline constexpr Index fewest_threes = 128;

/// `rows` rows of `count` pixels of three channels.
struct ThreeRows {
  const std::byte* src;
  Index rows;
  std::ptrdiff_t row_step;
  Index count;
  std::ptrdiff_t ahead;  ///< bytes to what is read soon, which is asked for
};

/// Strides and steps in bytes. An accumulator is `state_size` bytes, aligned to 16.
struct ReduceKernel {
  std::size_t state_size;
  /// So many rows are folded into the same accumulators before halves are combined pairwise.
  Index patience;
  /// Sets `count` accumulators to what changes nothing.
  void (*start)(void* states, Index count);
  /// Folds a run of `run` elements into each of `count` accumulators; the runs lie `step` apart, as does what
  /// is read after the last of them, which is asked for.
  void (*fold)(void* states, Index count, const std::byte* src, std::ptrdiff_t step, Index run,
               std::ptrdiff_t stride);
  /// Folds `rows` rows of `count` elements into `count` accumulators.
  void (*accumulate_rows)(void* states, Index count, const std::byte* src, std::ptrdiff_t stride, Index rows,
                          std::ptrdiff_t row_step);
  /// Folds rows into one accumulator, from where they lie; null where elements are set side by side first.
  void (*accumulate_gapped)(void* state, const GappedRows& from);
  /// Folds each row of pixels into three accumulators, those of one row after those of the other; null where
  /// nothing is gained.
  void (*accumulate_threes)(void* states, const ThreeRows& from);
  /// states[i] = states[i] with others[i].
  void (*combine)(void* states, const void* others, Index count);
  /// Of `count` groups of `group` times `inner` accumulators, folds the `inner` of each group together:
  /// `count` times `inner` in `out`. `in` is lost.
  void (*gather)(void* out, void* in, Index count, Index group, Index inner);
  /// Sets accumulators to results [first, first + count) of rows and groups folded at once, of one line after
  /// the other; both are of whole groups, and the accumulators `pool_bytes` at most.
  void (*pool)(void* states, const PoolRows& from, Index first, Index count);
  /// Writes the results; `folded` is how many elements went into each.
  void (*finish)(std::byte* dst, const void* states, Index count, Index folded);
};

/// `folded`: how many elements go into each result, which says how wide an integer must be.
/// Pre: `reduced_dtype` does not refuse the pair.
const ReduceKernel& reduce_kernel(Reduction reduction, DType dtype, Index folded);
/// Its parts, each compiled by itself: sums of integers; their products but those of bools; sums, means and
/// products of the others; minima and maxima of integers, which say any, all and products of bools too; those
/// of floating numbers; any and all of what is no integer.
const ReduceKernel& whole_sum_kernel(DType dtype, Index folded);
const ReduceKernel& whole_product_kernel(DType dtype);
const ReduceKernel& float_kernel(Reduction reduction, DType dtype);
const ReduceKernel& whole_order_kernel(Reduction reduction, DType dtype);
const ReduceKernel& float_order_kernel(Reduction reduction, DType dtype);
const ReduceKernel& truth_kernel(Reduction reduction, DType dtype);

}  // namespace tenstride::detail
