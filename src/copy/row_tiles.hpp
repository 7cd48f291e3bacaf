// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "copy/walk.hpp"

namespace tenstride::copy {

/// Whether the plan is one of rows in tiles, and the memory such that all rows are whole lines.
bool takes_row_tiles(const Walk& walk);

/// Pre: takes_row_tiles(walk).
void run_row_tiles(const Walk& walk);

}  // namespace tenstride::copy
