// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "copy/walk.hpp"

namespace tenstride::copy {

/// Whether the plan is one of rows of numbers or pixels that are read backwards, past the cache.
bool takes_reversed_rows(const Walk& walk);

/// Pre: takes_reversed_rows(walk).
void run_reversed_rows(const Walk& walk);

}  // namespace tenstride::copy
