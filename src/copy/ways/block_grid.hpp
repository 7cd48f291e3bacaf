// SPDX-License-Identifier: Apache-2.0
// The blocks that a copy is cut into.
#pragma once

#include <array>
#include <cstddef>

#include "copy/cursor.hpp"
#include "plan/grid.hpp"
#include "tenstride/plan/copy_way.hpp"

namespace tenstride::copy {

using BlockExtents = std::array<Index, Blocks::max_loops>;

/// A block of the grid: where it begins on both sides, and its extents.
struct GridBlock {
  std::byte* dst = nullptr;
  const std::byte* src = nullptr;
  BlockExtents extent{};
  /// The loops along which the block is shorter than others, as at the end of an axis.
  LoopSet shorter = 0;
  /// Whether the block does not continue the destination runs of a block before it, and no block behind it
  /// continues its own.
  bool begins = true;
  bool ends = true;
};

/// The block at a position of the grid's loops.
inline GridBlock block_at(const detail::Grid& grid, const Blocks& way, const Cursor& at) {
  GridBlock block;
  block.dst = at.dst();
  block.src = at.src();
  block.extent = way.extents;
  for (std::size_t i = 0; i < at.size(); ++i) {
    const std::size_t number = grid.outermost() + i;
    const std::size_t d = grid.of(number);
    const Index index = at.index(i);
    block.extent[d] = grid.length(number, index);
    if (block.extent[d] < way.extents[d]) block.shorter = static_cast<LoopSet>(block.shorter | 1U << d);
    if (d == way.continued_loop) {
      block.begins = index == 0;
      block.ends = index + 1 == grid.loops()[i].extent;
    }
  }
  return block;
}

}  // namespace tenstride::copy
