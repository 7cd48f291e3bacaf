// SPDX-License-Identifier: Apache-2.0
// The strategies that are candidates for a copy, each with its cost.
#pragma once

#include <optional>

#include "tenstride/plan/copy_plan.hpp"

namespace tenstride::detail {

/// The copy that strategies are proposed for: its plan has loops, kernel and stores, but no strategy yet.
/// Also holds the costs computed so far.
struct Problem {
  const CopyPlan& plan;
  const PlanOptions& options;
  /// Whether the copy has more bytes than the caches hold.
  bool exceeds_caches = false;
  /// By strategy and by packing; 0 where no cost was computed.
  StrategyCosts costs{};
  /// The lowest cost so far; 0 where there is none, or where `PlanOptions::strategy` names the only
  /// candidate.
  double lowest_cost = 0;
};

struct Candidate {
  CopyStrategy strategy;
  /// A multiple of the time of a plain copy of the same bytes.
  double cost = 0;
};

/// Sets the plan's strategy: the candidate with the lowest cost, or the one that `options.strategy` names
/// where it can make the copy.
void choose_strategy(CopyPlan& plan, const PlanOptions& options);

}  // namespace tenstride::detail
