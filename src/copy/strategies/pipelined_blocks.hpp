// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "copy/bound_plan.hpp"

namespace tenstride::copy {

/// Copies block by block. With streaming stores a block is written while the next one is packed; otherwise
/// each one is written by itself, by ordinary stores.
void run(const PipelinedBlocks& strategy, const BoundPlan& bound);

}  // namespace tenstride::copy
