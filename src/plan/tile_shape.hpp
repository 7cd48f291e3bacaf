// SPDX-License-Identifier: Apache-2.0
// The extents of tiles, and of the pieces in which short axes are interleaved or deinterleaved.
#pragma once

#include "tenstride/plan/copy_plan.hpp"

namespace tenstride::detail {

/// Sets the plan's tile and orders the loops around it. A tile is whole cache lines wide in the destination
/// and a page long in the source; where the matrix is narrower than that on one side, the tile is longer
/// along the other. `bytes` is the size of an item of the source. Pre: kernel and source run are chosen.
void choose_tile(CopyPlan& plan, Index bytes, SequentialStores stores);

/// Whether every run of the destination begins at the same offset within a cache line. Then the whole lines
/// of each run are written directly by streaming stores, and the others by ordinary ones.
bool has_uniform_line_offset(const CopyPlan& plan);

}  // namespace tenstride::detail
