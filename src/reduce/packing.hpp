// SPDX-License-Identifier: Apache-2.0
// Packing elements with gaps between them into the L1 cache before they are accumulated.
#pragma once

#include <cstddef>
#include <vector>

#include "reduce/reduce_plan.hpp"

namespace tenstride::detail {

/// Accumulates elements with gaps between them as if they were dense: packs them into a buffer in the L1
/// cache, from which the kernels load whole vectors. Examples: every second element, a reversed axis, the
/// short rows of a crop.
class Packing {
 public:
  /// Returns whether this is faster than accumulating the elements from the source.
  static bool is_faster(const ReducePlan& plan);

  /// `base` is the first element of the plan.
  Packing(const ReduceKernel& kernel, const ReducePlan& plan, const std::byte* base);

  /// Accumulates elements [begin, end) of each of the results [first, last). The tiles depend on the plan and
  /// these bounds alone, so the results do not depend on the number of threads.
  void accumulate(Index first, Index last, Index begin, Index end, std::byte* states) const;

 private:
  const ReduceKernel& kernel_;
  const ReducePlan& plan_;
  const std::byte* base_;
};

}  // namespace tenstride::detail
