// SPDX-License-Identifier: Apache-2.0
// Source runs of several loops.
#pragma once

#include "tenstride/copy_plan.hpp"

namespace tenstride::detail {

/// Makes short rows of the source longer, where its next loops are no part of the destination run: both runs
/// are then several loops, and the plan is one of a matrix with long rows on both sides, whose rows and
/// columns are listed. Pre: a streaming tile.
void join_source_loops(CopyPlan& plan, Index item);

}  // namespace tenstride::detail
