// SPDX-License-Identifier: Apache-2.0
// A shape in which two distributions of the same elements are both made of parts of axes.
#pragma once

#include <vector>

#include "tenstride/distribution/distribution.hpp"

namespace tenstride::distributed {

struct CommonShape {
  Dims shape;
  std::vector<Holding> a;  ///< by rank
  std::vector<Holding> b;
  /// Whether axes of both were only split: otherwise elements were counted one after another.
  bool splits_axes = true;
};

/// Pre: two shapes of as many elements, one at least.
CommonShape common_shape(const Distribution& a, const Distribution& b);

/// What each rank holds.
std::vector<Holding> all_holdings(const Distribution& distribution);

/// The indices that lie in both.
Holding both(const Holding& a, const Holding& b);
/// The number of elements.
Index count_of(const Holding& holding);

}  // namespace tenstride::distributed
