// SPDX-License-Identifier: Apache-2.0
// What ranks hold of a tensor that is there as a whole, and redistributions drawn at random.
#pragma once

#include "support/distributions.hpp"
#include "support/drawn_distributions.hpp"
#include "tenstride/distribution/redistribution.hpp"
#include "tenstride/ops/ops.hpp"

namespace tenstride::oracle {

/// What a rank holds of a tensor, picked index by index.
inline Tensor held_part(const Tensor& whole, const distributed::Distribution& spread, Index rank) {
  Tensor part = whole;
  for (std::size_t d = 0; d < spread.shape.size(); ++d) {
    std::vector<Tensor> picked{part.narrow(static_cast<Index>(d), 0, 0)};
    for (const Index i : held_indices(spread, rank, d))
      picked.push_back(part.narrow(static_cast<Index>(d), i, 1));
    part = cat(picked, static_cast<Index>(d));
  }
  return part.contiguous();
}

/// The same elements with their axes in the opposite order in memory.
inline Tensor backward(const Tensor& x) {
  Dims order;
  for (Index d = x.dim(); d-- > 0;) order.push_back(d);
  return x.permute(order).contiguous().permute(order);
}

/// Shapes of 24 elements on `ranks` ranks.
inline distributed::RedistributionProblem drawn_redistribution(Random& random, Index ranks,
                                                               std::size_t itemsize) {
  const auto drawn_mesh = [&] {
    std::vector<Dims> meshes{{ranks}};
    for (Index rows = 2; rows < ranks; ++rows) {
      if (ranks % rows == 0) meshes.push_back({rows, ranks / rows});
    }
    return meshes[static_cast<std::size_t>(random.between(0, std::ssize(meshes) - 1))];
  };
  const Dims shapes[] = {{24}, {4, 6}, {6, 4}, {2, 3, 4}, {3, 8}, {2, 2, 6}};
  const Dims& from = shapes[random.between(0, std::ssize(shapes) - 1)];
  const Dims& to = shapes[random.between(0, std::ssize(shapes) - 1)];
  const Dims order = drawn_order(random, from.size());
  return {drawn_distribution(random, from, {drawn_mesh()}), order,
          drawn_distribution(random, to, {drawn_mesh()}), itemsize};
}

}  // namespace tenstride::oracle
