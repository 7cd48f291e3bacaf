// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "case.hpp"

namespace tenstride::bench {

/// What the command line says.
struct MpiBenchOptions {
  CaseSizes sizes;
  int repeats = 7;
  std::vector<std::string> cases;       ///< empty: all
  std::vector<std::string> contenders;  ///< besides the references; empty: all

  [[nodiscard]] bool wants_case(const std::string& name) const;
  [[nodiscard]] bool wants_contender(const std::string& name) const;
};

/// Reads the command line. Nothing where the program ends at once, with `exit_code`; rank 0 says why.
std::optional<MpiBenchOptions> read_options(int argc, char** argv, int rank, int& exit_code);

}  // namespace tenstride::bench
