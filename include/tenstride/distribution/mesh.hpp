// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tenstride/base/dims.hpp"
#include "tenstride/base/export.hpp"

/// Tensors that are spread over ranks, in the words and by the rules of PyTorch's DTensor. Pure: what stands
/// here says who holds what, and needs no machine.
namespace tenstride::distributed {

/// Ranks as a grid, numbered row by row. Example: in `Mesh{{2, 4}}` rank 5 is at (1,1).
struct Mesh {
  Dims shape;

  /// The number of ranks.
  [[nodiscard]] TENSTRIDE_API Index size() const;
  /// Where a rank stands in the grid. Pre: 0 <= rank < size().
  [[nodiscard]] TENSTRIDE_API Dims coordinate(Index rank) const;
  friend bool operator==(const Mesh&, const Mesh&) noexcept = default;
};

}  // namespace tenstride::distributed
