// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "copy/walk.hpp"

namespace tenstride::copy {

/// Runs a plan whose rows come several times each and are costly to make: of short items, gathered, woven.
/// Each is made once, in a cache, and written to all its places. False where the plan is none of these;
/// nothing was done then.
bool run_repeated_rows(const Walk& walk);

/// How it runs the plan, for people; empty where it does not.
std::string repeated_rows_text(const Walk& walk);

}  // namespace tenstride::copy
