// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "copy/walk.hpp"

namespace tenstride::copy {

/// Rows along the innermost loop, one after another: copied, filled, gathered, or element by element.
void run(const RowLoops& strategy, const Walk& walk);

}  // namespace tenstride::copy
