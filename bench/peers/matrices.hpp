// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "../case.hpp"

namespace tenstride::bench {

/// A copy as a list of matrix copies, for libraries that know two axes only. In the destination each matrix
/// has `rows` rows of `columns` dense elements, `dst_stride` apart. In the source its columns are dense if it
/// is `transposed`, and its rows otherwise, `src_stride` apart. All in elements.
struct Matrices {
  bool transposed = false;
  Index rows = 1;
  Index columns = 1;
  Index dst_stride = 0;
  Index src_stride = 0;
  struct Place {
    Index dst;
    Index src;
  };
  std::vector<Place> places;  ///< the first element of each matrix
};

/// Nothing if no axis of the source is dense, if an axis runs backwards or repeats elements, or if there were
/// more than 200,000 matrices.
std::optional<Matrices> as_matrices(const CopyCase& what);

}  // namespace tenstride::bench
