// SPDX-License-Identifier: Apache-2.0
// How the work of a copy is shared out to threads.
#pragma once

#include <algorithm>

#include "tenstride/copy_plan.hpp"
#include "tenstride/parallel.hpp"

namespace tenstride::copy {

/// How many threads may carry the plan out.
inline int threads_of(const CopyPlan& plan) {
  return plan.threads == 0 ? num_threads() : plan.threads;
}

/// Work in the order in which it is best done by one thread.
struct Shares {
  Index units = 0;
  /// Ranges for each thread. The more of them, the less one thread waits for the last range of another; the
  /// fewer, the less often one begins with an empty cache and buffers of its own.
  Index ranges_each = 1;
  /// Ranges are multiples of so many units: those that end where a line of the destination does, or that hand
  /// lines on to each other.
  Index together = 1;
};

/// The same, but what is together is parted where there are fewer such groups than ranges.
inline Shares parted(const CopyPlan& plan, Shares shares) {
  if (shares.units / shares.together < shares.ranges_each * threads_of(plan)) shares.together = 1;
  return shares;
}

/// Calls `work(from, to)` with ranges that make up the units of a copy.
template <class Work>
void share_out(const CopyPlan& plan, const Shares& shares, const Work& work) {
  const Index groups = ceil_divide(shares.units, shares.together);
  parallel_for(
      0, groups, ceil_divide(groups, shares.ranges_each * threads_of(plan)),
      [&](Index from, Index to) {
        work(from * shares.together, std::min(to * shares.together, shares.units));
      },
      plan.threads);
}

}  // namespace tenstride::copy
