// SPDX-License-Identifier: Apache-2.0
// Strategies and what they cost, for people.
#pragma once

#include <string>
#include <vector>

#include "tenstride/copy_plan.hpp"

namespace tenstride::detail {

/// How the strategy of a plan goes about it; empty where the plan's loops and kernel tell.
/// Example: "in pipelined blocks of 256 x 1 x 96, transposed".
std::string strategy_text(const CopyPlan& plan);

/// A strategy that was weighed.
struct Weighed {
  std::string name;
  double cost = 0;
};

/// The cheapest first. Example: {"pipelined blocks, gathered", 1.67}, {"row loops", 3.5}.
std::vector<Weighed> weighed(const StrategyCosts& costs);

/// Example: "pipelined blocks, gathered 1.67, row loops 3.50 times a plain copy"; empty where there was no
/// choice.
std::string costs_text(const StrategyCosts& costs);

}  // namespace tenstride::detail
