// SPDX-License-Identifier: Apache-2.0
#include "matrix_form.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>

namespace tenstride::bench {
namespace {

using distributed::Distribution;
using distributed::PlacementKind;

Index product(std::span<const Index> sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), Index{1}, std::multiplies<>());
}

Index block_of(const distributed::Placement& placement, Index size, Index ranks) {
  return placement.kind == PlacementKind::block_cyclic ? placement.block : (size + ranks - 1) / ranks;
}

std::optional<BlockCyclicMatrix> matrix_of(const Distribution& held, int rank) {
  const Index row_size = product(std::span(held.shape).subspan(2));
  const Index columns = held.shape[1] * row_size;
  if (std::max(held.shape[0], columns) > std::numeric_limits<int>::max()) return {};
  BlockCyclicMatrix matrix;
  matrix.rows = matrix.row_block = static_cast<int>(held.shape[0]);
  matrix.columns = matrix.column_block = static_cast<int>(columns);
  Index last_axis = -1;
  for (std::size_t i = 0; i < held.placements.size(); ++i) {
    const distributed::Placement& placement = held.placements[i];
    const bool is_dealt =
        placement.kind == PlacementKind::shard || placement.kind == PlacementKind::block_cyclic;
    if (!is_dealt || placement.axis <= last_axis || placement.axis > 1) return {};
    last_axis = placement.axis;
    const Index ranks = held.mesh.shape[i];
    const Index block = block_of(placement, held.shape[static_cast<std::size_t>(placement.axis)], ranks);
    if (placement.axis == 0) {
      matrix.row_ranks = static_cast<int>(ranks);
      matrix.row_block = static_cast<int>(block);
    } else {
      matrix.column_ranks = static_cast<int>(ranks);
      matrix.column_block = static_cast<int>(block * row_size);
    }
  }
  const Dims local = held.held_by(rank).local_shape();
  matrix.local_columns = static_cast<int>(std::max(Index{1}, product(std::span(local).subspan(1))));
  return matrix;
}

}  // namespace

std::optional<MatrixForm> matrix_form(const RedistributionCase& what, int rank) {
  Dims unchanged = Dims::of_size(what.from.shape.size());
  std::iota(unchanged.begin(), unchanged.end(), Index{0});
  const bool is_transposed = what.order == Dims{1, 0};
  if (what.from.shape.size() < 2 || (what.order != unchanged && !is_transposed)) return {};
  const auto from = matrix_of(what.from, rank);
  const auto to = matrix_of(what.to, rank);
  if (!from || !to) return {};
  return MatrixForm{*from, *to, is_transposed};
}

}  // namespace tenstride::bench
