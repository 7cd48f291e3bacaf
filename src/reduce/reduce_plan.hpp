// SPDX-License-Identifier: Apache-2.0
// The plan of a reduction: a loop nest over results and one over the elements of each.
#pragma once

#include <cstddef>
#include <vector>

#include "reduce/kernels/kernels.hpp"

namespace tenstride::detail {

/// The smallest share of a thread, in elements.
inline constexpr Index piece_elements = Index{1} << 17;
/// Rows of fewer results, and runs of fewer elements, are too short for a kernel's vectors.
inline constexpr Index short_row = 16;
/// Rows that span no more bytes than this are passed to a kernel in one call.
inline constexpr Index window_bytes = 4096;

struct ReduceLoop {
  Index extent;
  std::ptrdiff_t stride;  ///< in the source, in bytes
};

/// What one call of a kernel accumulates.
enum class ReduceShape : unsigned char {
  runs,    ///< runs of elements, each into one result
  rows,    ///< rows of results
  pixels,  ///< a few results whose elements alternate: the channels of pixels
};

/// Loops over the result axes and over the reduction axes, outermost first, neighbours merged where they are
/// one loop. The results are dense in the order of `result_loops`.
struct ReducePlan {
  /// `dst_strides` are the dense strides of the results.
  ReducePlan(const Layout& result_layout, const Dims& dst_strides, const Layout& reduced_layout,
             Index item_bytes);

  std::vector<ReduceLoop> result_loops;
  std::vector<ReduceLoop> reduction_loops;
  Index item;                ///< bytes of an element of the source
  std::ptrdiff_t start = 0;  ///< offset of the first element, in bytes
  Index results = 1;
  Index per_result = 1;  ///< elements that are accumulated into one result
  ReduceShape shape = ReduceShape::runs;
  /// Short neighbouring axes (the channels of pixels, squares that are pooled) are treated as one long row of
  /// results: groups of group * inner of them, whose `group` parts of `inner` each are combined at the end.
  /// Example: (w,2,c) with the axis of 2 reduced is a row of w*2*c with group 2 and inner c.
  Index group = 1;
  Index inner = 1;
  /// For ReduceShape::pixels: the channels of a pixel, and the distance between the channels that are
  /// results.
  Index pixel = 1;
  Index channel_step = 1;
  /// Whether the reduction loops are the outer ones, so that memory is read in its order: then `piece`
  /// elements of each result are accumulated at a time.
  bool is_reduction_outer = false;
  Index piece = 1;

 private:
  void choose_shape();
  bool join_groups();
  void choose_order();
};

/// Returns dense strides for the results in the order in which they are computed fastest: the source's order,
/// except that a short innermost axis (the channels of pixels that are pooled) gives way to a longer one.
Dims working_strides(const Layout& results, const Layout& reduced);

/// Dense rows from this many bytes on are accumulated one by one; shorter ones are packed, or accumulated
/// together, where a result has many of them. One by one, runs of 90 floats took 47 ns each, of which
/// reading them takes 26.
inline constexpr Index short_run_bytes = 1024;

/// Returns whether only few rows, and groups within them, are reduced: pooling.
bool is_pool(const ReducePlan& plan);
/// Does what `run_reduction` does for a pool, row by row.
void run_pools(const ReduceKernel& kernel, const ReducePlan& plan, std::byte* dst, std::size_t dst_item,
               const std::byte* base);

/// Accumulates all elements and writes the results. `base` is the source's first element.
void run_reduction(const ReduceKernel& kernel, const ReducePlan& plan, std::byte* dst, std::size_t dst_item,
                   const std::byte* base);

}  // namespace tenstride::detail
