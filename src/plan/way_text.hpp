// SPDX-License-Identifier: Apache-2.0
// Strategies and their costs as text.
#pragma once

#include <string>
#include <vector>

#include "tenstride/base/export.hpp"
#include "tenstride/plan/copy_plan.hpp"

namespace tenstride::detail {

/// The size of what the way works on at a time. Examples: " 32 x 1024" for tiles, "" for rows.
std::string size_text(const CopyPlan& plan);

/// What the way does, in words. Example: "in blocks of 256 x 1 x 96, transposed".
std::string way_text(const CopyPlan& plan);

/// A candidate and its cost as a multiple of a plain copy's time.
struct NamedCost {
  std::string name;
  double cost = 0;
};

/// The costs that were computed, the lowest first. Example: {"blocks, gathered", 1.67}, {"rows", 3.5}.
TENSTRIDE_API std::vector<NamedCost> sorted_costs(const WayCosts& costs);

/// The costs in one line, empty where there was only one candidate.
/// Example: "blocks, gathered 1.67, rows 3.50 times a plain copy".
std::string costs_text(const WayCosts& costs);

}  // namespace tenstride::detail
