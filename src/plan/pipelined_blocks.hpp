// SPDX-License-Identifier: Apache-2.0
// When a copy goes by pipelined blocks, of which shape, and what that costs.
#pragma once

#include "plan/candidates.hpp"

namespace tenstride::detail {

/// Whether blocks are worth weighing beside what the other strategies cost.
bool may_gain_by_blocks(const Problem& problem, double cost_of_others);

/// The blocks that cost least, and what the cheapest ones of each packing cost. None where one of the sides
/// is not contiguous along any loop, or for more loops than a nest has.
std::optional<Proposal> propose_pipelined_blocks(const Problem& problem, StrategyCosts& costs);

}  // namespace tenstride::detail
