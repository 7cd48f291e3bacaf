// SPDX-License-Identifier: Apache-2.0
// What each strategy proposes for a copy, and what that would take.
#pragma once

#include <optional>

#include "tenstride/copy_plan.hpp"

namespace tenstride::detail {

/// A copy whose loops, kernel and stores are chosen, and what was weighed for it so far.
struct Problem {
  const CopyPlan& plan;
  const PlanOptions& options;
  /// Whether it is larger than what the caches hold.
  bool leaves_caches = false;
  /// By strategy and packing; 0 for what was not weighed.
  StrategyCosts costs{};
  /// The least of these; 0 where nothing was weighed, or no strategy but one is asked for.
  double least = 0;
};

struct Proposal {
  CopyStrategy strategy;
  /// As a multiple of a plain copy's time.
  double cost = 0;
};

/// Gives a plan the strategy that costs least, or the one that is asked for.
void choose_strategy(CopyPlan& plan, const PlanOptions& options);

}  // namespace tenstride::detail
