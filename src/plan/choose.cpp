// SPDX-License-Identifier: Apache-2.0
#include "plan/choose.hpp"

#include <algorithm>
#include <array>

#include "plan/grid.hpp"
#include "plan/ways/small.hpp"
#include "plan/ways/ways.hpp"

namespace tenstride::detail {
namespace {

/// The proposals in the order of CopyWay. Blocks come last: searching for them takes longest, and is skipped
/// where another candidate costs less than any blocks can. Small is not weighed.
constexpr std::array<std::optional<Candidate> (*)(Problem&), way_names.size() - 1> proposals{
    propose_contiguous, propose_rows,          propose_gather,      propose_fill,
    propose_strided,    propose_repeated_rows, propose_row_scatter, propose_tiles,
    propose_channels,   propose_cached_tiles,  propose_blocks};

/// Sets `way` to the one with the lowest cost, of all ways or of the one named `only`. Returns false where
/// there is none.
bool find_cheapest(Problem& problem, std::string_view only, CopyWay& way) {
  bool has_way = false;
  const std::size_t comma = std::min(only.find(", "), only.size());
  problem.only_packing = only.substr(std::min(comma + 2, only.size()));
  for (std::size_t i = 0; i < proposals.size(); ++i) {
    if (!only.empty() && only.substr(0, comma) != way_names[i]) continue;
    std::optional<Candidate> candidate = proposals[i](problem);
    if (!candidate) continue;
    problem.computed.ways[i] = candidate->cost;
    if (has_way && candidate->cost >= problem.lowest_cost) continue;
    problem.lowest_cost = candidate->cost;
    way = std::move(candidate->way);
    has_way = true;
  }
  return has_way;
}

}  // namespace

Index Problem::in_line(Index dst_offset) const {
  const Index offset = (options.placement.dst_in_line + dst_offset) % line_bytes;
  return offset < 0 ? offset + line_bytes : offset;
}

Index Problem::max_unit_items() const {
  constexpr Index unlimited = Index{1} << 48;
  if (threads == 1) return unlimited;
  // Smaller blocks are slower, so few threads share a copy within the caches by fewer units.
  const Index units_per_thread = threads <= 4 ? 8 : 16;
  const Index least = options.thread_bytes / units_per_thread / std::max(nest.dst_item, nest.src_item);
  return std::max({bytes / nest.dst_item / (units_per_thread * threads), least, Index{1}});
}

bool are_whole_lines(const Problem& problem, std::span<const Loop> outer, Index run_bytes) {
  Index remainder = problem.in_line(problem.nest.dst_offset) | run_bytes;
  for (const Loop& loop : outer) remainder |= loop.dst_stride;
  return remainder % line_bytes == 0;
}

void choose_way(CopyPlan& plan, const PlanOptions& options) {
  const Nest& nest = plan.nest;
  if (options.may_be_small && options.way.empty() && options.streaming_above > 0 &&
      plan.conversion.is_plain()) {
    Small small;
    if (find_small(nest, plan.count, !plan.conversion.is_none(), small)) {
      plan.way = small;
      return;
    }
  }
  Problem problem{nest,       plan.conversion, options,
                  plan.costs, plan.threads,    plan.count / nest.elements * nest.dst_item};
  problem.access = access_of(nest, plan.conversion, problem.bytes, options);
  if (streams(nest, plan.conversion, problem.access, problem.bytes, options))
    problem.stores = streaming_stores(options.machine.streams);
  const Index moved = std::max(problem.bytes, plan.count / nest.elements * nest.src_item);
  problem.exceeds_caches = problem.streams() || moved >= options.streaming_above / 2;
  if (!find_cheapest(problem, options.way, plan.way)) find_cheapest(problem, {}, plan.way);
}

}  // namespace tenstride::detail
