// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "copy/walk.hpp"

namespace tenstride::copy {

/// Runs along the innermost loop, one after another: memcpy, rows, fill, gather and strided.
void run_runs(const Walk& walk);

}  // namespace tenstride::copy
