// SPDX-License-Identifier: Apache-2.0
// Strategies and their costs as text.
#pragma once

#include <string>
#include <vector>

#include "tenstride/base/export.hpp"
#include "tenstride/plan/copy_plan.hpp"

namespace tenstride::detail {

/// What the strategy of a plan does, in words; empty where the plan's loops and kernel say all.
/// Example: "in pipelined blocks of 256 x 1 x 96, transposed".
std::string strategy_text(const CopyPlan& plan);

/// A candidate and its cost as a multiple of a plain copy's time.
struct NamedCost {
  std::string name;
  double cost = 0;
};

/// The costs that were computed, the lowest first. Example: {"pipelined blocks, gathered", 1.67}, {"row
/// loops", 3.5}.
TENSTRIDE_API std::vector<NamedCost> sorted_costs(const StrategyCosts& costs);

/// The costs in one line, empty where there was only one candidate.
/// Example: "pipelined blocks, gathered 1.67, row loops 3.50 times a plain copy".
std::string costs_text(const StrategyCosts& costs);

}  // namespace tenstride::detail
