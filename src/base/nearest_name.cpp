// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/nearest_name.hpp"

namespace tenstride {
namespace {

/// Insertions, deletions, replacements and swaps of neighbours that make `b` of `a` (optimal string
/// alignment; Damerau 1964, Wagner and Fischer 1974).
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), now(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U)});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) now[j] = std::min(now[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, now);
  }
  return last[b.size()];
}

}  // namespace

std::optional<std::string> nearest_name(std::string_view given, const std::vector<std::string>& names) {
  std::optional<std::string> best;
  // One mistake in three letters is near, and none in a single letter; of names equally near the first is
  // taken.
  std::size_t least = std::min<std::size_t>(3, (given.size() + 1) / 3) + 1;
  if (given.size() > 64) return best;
  for (const std::string& candidate : names) {
    const std::size_t distance = edit_distance(given, candidate);
    if (distance < least) {
      least = distance;
      best = candidate;
    }
  }
  return best;
}

}  // namespace tenstride
