// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "copy/walk.hpp"

namespace tenstride::copy {

/// Whether a plan that goes past the cache is better run through it, as its destination has no memory yet:
/// the system clears a page when it is first written to, and what was just cleared is in the cache.
bool is_first_touch(const Walk& walk);

}  // namespace tenstride::copy
