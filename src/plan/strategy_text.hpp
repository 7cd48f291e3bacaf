// SPDX-License-Identifier: Apache-2.0
// Strategies and what they cost, for people.
#pragma once

#include <string>

#include "tenstride/copy_plan.hpp"

namespace tenstride::detail {

/// Pre: proposed for this plan. Example: "in pipelined blocks of 256 x 1 x 96, transposed".
std::string pipelined_blocks_text(const PipelinedBlocks& strategy, const CopyPlan& plan);

/// What was weighed, the cheapest first; empty where nothing was.
/// Example: "gathered 2.47, row by row 2.83, loops 3.50 times a plain copy": all but the loops are blocks, by
/// the way they are packed.
std::string costs_text(const StrategyCosts& costs);

}  // namespace tenstride::detail
