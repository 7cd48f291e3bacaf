// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/plan/tile_plan.hpp"

namespace tenstride::testing {

/// A matrix transposed: rows of the source become columns.
inline BlockProblem transpose(Index rows, Index columns, Index item) {
  BlockProblem problem;
  problem.src = {{rows, columns}, {columns, 1}, 0};
  problem.dst = {{rows, columns}, {1, rows}, 0};
  problem.src_item = problem.dst_item = item;
  problem.src_begin = problem.dst_begin = 128;
  return problem;
}

}  // namespace tenstride::testing
