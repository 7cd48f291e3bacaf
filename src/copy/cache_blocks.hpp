// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "copy/walk.hpp"

namespace tenstride::copy {

/// Runs a plan whose runs are short on one side, or on both: permutations of several short axes, short rows
/// that lie far apart, short axes backwards, batches of matrices. Blocks with longer runs are turned in the
/// L2 cache, from which they are written run by run. False where other ways are as good; nothing was done
/// then.
bool run_cache_blocks(const Walk& walk);

/// How it runs the plan, for people; empty where it does not.
std::string cache_blocks_text(const Walk& walk);

}  // namespace tenstride::copy
