// SPDX-License-Identifier: Apache-2.0
// The units that each way goes in, in its order.
#pragma once

#include <array>
#include <cstddef>

#include "plan/grid.hpp"
#include "tenstride/plan/copy_plan.hpp"

namespace tenstride::detail {

/// No loop of a grid.
inline constexpr std::size_t no_grid_loop = Grid::max_loops;

/// `dst_in_line`: the offset of the first item in its cache line.
TENSTRIDE_API Grid grid_of(const Contiguous& way, const Nest& nest, Index dst_in_line);
/// Rows, and innermost their pieces where they are cut.
TENSTRIDE_API Grid grid_of(const RowByRow& way, const Nest& nest, Index dst_in_line);
/// The parts of a row, the loops around, and innermost the repetitions.
TENSTRIDE_API Grid grid_of(const RepeatedRows& way, const Nest& nest);
/// The loops around, the loop inside the neighbour loop, and innermost the neighbour loop.
TENSTRIDE_API Grid grid_of(const RowScatter& way);

/// Tiles, with the numbers of the loop over strips, over panels, and of the one that scale and shift run
/// along.
struct TileGrid : Grid {
  std::size_t strips = no_grid_loop;
  std::size_t panels = no_grid_loop;
  std::size_t scaled = no_grid_loop;
};
TENSTRIDE_API TileGrid grid_of(const Tiles& way);

/// Blocks: the loops that they cut. Blocks that continue each other's destination runs follow each other; the
/// other loops are in the order of the source.
TENSTRIDE_API Grid grid_of(const Blocks& way);

/// The longest loop around the tiles and, where it has few iterations for the threads, the outermost loop of
/// a tile's longer side.
TENSTRIDE_API Grid grid_of(const CachedTiles& way, const Nest& nest, int threads);

/// The grid of any way; of `Small` one unit.
TENSTRIDE_API Grid grid_of(const CopyPlan& plan);

}  // namespace tenstride::detail
