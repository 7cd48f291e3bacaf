// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "case.hpp"

namespace tenstride::bench {

/// A matrix of row-major parts in blocks that are dealt to a grid of ranks, which is numbered row by row.
/// One block for each rank is a shard.
struct BlockCyclicMatrix {
  int rows = 0;
  int columns = 0;
  int row_block = 0;
  int column_block = 0;
  int row_ranks = 1;
  int column_ranks = 1;
  /// Columns that this rank holds: the distance between its rows, in elements; at least 1.
  int local_columns = 1;
};

/// A case as libraries of matrices take it.
struct MatrixForm {
  BlockCyclicMatrix from;
  BlockCyclicMatrix to;
  bool is_transposed = false;
};

/// The matrix whose rows are the first axis, and whose columns are all other axes. Nothing where an axis
/// behind the second is spread over ranks, where a case has another order of axes than those of a matrix and
/// its transpose, or more than two axes in the mesh. Example: (8,6,2) with Shard(1) on two ranks is a matrix
/// of 8 × 12 on a grid of 1 × 2 with blocks of 8 × 6.
std::optional<MatrixForm> matrix_form(const RedistributionCase& what, int rank);

}  // namespace tenstride::bench
