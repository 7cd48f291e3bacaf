// SPDX-License-Identifier: Apache-2.0
// How the work of a copy is divided among threads.
#pragma once

#include <algorithm>

#include "tenstride/parallel/parallel.hpp"

namespace tenstride::copy {

/// The number of threads that `CopyPlan::threads` stands for.
inline int threads_of(int threads) {
  return threads == 0 ? num_threads() : threads;
}

/// The work of a copy: numbered units, in the order that is best for one thread.
struct Shares {
  Index units = 0;
  /// The number of ranges that each thread gets on average. More ranges shorten the wait for the last thread;
  /// fewer ranges begin less often with an empty cache and new buffers.
  Index ranges_per_thread = 1;
  /// The size of a range is a multiple of this: units that end together at a line of the destination, or that
  /// continue each other's partial lines.
  Index group = 1;
};

/// The same shares, but with groups split into single units where there are fewer groups than ranges.
inline Shares split_groups(int threads, Shares shares) {
  if (shares.units / shares.group < shares.ranges_per_thread * threads_of(threads)) shares.group = 1;
  return shares;
}

/// Calls `work(first, last)` for ranges [first, last) that make up all units, on as many threads as
/// `threads`, that of the plan, allows.
template <class Work>
void share_out(int threads, const Shares& shares, const Work& work) {
  const Index groups = ceil_divide(shares.units, shares.group);
  parallel_for(
      0, groups, ceil_divide(groups, shares.ranges_per_thread * threads_of(threads)),
      [&](Index first, Index last) {
        work(first * shares.group, std::min(last * shares.group, shares.units));
      },
      threads);
}

}  // namespace tenstride::copy
