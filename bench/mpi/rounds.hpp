// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <optional>
#include <string>
#include <vector>

#include "contender.hpp"

namespace tenstride::bench {

/// What a contender took. Times are those of the slowest rank. On rank 0 alone.
struct ContenderTimes {
  std::string contender;
  /// Of the first call with all that it prepares.
  double first_ms = 0;
  /// The median of the later calls, which keep what they can.
  double repeated_ms = 0;
  /// The memory that the first call came to use at once beside source and destination, on the rank with the
  /// most of it. Nothing where the system does not say.
  std::optional<double> extra_mb;
};

/// Runs a case with those of the contenders that can do it: the first call of each, then in each of `repeats`
/// rounds each once, beginning with another one in each round. Checks the whole destination after every run,
/// and the source after the first. Throws RuntimeError on the rank that finds a wrong element.
std::vector<ContenderTimes> run_case(const RedistributionCase& what,
                                     const std::vector<Contender*>& contenders, int repeats, MPI_Comm comm);

}  // namespace tenstride::bench
