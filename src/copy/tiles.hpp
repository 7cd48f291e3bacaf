// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "copy/walk.hpp"

namespace tenstride::copy {

/// Tiles over the innermost loop (dense in the destination) and the turned loop (dense in the source).
void run_tiles(const Walk& walk);

}  // namespace tenstride::copy
