// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "../case.hpp"

namespace tenstride::bench {

/// A copy as a row of matrix copies, for the libraries that know no more than two axes. Of each matrix the
/// destination has `rows` rows of `columns` dense elements, `dst_stride` apart. The source is
/// `turned` (its columns are dense, `src_stride` apart) or not (its rows are). All in elements.
struct Matrices {
  bool turned = false;
  Index rows = 1;
  Index columns = 1;
  Index dst_stride = 0;
  Index src_stride = 0;
  struct Place {
    Index dst;
    Index src;
  };
  std::vector<Place> places;  ///< of each matrix's first element
};

/// Nothing where the source is nowhere dense, runs backwards or repeats elements, or where there would be
/// more matrices than anyone would call for.
std::optional<Matrices> as_matrices(const CopyCase& what);

}  // namespace tenstride::bench
