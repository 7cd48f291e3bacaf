// SPDX-License-Identifier: Apache-2.0
// Distributions and orders of axes drawn at random.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "support/copy_oracle.hpp"
#include "tenstride/distribution/distribution.hpp"

namespace tenstride::oracle {

inline distributed::Placement drawn_placement(Random& random, const Dims& shape) {
  if (shape.empty() || random.between(0, 3) == 0) return distributed::replicate();
  const Index axis = random.between(0, static_cast<Index>(shape.size()) - 1);
  if (random.between(0, 2) != 0) return distributed::shard(axis);
  if (random.between(0, 2) == 0) return distributed::strided_shard(axis, random.between(1, 4));
  const Index size = shape[static_cast<std::size_t>(axis)];
  return distributed::block_cyclic(axis, random.between(1, std::max<Index>(size, 1)));
}

inline distributed::Distribution drawn_distribution(Random& random, const Dims& shape,
                                                    const distributed::Mesh& mesh) {
  std::vector<distributed::Placement> placements;
  for (std::size_t m = 0; m < mesh.shape.size(); ++m) placements.push_back(drawn_placement(random, shape));
  return distributed::distribute(shape, mesh, placements);
}

/// Half of them in the given order.
inline Dims drawn_order(Random& random, std::size_t rank) {
  Dims order;
  for (std::size_t d = 0; d < rank; ++d) order.push_back(static_cast<Index>(d));
  if (random.between(0, 1) == 0) return order;
  for (std::size_t d = rank; d > 1; --d)
    std::swap(order[d - 1], order[static_cast<std::size_t>(random.between(0, static_cast<Index>(d) - 1))]);
  return order;
}

}  // namespace tenstride::oracle
