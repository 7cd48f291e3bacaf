// SPDX-License-Identifier: Apache-2.0
// Accumulating elements with gaps between them, by vectors that load the gaps too.
#pragma once

#include <cstddef>
#include <span>

#include "reduce/reduce_plan.hpp"

namespace tenstride::detail {

/// Accumulates runs with small gaps between their elements or rows, without packing them: the cache lines in
/// which the gaps lie are read anyway. Example: every second float of a row.
class Gaps {
 public:
  /// Returns whether this is faster than packing the elements, or than accumulating one run after the other.
  static bool is_faster(const ReduceKernel& kernel, const ReducePlan& plan);

  /// Returns the distance between the elements of a row of results, in elements, where those between are
  /// accumulated together with them and dropped at the end; otherwise 1.
  static Index row_step(const ReduceKernel& kernel, const ReducePlan& plan);

  /// `base` is the first element of the plan.
  Gaps(const ReduceKernel& kernel, const ReducePlan& plan, const std::byte* base);

  /// Accumulates elements [begin, end) of each of the results [first, last).
  void accumulate(Index first, Index last, Index begin, Index end, std::byte* states) const;

 private:
  void one(std::byte* state, const std::byte* src, Index begin, Index end) const;

  const ReduceKernel& kernel_;
  const ReducePlan& plan_;
  const std::byte* base_;
  std::span<const ReduceLoop> rows_;  ///< all reduction loops but the innermost
};

}  // namespace tenstride::detail
