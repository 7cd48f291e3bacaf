// SPDX-License-Identifier: Apache-2.0
// When a copy goes by pipelined blocks, of which shape, and what that costs.
#pragma once

#include "plan/candidates.hpp"

namespace tenstride::detail {

/// The blocks that cost least, and what the cheapest ones of each packing cost. None where one of the sides
/// is not contiguous along any loop, for more loops than a nest has, and where others cost so little that no
/// blocks are worth weighing.
std::optional<Proposal> propose_pipelined_blocks(Problem& problem);

}  // namespace tenstride::detail
