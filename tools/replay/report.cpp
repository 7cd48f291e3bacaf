// SPDX-License-Identifier: Apache-2.0
#include "replay/report.hpp"

#include <algorithm>
#include <iomanip>

namespace replay {

void Report::agree(const std::string& operation) {
  if (counts(operation)) ++tallies_[operation].agreed;
}

void Report::agree_with_deviation(const std::string& operation, const std::string& deviation) {
  if (!counts(operation)) return;
  ++tallies_[operation].agreed;
  ++deviations_[deviation];
}

void Report::disagree(const Place& place, const std::vector<Difference>& differences) {
  if (!counts(place.operation)) return;
  ++tallies_[place.operation].disagreed;
  std::string what;
  for (const Difference& difference : differences) {
    what += "    " + difference.fact + ": wanted " + difference.wanted + ", came " + difference.came + "\n";
  }
  show(place, what);
}

void Report::leave_out(const Place& place, const std::string& reason) {
  if (!counts(place.operation)) return;
  ++tallies_[place.operation].left_out;
  show(place, "    left out: " + reason + "\n");
}

void Report::not_reached(const std::string& operation) {
  if (counts(operation)) ++tallies_[operation].not_reached;
}

bool Report::is_clean() const {
  return std::all_of(tallies_.begin(), tallies_.end(),
                     [](const auto& entry) { return entry.second.agreed == entry.second.total(); });
}

void Report::show(const Place& place, const std::string& what) {
  if (shown_.size() >= max_shown_) return;
  shown_.push_back("  id " + place.id + ", " + (place.step == "start" ? "" : "step ") + place.step + ": " +
                   place.operation + " " + place.call + "\n" + what);
}

void Report::print(std::ostream& out) const {
  std::size_t width = 9;
  Tally sum;
  for (const auto& [operation, tally] : tallies_) {
    width = std::max(width, operation.size());
    sum.agreed += tally.agreed;
    sum.disagreed += tally.disagreed;
    sum.left_out += tally.left_out;
    sum.not_reached += tally.not_reached;
  }
  const auto row = [&](const auto& operation, const auto& agreed, const auto& total) -> std::ostream& {
    return out << "  " << std::left << std::setw(static_cast<int>(width)) << operation << std::right
               << std::setw(9) << agreed << std::setw(9) << total;
  };
  row("operation", "agreed", "steps") << "\n";
  for (const auto& [operation, tally] : tallies_) {
    row(operation, tally.agreed, tally.total()) << (tally.agreed == tally.total() ? "" : "  <--") << "\n";
  }
  row("sum", sum.agreed, sum.total()) << "\n";
  if (!shown_.empty()) {
    out << "the first " << shown_.size() << " of " << sum.disagreed + sum.left_out
        << " that did not agree:\n";
  }
  for (const std::string& text : shown_) out << text;
  for (const auto& [deviation, count] : deviations_) {
    out << count << " agreed but for a documented deviation: " << deviation << "\n";
  }
  out << sum.total() << " steps: " << sum.agreed << " agreed, " << sum.disagreed << " disagreed, "
      << sum.left_out << " left out, " << sum.not_reached << " not reached\n";
}

}  // namespace replay
