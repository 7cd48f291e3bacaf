// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "copy/walk.hpp"

namespace tenstride::copy {

/// Runs a plan that turns small blocks, each of which lies together on both sides: a batch of small matrices.
/// Some are turned at a time, in the L1 cache, and written side by side. False where the plan is none of
/// these; nothing was done then.
bool run_local_blocks(const Walk& walk);

/// How it runs the plan, for people; empty where it does not.
std::string local_blocks_text(const Walk& walk);

}  // namespace tenstride::copy
