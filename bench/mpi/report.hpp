// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "rounds.hpp"

namespace tenstride::bench {

/// A case and what it took.
struct CaseReport {
  const RedistributionCase& what;
  int ranks = 0;
  std::vector<ContenderTimes> times;
};

/// A line of JSON for each contender:
/// {"case": "transpose", "ranks": 4, "size": 6144, "dtype": "float64", "contender": "fftw", "first_ms":
/// 250.1, "repeated_ms": 180.2, "ratio_to_memcpy": 4.1, "ratio_to_alltoallv": 1.5, "extra_mb": 75.5} The size
/// is that of the first axis. A ratio is that of the repeated calls.
std::string json_lines(const CaseReport& report);

/// The same as a table for people, with the shapes and placements of each case.
std::string table(const std::vector<CaseReport>& reports);

}  // namespace tenstride::bench
