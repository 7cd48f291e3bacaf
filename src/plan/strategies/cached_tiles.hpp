// SPDX-License-Identifier: Apache-2.0
// The candidate for copies within the caches by tables of offsets.
#pragma once

#include "plan/candidates.hpp"

namespace tenstride::detail {

/// Proposes cached tiles for copies without a conversion that fit the L2 cache on both sides and have
/// contiguous runs in the destination, but are not one run.
std::optional<Candidate> propose_cached_tiles(Problem& problem);

}  // namespace tenstride::detail
