// SPDX-License-Identifier: Apache-2.0
// Source runs that consist of several loops.
#pragma once

#include "tenstride/plan/copy_plan.hpp"

namespace tenstride::detail {

/// Lengthens short source runs by the loops that follow them in the source, and short destination runs
/// likewise. Both runs then consist of several loops, and the plan is that of a matrix with long rows and
/// columns whose addresses come from a table. Does nothing where that gains too little. `item` is the size of
/// an item in bytes. Pre: the plan's kernel is a streaming tile.
void join_source_loops(CopyPlan& plan, Index item);

}  // namespace tenstride::detail
