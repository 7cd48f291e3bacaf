// SPDX-License-Identifier: Apache-2.0
// How a reduction goes through memory: loops over results, loops over what is folded into each.
#pragma once

#include <cstddef>
#include <vector>

#include "reduce/kernels/kernels.hpp"

namespace tenstride::detail {

/// A piece of work for a thread, in elements; a range of less is not divided.
inline constexpr Index piece_elements = Index{1} << 17;
/// Rows of fewer results, and runs of fewer elements, are not worth a kernel's start.
inline constexpr Index short_row = 16;
/// What lies in so many bytes is read at once.
inline constexpr Index near_bytes = 4096;

struct ReduceLoop {
  Index extent;
  std::ptrdiff_t stride;  ///< bytes of the source
};

/// What a kernel is called for.
enum class ReduceShape : unsigned char {
  runs,    ///< runs of elements, each into one result
  rows,    ///< rows of results
  pixels,  ///< a few results in turn
};

/// Joint loops, the slowest first, merged where they are one. The results lie dense in the order of `kept`.
struct ReduceWalk {
  /// `dst_strides`: the dense strides of the results.
  ReduceWalk(const Layout& kept_layout, const Dims& dst_strides, const Layout& reduced_layout,
             Index item_bytes);

  std::vector<ReduceLoop> kept;
  std::vector<ReduceLoop> folded;
  Index item;                ///< bytes of an element
  std::ptrdiff_t start = 0;  ///< where the first element lies, in bytes
  Index results = 1;
  Index each = 1;  ///< elements folded into one result
  ReduceShape shape = ReduceShape::runs;
  /// Short axes beside each other (the channels of pixels, squares that are pooled) are one long row of
  /// results: of `group` times `inner` of these, the `inner` of each group are folded together at the end.
  Index group = 1;
  Index inner = 1;
  /// Channels of a pixel, of which results may take fewer, and from one that is taken to the next.
  Index pixel = 1;
  Index apart = 1;
  /// Which loop is the slower one, so that memory is read in its order: over pieces of what is folded (so
  /// many elements of each result at a time), or over results.
  bool folds_outside = false;
  Index piece = 1;

 private:
  void choose_shape();
  bool join_groups();
  void choose_order();
};

/// Dense strides for the results, in the order in which they are best worked on: the source's, but for a
/// short fastest axis (the channels of pixels that are pooled), which lets a longer one go first.
Dims working_strides(const Layout& kept, const Layout& folded);

/// Whether a few rows and groups within them are all that is folded: pooled squares. They are folded and
/// written row by row.
bool is_pool(const ReduceWalk& walk);
void run_pools(const ReduceKernel& kernel, const ReduceWalk& walk, std::byte* dst, std::size_t dst_item,
               const std::byte* base);

/// Folds everything and writes the results. `base` is the source's first element.
void run_reduction(const ReduceKernel& kernel, const ReduceWalk& walk, std::byte* dst, std::size_t dst_item,
                   const std::byte* base);

}  // namespace tenstride::detail
