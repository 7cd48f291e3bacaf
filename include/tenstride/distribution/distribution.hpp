// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tenstride/distribution/mesh.hpp"
#include "tenstride/distribution/placement.hpp"

namespace tenstride::distributed {

/// Indices `begin` to `end` - 1 of an axis.
struct IndexRange {
  Index begin = 0;
  Index end = 0;

  [[nodiscard]] constexpr Index size() const noexcept { return end - begin; }
  friend constexpr bool operator==(const IndexRange&, const IndexRange&) noexcept = default;
};

/// What a rank holds of a tensor: the elements whose index along each axis lies in one of that axis' ranges,
/// which are ascending, apart from each other, and not empty. The rank's own tensor has them row by row.
struct Holding {
  std::vector<std::vector<IndexRange>> ranges;  ///< by axis

  /// The shape of the rank's own tensor. Example: {{0,2},{6,8}} along an axis are 4 indices.
  [[nodiscard]] TENSTRIDE_API Dims local_shape() const;
  /// Whether the elements are a box: one range along each axis, or none at all.
  [[nodiscard]] TENSTRIDE_API bool is_box() const;
  friend bool operator==(const Holding&, const Holding&) = default;
};

/// A tensor's shape, and how it is spread over a mesh: a placement for each axis of the mesh. Where several
/// of them shard one axis of the tensor, the first divides it, and each later one what a rank of those before
/// it holds. `distribute` makes it. Example: (8,6) on a mesh (2,2) with Shard(0), Shard(1): each rank holds 4
/// x 3 elements.
struct Distribution {
  Dims shape;
  Mesh mesh;
  std::vector<Placement> placements;

  /// What a rank holds. Throws IndexError for a rank that the mesh lacks.
  [[nodiscard]] TENSTRIDE_API Holding held_by(Index rank) const;
  /// "(8,6) on (2,2): Shard(0), Replicate()".
  [[nodiscard]] TENSTRIDE_API std::string to_string() const;
  friend bool operator==(const Distribution&, const Distribution&) noexcept = default;
};

/// Spreads a tensor of a shape. Axes may be negative. Throws ShapeError for a mesh without ranks, ValueError
/// where there is not one placement for each axis of the mesh, for blocks of less than one index and less
/// than one piece; AxisError for an axis that the shape lacks; OverflowError as `count_elements`.
TENSTRIDE_API Distribution distribute(const Dims& shape, const Mesh& mesh, std::vector<Placement> placements);

}  // namespace tenstride::distributed
