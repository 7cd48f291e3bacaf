// SPDX-License-Identifier: Apache-2.0
// When a copy within the caches goes by tables of places, and what that costs.
#pragma once

#include "plan/candidates.hpp"

namespace tenstride::detail {

/// For copies that only move, of both sides within the L2 cache, that have a contiguous run in the
/// destination which is no single row.
std::optional<Proposal> propose_cached_tiles(Problem& problem);

}  // namespace tenstride::detail
