// SPDX-License-Identifier: Apache-2.0
#include "plan/grid.hpp"

namespace tenstride::detail {

Index Grid::units() const {
  Index units = 1;
  for (const Loop& loop : loops()) units *= loop.extent;
  return units;
}

Index Grid::iterations() const {
  Index iterations = 1;
  for (std::size_t d = begin_; d < max_loops; ++d) iterations *= cuts_[d].extent;
  return iterations;
}

Index Grid::largest(bool keeps) const {
  Index iterations = 1;
  for (std::size_t d = begin_; d < max_loops; ++d) {
    const bool is_whole = keeps && d == innermost;
    iterations *= is_whole ? cuts_[d].extent : std::min(cuts_[d].part, cuts_[d].extent);
  }
  return iterations;
}

Index Grid::iterations_before(Index unit) const {
  if (unit == units()) return iterations();
  // From the innermost loop on: the iterations before the unit within one part of the loops around.
  Index before = 0;
  Index inside = 1;
  for (std::size_t d = max_loops; d-- > begin_;) {
    const Index part = unit % loops_[d].extent;
    unit /= loops_[d].extent;
    const Index first = cuts_[d].first(part);
    before = first * inside + (cuts_[d].last(part) - first) * before;
    inside *= cuts_[d].extent;
  }
  return before;
}

Index Grid::unit_at(Index iterations, bool keeps) const {
  Index unit = 0;
  Index left = iterations;
  Index inside = this->iterations();
  // The iterations of the parts of the loops so far: so often all loops inside are passed.
  Index passes = 1;
  const std::size_t end = max_loops - (keeps ? 1 : 0);
  for (std::size_t d = begin_; d < end; ++d) {
    const Cut& cut = cuts_[d];
    inside /= cut.extent;
    const Index iteration = std::min(left / (passes * inside), cut.extent - 1);
    const Index part = (iteration + cut.before) / cut.part;
    left -= cut.first(part) * passes * inside;
    passes *= cut.last(part) - cut.first(part);
    unit = unit * loops_[d].extent + part;
  }
  if (2 * left >= passes * inside) ++unit;
  return keeps ? unit * loops_[innermost].extent : unit;
}

Shares Grid::shares(int threads) const {
  if (threads <= 1) return {};
  const Index each = iterations() / threads;
  const bool keeps = keeps_innermost && size() > 0 && each / largest(true) >= even_units;
  const Index units_each = each / largest(keeps);
  Index count = std::min(
      {units(), max_shares, threads * std::clamp<Index>(units_each / even_units, 1, shares_per_thread)});
  if (count > threads) count -= count % threads;
  return {count, keeps};
}

Index Grid::first_unit(const Shares& shares, Index share) const {
  if (share == 0) return 0;
  if (share == shares.count) return units();
  const Index all = iterations();
  const Index target = all / shares.count * share + all % shares.count * share / shares.count;
  return unit_at(target, shares.keeps_innermost);
}

}  // namespace tenstride::detail
