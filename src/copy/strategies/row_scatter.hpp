// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "copy/walk.hpp"

namespace tenstride::copy {

/// Rows read in the order of the plan's loops, and written past the cache to where they belong.
void run(const RowScatter& strategy, const Walk& walk);

}  // namespace tenstride::copy
