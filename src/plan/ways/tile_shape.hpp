// SPDX-License-Identifier: Apache-2.0
// The steps in which tiles are planned.
#pragma once

#include "plan/choose.hpp"

namespace tenstride::detail {

/// Gives new tiles the shape for a copy: whole cache lines wide in the destination and a page long in the
/// source; where the matrix is narrower than that on one side, the tile is longer along the other. Also
/// orders the loops around them. Pre: problem.access transposes.
void shape_tiles(Tiles& tiles, const Problem& problem);

/// Orders the loops around `strip_loop`: the source run innermost, around it alternately the loop with the
/// smallest stride in the source and the one with the smallest in the destination, so that neither side
/// leaves its memory pages for long. Then sets `strip_depth`: the loop over strips stands around the loops
/// whose source strides are not larger than the destination run's, so that the rows of a strip are read
/// sequentially.
void order_loops(Tiles& tiles);

/// Makes source runs of several loops where rows are short, and columns with them. Pre: tiles of a transpose
/// by streaming stores.
void join_source_loops(Tiles& tiles);

/// Sets all that follows from the shape of tiles and from the offset of the first item of the destination in
/// its cache line.
TENSTRIDE_API void place(Tiles& tiles, const Conversion& conversion, Index dst_in_line);

}  // namespace tenstride::detail
