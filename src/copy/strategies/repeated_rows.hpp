// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "copy/walk.hpp"

namespace tenstride::copy {

/// Rows that come several times each: made once, in a cache, and written to all their places.
void run(const RepeatedRows& strategy, const Walk& walk);

}  // namespace tenstride::copy
