// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "copy/walk.hpp"

namespace tenstride::copy {

/// Each tile straight into the destination, without a worker or a buffer.
void run(const CachedTiles& strategy, const Walk& walk);

}  // namespace tenstride::copy
