// SPDX-License-Identifier: Apache-2.0
// Fits the constants of the ways' costs to copies of which every way was timed.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tenstride/plan/copy_plan.hpp"

namespace tenstride::bench {

/// One way of a copy, and its time as a multiple of a plain copy's.
struct TimedWay {
  std::string name;  ///< CopyPlan::name
  double time = 0;
};

/// A copy with the times of its ways.
struct TimedCopy {
  std::string family;
  CopyPlan plan;
  std::vector<TimedWay> ways;
};

/// What a set of constants does to a copy.
struct Foretold {
  /// The time of the way that is chosen, and of the fastest one.
  double chosen = 0;
  double best = 0;
  /// The mean square of the logarithms of foretold / measured.
  double error = 0;
};

Foretold foretell(const TimedCopy& copy, const Machine& machine);

/// The constants that make the chosen ways fast and the foretold times true, by descent along one constant
/// after the other from those of the machine. A constant that no copy depends on stays as it is.
Costs fit_costs(std::span<const TimedCopy* const> copies, const Machine& machine);

}  // namespace tenstride::bench
