// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "copy/walk.hpp"

namespace tenstride::copy {

/// Runs a plan whose rows come several times each and are costly to make: of short items, gathered, woven.
/// Each is made once, in a cache, and written to all its places. False where the plan is none of these;
/// nothing was done then.
bool run_repeated_rows(const Walk& walk);

}  // namespace tenstride::copy
