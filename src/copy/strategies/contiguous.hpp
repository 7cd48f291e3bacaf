// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "copy/walk.hpp"

namespace tenstride::copy {

/// One run, in pieces that begin at cache lines of the destination where there are several threads.
void run(const Contiguous& strategy, const Walk& walk);

}  // namespace tenstride::copy
