// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace replay {

/// Where in a recording something happened.
struct Place {
  std::string id;    ///< the line's "id"
  std::string step;  ///< "start", or the step counted from 0
  std::string operation;
  std::string call;  ///< the arguments, and what they were applied to
};

/// One recorded fact that came out otherwise.
struct Difference {
  std::string fact;
  std::string wanted;
  std::string came;
};

/// Counts what agreed and keeps the first disagreements. With an operation to keep to, only its steps count.
class Report {
 public:
  Report(std::size_t max_shown, std::optional<std::string> only)
      : max_shown_(max_shown), only_(std::move(only)) {}

  void agree(const std::string& operation);
  /// Agreed but for a deviation that is documented.
  void agree_with_deviation(const std::string& operation, const std::string& deviation);
  void disagree(const Place& place, const std::vector<Difference>& differences);
  /// A step that could not be carried out here, or not be compared.
  void leave_out(const Place& place, const std::string& reason);
  /// A step behind one that disagreed or was left out: its input is not known.
  void not_reached(const std::string& operation);

  [[nodiscard]] bool is_clean() const;
  void print(std::ostream& out) const;

 private:
  struct Tally {
    std::size_t agreed = 0;
    std::size_t disagreed = 0;
    std::size_t left_out = 0;
    std::size_t not_reached = 0;
    [[nodiscard]] std::size_t total() const { return agreed + disagreed + left_out + not_reached; }
  };

  [[nodiscard]] bool counts(const std::string& operation) const { return !only_ || *only_ == operation; }
  void show(const Place& place, const std::string& what);

  std::size_t max_shown_;
  std::optional<std::string> only_;
  std::map<std::string, Tally> tallies_;
  std::map<std::string, std::size_t> deviations_;
  std::vector<std::string> shown_;
};

}  // namespace replay
