// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "io/plan/tile_plan.hpp"

namespace tenstride::io {

/// One of the passes of a plan of flat files. The plan stays until the end.
struct FlatPass {
  const TilePlan& plan;
  std::size_t number = 0;
  /// Where the blocks between two passes begin in the temporary file.
  std::uint64_t blocks_begin = 0;

  [[nodiscard]] const TilePass& pass() const { return plan.passes[number]; }
  [[nodiscard]] bool reads_blocks() const { return number == 1; }
  [[nodiscard]] bool writes_blocks() const { return plan.passes.size() == 2 && number == 0; }
};

}  // namespace tenstride::io
