// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tenstride/base/dtype.hpp"
#include "tenstride/distribution/redistribution.hpp"

/// The program tenstride-mpi-bench: redistributions over MPI, by tenstride and by other libraries.
namespace tenstride::bench {

/// A tensor that is held as `from`, and wanted as `to` with its axes in the order `order`. Each rank's own
/// tensor is row-major. Example: (4,6) as Shard(0), order (1,0), (6,4) as Shard(0) is a transpose.
struct RedistributionCase {
  std::string name;
  DType type = DType::float64;
  distributed::Distribution from;
  Dims order;
  distributed::Distribution to;

  /// Bytes of what a rank holds of a distribution.
  [[nodiscard]] Index bytes_held(const distributed::Distribution& held, int rank) const;
  /// The same as the planner takes it.
  [[nodiscard]] distributed::RedistributionProblem problem() const;
};

/// How large the cases are.
struct CaseSizes {
  /// Matrices have size × size float64, tensors of three axes about as many bytes in float32.
  Index size = 6144;
  /// The blocks of the block-cyclic cases: 64, as ScaLAPACK is used, and 256, as accelerators take them.
  Index small_block = 64;
  Index large_block = 256;
};

/// The cases for a number of ranks: "reshuffle", "transpose", "cyclic", "cyclic-transpose",
/// "cyclic-transpose-same" (one size of blocks), "pencil" and "pencil-reverse".
std::vector<RedistributionCase> redistribution_cases(const CaseSizes& sizes, int ranks);

}  // namespace tenstride::bench
