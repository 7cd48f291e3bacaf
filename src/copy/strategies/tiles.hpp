// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "copy/walk.hpp"

namespace tenstride::copy {

/// Tiles over the innermost loop (contiguous in the destination) and the turned loop (contiguous in the
/// source).
void run(const Tiles& strategy, const Walk& walk);

}  // namespace tenstride::copy
