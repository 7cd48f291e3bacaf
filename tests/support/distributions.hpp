// SPDX-License-Identifier: Apache-2.0
// Distributions by their definition, index by index, and small ones of all kinds.
#pragma once

#include <algorithm>
#include <functional>
#include <set>
#include <vector>

#include "tenstride/distribution/distribution.hpp"

namespace tenstride::oracle {

/// The indices of an axis that a rank holds: divided by one axis of the mesh after the other.
inline Dims held_indices(const distributed::Distribution& spread, Index rank, std::size_t axis) {
  using distributed::PlacementKind;
  Dims coordinate = Dims::filled(spread.mesh.shape.size(), 0);
  for (std::size_t m = coordinate.size(); m-- > 0;) {
    coordinate[m] = rank % spread.mesh.shape[m];
    rank /= spread.mesh.shape[m];
  }
  std::vector<Index> held;
  for (Index i = 0; i < spread.shape[axis]; ++i) held.push_back(i);
  for (std::size_t m = 0; m < spread.placements.size(); ++m) {
    const distributed::Placement& placement = spread.placements[m];
    if (placement.is_replicate() || placement.axis != static_cast<Index>(axis)) continue;
    const Index parts = spread.mesh.shape[m];
    const auto count = static_cast<Index>(held.size());
    const auto chunk = [](Index of, Index into) { return (of + into - 1) / into; };  // torch.chunk's
    const bool is_strided = placement.kind == PlacementKind::strided_shard;
    const Index piece = std::max(is_strided ? chunk(count, placement.split_factor) : count, Index{1});
    std::vector<Index> own;
    for (Index i = 0; i < count; ++i) {
      const Index begin = i / piece * piece;
      const Index each = placement.kind == PlacementKind::block_cyclic
                             ? placement.block
                             : chunk(std::min(piece, count - begin), parts);
      if ((i - begin) / each % parts == coordinate[m]) own.push_back(held[static_cast<std::size_t>(i)]);
    }
    held = own;
  }
  return {held};
}

/// The row-major positions of the elements that a rank holds, ascending.
inline std::vector<Index> held_positions(const distributed::Distribution& spread, Index rank) {
  std::vector<Index> positions{0};
  for (std::size_t d = 0; d < spread.shape.size(); ++d) {
    const Dims indices = held_indices(spread, rank, d);
    std::vector<Index> next;
    for (const Index position : positions) {
      for (const Index i : indices) next.push_back(position * spread.shape[d] + i);
    }
    positions = next;
  }
  return positions;
}

/// The same of each rank.
inline std::vector<std::vector<Index>> all_held_positions(const distributed::Distribution& spread) {
  std::vector<std::vector<Index>> all;
  for (Index rank = 0; rank < spread.mesh.size(); ++rank) all.push_back(held_positions(spread, rank));
  return all;
}

/// Calls `visit` with each list of placements on a mesh for a shape: Replicate, Shard, BlockCyclic of blocks
/// of 1 to `max_block` indices, and StridedShard of up to as many equal pieces, of each axis.
inline void each_placements(const Dims& shape, std::size_t mesh_axes, Index max_block,
                            const std::function<void(const std::vector<distributed::Placement>&)>& visit) {
  std::vector<distributed::Placement> choices{distributed::replicate()};
  for (std::size_t d = 0; d < shape.size(); ++d) {
    choices.push_back(distributed::shard(static_cast<Index>(d)));
    for (Index block = 1; block <= std::min(std::max(shape[d], Index{1}), max_block); ++block)
      choices.push_back(distributed::block_cyclic(static_cast<Index>(d), block));
    for (Index pieces = 2; pieces <= std::min(shape[d], max_block); ++pieces) {
      if (shape[d] % pieces == 0)
        choices.push_back(distributed::strided_shard(static_cast<Index>(d), pieces));
    }
  }
  std::vector<distributed::Placement> placements(mesh_axes);
  const std::function<void(std::size_t)> from = [&](std::size_t m) {
    if (m == mesh_axes) return visit(placements);
    for (const distributed::Placement& choice : choices) {
      placements[m] = choice;
      from(m + 1);
    }
  };
  from(0);
}

inline void each_distribution(const std::function<void(const distributed::Distribution&)>& visit) {
  for (const Dims& mesh :
       {Dims{}, Dims{1}, Dims{2}, Dims{3}, Dims{4}, Dims{2, 2}, Dims{2, 3}, Dims{2, 1, 2}}) {
    for (const Dims& shape : {Dims{}, Dims{7}, Dims{12}, Dims{3, 4}, Dims{2, 1, 5}, Dims{0, 3}}) {
      each_placements(shape, mesh.size(), 3, [&](const std::vector<distributed::Placement>& placements) {
        visit(distributed::distribute(shape, {mesh}, placements));
      });
    }
  }
}

}  // namespace tenstride::oracle
