// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "copy/walk.hpp"

namespace tenstride::copy {

/// With streaming stores a block goes out while the next one is packed, else each one by itself, through the
/// cache.
void run(const PipelinedBlocks& strategy, const Walk& walk);

}  // namespace tenstride::copy
