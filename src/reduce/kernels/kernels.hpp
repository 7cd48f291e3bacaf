// SPDX-License-Identifier: Apache-2.0
// What one reduction of one element type does to runs of elements.
#pragma once

#include <cstddef>

#include "tenstride/reduce/reduce.hpp"

namespace tenstride::detail {

/// Pixels of this many channels or more are accumulated as rows.
inline constexpr Index max_channels = 64;
/// Accumulators behind the result of `combine_groups` that it may overwrite.
inline constexpr Index group_slack = 64;

/// Accumulators that `pool` sets at a time, in bytes.
inline constexpr Index pool_bytes = 4096;
/// The most channels of pixels whose rows `pool` reduces first, into a buffer of `staged_bytes`.
inline constexpr Index max_staged_channels = 8;
inline constexpr Index staged_bytes = 8192;

/// Rows that `pool` reduces: each has `groups` groups of `group` pixels of `inner` dense elements. A result
/// is made of one channel of all pixels of a group, over all rows. Example: squares of 2 × 2 pixels of three
/// channels have rows = 2, group = 2, inner = 3, and three results each.
struct PoolRows {
  const std::byte* src;
  Index rows;
  Index row_step;
  Index groups;
  Index group;
  Index inner;
  Index reduced_count;      ///< elements in each result
  Index prefetch_distance;  ///< bytes from what is read to what is prefetched
  /// Lines of results, each of `rows` rows and `groups` groups, `line_step` bytes apart.
  Index lines = 1;
  Index line_step = 0;
};

/// The largest step of `GappedRows`, in elements.
inline constexpr Index max_gapped_step = 8;

/// `rows` rows of `run` elements that lie `step` elements apart.
struct GappedRows {
  const std::byte* src;
  Index rows;
  Index row_step;  ///< not negative
  Index run;
  Index step;
  Index prefetch_distance;  ///< bytes from what is read to what is prefetched
  /// Returns how many elements a row spans, gaps included. Example: a run of 3 with step 2 spans 5.
  [[nodiscard]] Index span() const { return (run - 1) * step + 1; }
};

/// `accumulate_three_channels` gains nothing on rows of fewer pixels.
inline constexpr Index min_three_channel_pixels = 128;

/// `rows` rows of `count` pixels of three channels.
struct ThreeChannelRows {
  const std::byte* src;
  Index rows;
  Index row_step;
  Index count;
  Index prefetch_distance;  ///< bytes from what is read to what is prefetched
};

/// The functions of one reduction of one element type. Strides and steps are in bytes. An accumulator is
/// `state_size` bytes, aligned to 16.
struct ReduceKernel {
  std::size_t state_size;
  /// The number of rows that are accumulated directly; longer ranges are halved, and the halves combined
  /// pairwise.
  Index direct_rows;
  /// Sets `count` accumulators to the value that changes nothing: 0 for a sum, 1 for a product.
  void (*start)(void* states, Index count);
  /// Accumulates a run of `run` elements into each of `count` accumulators. The runs lie `step` apart, and so
  /// does what is read after the last of them, which is prefetched.
  void (*accumulate_runs)(void* states, Index count, const std::byte* src, Index step, Index run,
                          Index stride);
  /// Accumulates `rows` rows of `count` elements into `count` accumulators.
  void (*accumulate_rows)(void* states, Index count, const std::byte* src, Index stride, Index rows,
                          Index row_step);
  /// Accumulates rows with gaps into one accumulator without packing them. Null where packing first is
  /// faster.
  void (*accumulate_gapped)(void* state, const GappedRows& from);
  /// Accumulates each row of pixels into three accumulators; those of the first row come first. Null where
  /// nothing is gained.
  void (*accumulate_three_channels)(void* states, const ThreeChannelRows& from);
  /// Sets each states[i] to the combination of states[i] and others[i].
  void (*combine)(void* states, const void* others, Index count);
  /// Combines groups of accumulators: `in` has `count` groups of `group` times `inner`, `out` gets `count`
  /// times `inner`. Example: count = 1, group = 2, inner = 3 gives in[0] + in[3], in[1] + in[4], in[2] +
  /// in[5]. Overwrites `in`.
  void (*combine_groups)(void* out, void* in, Index count, Index group, Index inner);
  /// Sets accumulators to the results [first, first + count) of each line, the lines one after another.
  /// `first` and `count` are multiples of `inner`; all accumulators together have `pool_bytes` at most. Null
  /// where rows are accumulated and combined instead.
  void (*pool)(void* states, const PoolRows& from, Index first, Index count);
  /// Writes the results to `dst`. `reduced_count`: the number of elements in each, which a mean divides by.
  void (*finish)(std::byte* dst, const void* states, Index count, Index reduced_count);
};

/// Returns the kernel of a reduction. `reduced_count`: the number of elements in each result, which decides
/// how wide the integers of a sum are. Precondition: `reduced_dtype` does not refuse the pair.
const ReduceKernel& reduce_kernel(Reduction reduction, DType dtype, Index reduced_count);
/// Parts of `reduce_kernel`, each compiled by itself.
/// - whole_sum: sums of integers and bools
/// - whole_product: products of integers
/// - float: sums, means and products of floating-point and complex numbers
/// - whole_order: minima, maxima, any and all of integers and bools, and products of bools
/// - float_order: minima and maxima of floating-point numbers
/// - truth: any and all of floating-point and complex numbers
using FindReduceKernel = const ReduceKernel&(Reduction reduction, DType dtype, Index reduced_count);
FindReduceKernel whole_sum_kernel, whole_product_kernel, float_kernel, whole_order_kernel, float_order_kernel,
    truth_kernel;

}  // namespace tenstride::detail
