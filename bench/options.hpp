// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <regex>
#include <string>
#include <vector>

#include "case.hpp"
#include "harness.hpp"

namespace tenstride::bench {

/// The options of the command line.
struct Options {
  Scope scope = Scope::full;
  bool only_list = false;
  /// Numbers of copies, reductions and arithmetic drawn at random, in place of the fixed cases; all 0: the
  /// fixed cases.
  std::size_t random = 0;
  std::size_t random_reductions = 0;
  std::size_t random_arithmetic = 0;
  /// The number of imaginary threads whose balance is told, in place of times; 0: times.
  int simulated_threads = 0;
  /// Whether the constants of the ways' costs are fitted, and the file for the machine that has them; empty:
  /// none.
  bool fits_costs = false;
  std::string machine_file;
  /// Files of earlier fits, whose times are taken in place of new ones.
  std::vector<std::string> fit_from;
  std::uint64_t seed = 0;
  std::string filter = ".";
  std::vector<int> threads{1, 2};
  std::vector<std::string> destinations{"warm", "fresh"};
  std::vector<std::string> peers;  ///< empty: all
  std::string out;
  std::string commit = "unknown";
  Rounds rounds;

  [[nodiscard]] bool is_drawn() const { return random + random_reductions + random_arithmetic > 0; }
  [[nodiscard]] bool wants(const std::string& full_name) const {
    return std::regex_search(full_name, std::regex(filter));
  }
  [[nodiscard]] bool wants_destination(const std::string& destination) const;
  [[nodiscard]] bool wants_peer(const std::string& name) const;
};

/// Reads the command line. For `--help` and for a wrong command line it returns nothing and sets `exit_code`.
std::optional<Options> read_options(int argc, char** argv, int& exit_code);

}  // namespace tenstride::bench
