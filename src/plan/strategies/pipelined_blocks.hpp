// SPDX-License-Identifier: Apache-2.0
// The candidate for copies by pipelined blocks, and the search for their shape.
#pragma once

#include "plan/candidates.hpp"

namespace tenstride::detail {

/// Proposes the pipelined blocks with the lowest cost, and records the lowest cost of each packing. None
/// where a side has no contiguous loop, where the plan has more loops than a nest, and where another
/// candidate costs so little that blocks cannot be faster.
std::optional<Candidate> propose_pipelined_blocks(Problem& problem);

}  // namespace tenstride::detail
