// SPDX-License-Identifier: Apache-2.0
// Which elements the ranks along an axis of a mesh hold, by their row-major positions alone: what two shapes
// of the same elements have in common.
#pragma once

#include <optional>
#include <vector>

#include "tenstride/distribution/distribution.hpp"

namespace tenstride::distributed {

/// Part k of `parts` holds the positions p with (p mod period) / width mod parts == k. Equal sets have equal
/// values, whatever the shape.
struct Division {
  /// 0 where the first part holds all elements.
  Index width = 0;
  Index parts = 0;
  /// 0: the parts do not repeat.
  Index period = 0;

  /// Whether all parts are of one length, wherever they stand.
  [[nodiscard]] bool is_even() const { return width == 0 || period == width * parts; }
  friend bool operator==(const Division&, const Division&) = default;
};

/// What an axis of the mesh does. Neither: the elements are not divided.
struct MeshDivision {
  std::optional<Division> division;
  /// Whether positions do not say it: another axis of the mesh has divided the axis of the tensor, and not
  /// into runs of one length, or the pieces of a StridedShard differ.
  bool is_nested = false;
};

/// What each axis of the mesh divides. Pre: the shape has elements.
std::vector<MeshDivision> divisions_of(const Distribution& distribution);

}  // namespace tenstride::distributed
