// SPDX-License-Identifier: Apache-2.0
// Elements that lie apart, folded from where they lie by vectors of which not all is wanted.
#pragma once

#include <cstddef>
#include <span>

#include "reduce/walk.hpp"

namespace tenstride::detail {

/// Folds runs whose elements or rows lie apart by little: all lines between are read for one result alone.
class Gaps {
 public:
  /// Whether that is faster than packing the elements, or than folding one run after the other.
  static bool are_wanted(const ReduceKernel& kernel, const ReduceWalk& walk);

  /// Of rows of results, from one element to the next, in elements, where those between are to be folded with
  /// them; otherwise 1.
  static Index step_of_rows(const ReduceKernel& kernel, const ReduceWalk& walk);

  /// `base` is the first element of the walk.
  Gaps(const ReduceKernel& kernel, const ReduceWalk& walk, const std::byte* base);

  /// Folds elements [begin, end) of each of the results [first, last) into their accumulators.
  void fold(Index first, Index last, Index begin, Index end, std::byte* states) const;

 private:
  void one(std::byte* state, const std::byte* src, Index begin, Index end) const;

  const ReduceKernel& kernel_;
  const ReduceWalk& walk_;
  const std::byte* base_;
  std::span<const ReduceLoop> rows_;  ///< all but the fastest loop of what is folded
};

}  // namespace tenstride::detail
