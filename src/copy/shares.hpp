// SPDX-License-Identifier: Apache-2.0
// Runs the shares of a copy on threads.
#pragma once

#include "plan/grid.hpp"
#include "tenstride/parallel/parallel.hpp"

namespace tenstride::copy {

/// Calls `work(first, last)` for the units [first, last) of each share of a grid, on so many threads.
template <class Work>
void share_out(const detail::Grid& grid, int threads, const Work& work) {
  const detail::Shares shares = grid.shares(threads);
  if (shares.count == 1) {
    work(Index{0}, grid.units());
    return;
  }
  parallel_for(
      0, shares.count, 1,
      [&](Index first, Index last) { work(grid.first_unit(shares, first), grid.first_unit(shares, last)); },
      threads);
}

}  // namespace tenstride::copy
