// SPDX-License-Identifier: Apache-2.0
// When a copy goes by pipelined blocks, of which shape, and what it costs.
#pragma once

#include <optional>
#include <string>

#include "plan/nest.hpp"
#include "tenstride/copy_strategy.hpp"

namespace tenstride::detail {

/// The block that costs least. None where the two sides do not have loops of their own that are contiguous
/// there, or have no 16 bytes of the source to turn at a time. Pre: no destination stride of 0.
std::optional<PipelinedBlocks> propose_pipelined_blocks(const Nest& nest, const PlanOptions& options);

/// One line for people. Pre: proposed for this plan. Example: "in pipelined blocks of 256 x 1 x 96,
/// transposed: 1.81 times a plain copy, by the loops 2.21".
std::string pipelined_blocks_text(const PipelinedBlocks& strategy, const CopyPlan& plan);

/// No blocks cost less, as a multiple of a plain copy's time.
inline constexpr double least_cost_of_blocks = 1.2;

}  // namespace tenstride::detail
