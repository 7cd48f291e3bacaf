// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tenstride/base/export.hpp"
#include "tenstride/base/index.hpp"

namespace tenstride::distributed {

enum class PlacementKind : unsigned char { replicate, shard, strided_shard, block_cyclic };

/// What the ranks along one axis of a mesh do with a tensor: each holds all of it, or a part of one axis.
struct Placement {
  PlacementKind kind = PlacementKind::replicate;
  /// The axis of the tensor.
  Index axis = 0;
  /// Into how many pieces strided_shard cuts the axis first.
  Index split_factor = 0;
  /// How many indices make a block of block_cyclic.
  Index block = 0;

  [[nodiscard]] constexpr bool is_replicate() const noexcept { return kind == PlacementKind::replicate; }
  friend constexpr bool operator==(const Placement&, const Placement&) noexcept = default;
};

/// Each rank holds all elements.
constexpr Placement replicate() {
  return {};
}

/// Each rank holds consecutive indices of an axis, ceil(size / ranks) of them: the last ranks hold fewer
/// where the size is no multiple, perhaps none (`torch.chunk`, DTensor's Shard). Example: of 5 indices four
/// ranks hold 2, 2, 1 and 0.
constexpr Placement shard(Index axis) {
  return {PlacementKind::shard, axis};
}

/// An axis is cut into pieces as `shard` cuts it, and each piece is sharded (DTensor's StridedShard): what
/// two axes hold as one, of which the second is sharded. Example: of 6 indices in 2 pieces two ranks hold
/// {0,1,3,4} and {2,5}.
constexpr Placement strided_shard(Index axis, Index split_factor) {
  return {PlacementKind::strided_shard, axis, split_factor};
}

/// Blocks of consecutive indices are dealt to the ranks in turn (ScaLAPACK's distribution). Example: of 7
/// indices in blocks of 2 three ranks hold {0,1,6}, {2,3} and {4,5}.
constexpr Placement block_cyclic(Index axis, Index block) {
  return {PlacementKind::block_cyclic, axis, 0, block};
}

/// "Replicate()", "Shard(0)", "StridedShard(0,4)", "BlockCyclic(0,64)".
TENSTRIDE_API std::string to_string(const Placement& placement);

/// Reads what `to_string` writes, and "R", "S(0)", "Shard(dim=0)". Throws ParseError.
TENSTRIDE_API Placement parse_placement(std::string_view text);

/// Several with commas between them: "S(0),R,BlockCyclic(1,64)". Throws ParseError.
TENSTRIDE_API std::vector<Placement> parse_placements(std::string_view text);

}  // namespace tenstride::distributed
