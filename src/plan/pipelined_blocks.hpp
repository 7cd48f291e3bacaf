// SPDX-License-Identifier: Apache-2.0
// When a copy goes by pipelined blocks, of which shape, and what it costs.
#pragma once

#include <optional>

#include "plan/nest.hpp"
#include "tenstride/copy_strategy.hpp"

namespace tenstride::detail {

/// The blocks that cost least, and what the cheapest ones of each packing cost. None where one of the sides
/// is not contiguous along any loop. Pre: no destination stride of 0.
std::optional<PipelinedBlocks> propose_pipelined_blocks(const Nest& nest, const PlanOptions& options,
                                                        StrategyCosts& costs);

/// No blocks cost less, as a multiple of a plain copy's time.
inline constexpr double least_cost_of_blocks = 1.2;

}  // namespace tenstride::detail
