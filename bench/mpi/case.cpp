// SPDX-License-Identifier: Apache-2.0
#include "case.hpp"

#include <cmath>

#include "tenstride/layout/layout.hpp"

namespace tenstride::bench {
namespace {

using distributed::block_cyclic;
using distributed::distribute;
using distributed::Distribution;
using distributed::Mesh;
using distributed::shard;

/// The two axes of a mesh that is as square as the ranks allow, the shorter first. Example: 6 ranks are 2
/// × 3.
Mesh square_mesh(int ranks) {
  int rows = static_cast<int>(std::sqrt(ranks));
  while (ranks % rows != 0) --rows;
  return Mesh{{rows, ranks / rows}};
}

/// The side of a cube of float32 with about as many bytes as size × size float64; above 64 a multiple of 16.
/// Example: 416 for 6144.
Index cube_side(Index size) {
  const double side = std::cbrt(2.0 * static_cast<double>(size) * static_cast<double>(size));
  return side > 64 ? 16 * std::lround(side / 16) : std::lround(side);
}

}  // namespace

Index RedistributionCase::bytes_held(const Distribution& held, int rank) const {
  return count_elements(held.held_by(rank).local_shape(), "bytes_held") * static_cast<Index>(item_size(type));
}

distributed::RedistributionProblem RedistributionCase::problem() const {
  return {from, order, to, item_size(type)};
}

std::vector<RedistributionCase> redistribution_cases(const CaseSizes& sizes, int ranks) {
  const Mesh line{{ranks}};
  const Mesh grid = square_mesh(ranks);
  const Dims square{sizes.size, sizes.size};
  const Dims cube = Dims::filled(3, cube_side(sizes.size));
  const Distribution rows = distribute(square, line, {shard(0)});
  const Distribution columns = distribute(square, line, {shard(1)});
  const auto blocks = [&](Index block) {
    return distribute(square, grid, {block_cyclic(0, block), block_cyclic(1, block)});
  };
  const Distribution small = blocks(sizes.small_block);
  const Distribution large = blocks(sizes.large_block);
  const Distribution slabs = distribute(cube, line, {shard(0)});
  return {
      {"reshuffle", DType::float64, rows, {0, 1}, columns},
      {"transpose", DType::float64, rows, {1, 0}, rows},
      {"cyclic", DType::float64, small, {0, 1}, large},
      {"cyclic-transpose", DType::float64, small, {1, 0}, large},
      {"cyclic-transpose-same", DType::float64, small, {1, 0}, small},
      {"pencil", DType::float32, slabs, {0, 1, 2}, distribute(cube, line, {shard(1)})},
      {"pencil-reverse", DType::float32, slabs, {2, 1, 0}, slabs},
  };
}

}  // namespace tenstride::bench
