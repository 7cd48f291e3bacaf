// SPDX-License-Identifier: Apache-2.0
// Elements that lie apart, set side by side in the L1 cache before they are folded.
#pragma once

#include <cstddef>
#include <vector>

#include "reduce/walk.hpp"

namespace tenstride::detail {

/// Folds a walk whose elements lie apart (every second one, backwards, short rows of a crop) as if they were
/// dense: the kernels load whole vectors, of what is in the cache.
class Packing {
 public:
  /// Whether that is faster than folding the elements where they lie.
  static bool is_wanted(const ReduceWalk& walk);

  /// `base` is the first element of the walk.
  Packing(const ReduceKernel& kernel, const ReduceWalk& walk, const std::byte* base);

  /// Folds elements [begin, end) of each of the results [first, last) into their accumulators. How that is
  /// cut depends on the walk and these bounds alone.
  void fold(Index first, Index last, Index begin, Index end, std::byte* states) const;

 private:
  const ReduceKernel& kernel_;
  const ReduceWalk& walk_;
  const std::byte* base_;
};

}  // namespace tenstride::detail
