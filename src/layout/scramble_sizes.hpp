// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "tenstride/layout/scramble.hpp"

/// Sizes as the rule of scramble.hpp compares them.
namespace tenstride::detail {

Dims without_ones(const Dims& sizes);

/// The sizes in another order of their axes.
Dims reordered(const Dims& sizes, const Dims& order);

/// Whether both hold equally many elements: some, and no more than an Index counts.
bool are_as_many(const Dims& left, const Dims& right);

/// Where axes end, counted in elements of the slowest axes: for (2,3,4): 1, 2, 6, 24.
std::vector<Index> boundaries_of(const Dims& sizes);

/// Whether each boundary divides the next. The boundaries of two sizes together do where one is made of the
/// other by splitting and merging axes alone. Pre: ascending.
bool nest(const std::vector<Index>& boundaries);

}  // namespace tenstride::detail
