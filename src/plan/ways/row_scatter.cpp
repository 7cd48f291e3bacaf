// SPDX-License-Identifier: Apache-2.0
// Sequential reads are as fast as in a plain copy, and streaming stores may go anywhere by a few lines at a
// time. In the destination's order the reads jump from row to row, which no prefetcher follows: .57 → .96 of
// a plain copy in the source's order for rows of 1472 bytes (Zen 5), .46 → .79 for rows of 128 bytes (Emerald
// Rapids).
#include <algorithm>
#include <cstdlib>

#include "plan/ways/ways.hpp"

namespace tenstride::detail {
namespace {

/// Bounds of a row's bytes: blocks are faster for shorter rows, and longer rows are as fast in the
/// destination's order.
constexpr Index min_row_bytes = 72;
constexpr Index max_row_bytes = 16384;
/// The shortest rows that have no neighbour in the destination: partial lines are written at both ends of
/// each.
constexpr Index min_lone_row_bytes = 512;
/// The most partial lines that are kept: 512 KiB with the gaps between them, in the L2 cache.
constexpr Index max_partial_lines = 4096;
/// The bytes of a unit of work where no partial lines are kept.
constexpr Index unit_bytes = Index{1} << 20;
/// Where they are kept, threads cut the neighbour loop into parts of at least this many bytes of a
/// destination row: at both ends of each part, partial lines are written.
constexpr Index min_part_bytes = 16384;

bool can_scatter(const Problem& problem) {
  const Loops& loops = problem.nest.loops;
  return problem.access.kind == AccessKind::rows && problem.conversion.is_none() && problem.streams() &&
         loops.size() >= 3 && problem.row_bytes() >= min_row_bytes && problem.row_bytes() <= max_row_bytes &&
         std::none_of(loops.begin(), loops.end(), [](const Loop& loop) { return loop.src_stride == 0; });
}

/// The fewest iterations of the neighbour loop that are done before others.
Index min_neighbours(const RowScatter& scatter, Index row_bytes) {
  return std::min(min_part_bytes / row_bytes + 1, scatter.nest[scatter.neighbour_loop].extent);
}

/// Keeps as many loops inside the neighbour loop as partial lines can be kept for, and as are shared evenly,
/// the outermost of them in parts, and moves the other loops around it.
void limit_partial_lines(RowScatter& scatter, const Problem& problem) {
  Loops& loops = scatter.nest.loops;
  const std::size_t cut = scatter.neighbour_loop + 1;
  const Index neighbours = min_neighbours(scatter, problem.row_bytes()) * loops.back().extent;
  const Index most = std::clamp<Index>(problem.max_unit_items() / neighbours, 1, max_partial_lines);
  Index inner = 1;
  std::size_t d = loops.size() - 1;
  while (d > cut && inner * loops[d - 1].extent <= most) inner *= loops[--d].extent;
  if (d > cut) {
    std::rotate(loops.begin() + scatter.neighbour_loop, loops.begin() + cut, loops.begin() + (d - 1));
    scatter.neighbour_loop = d - 2;
    scatter.inner_part = most / inner;
  } else {
    scatter.inner_part = loops[cut].extent;
  }
}

/// The loop with the smallest stride in the destination: along it rows are neighbours.
std::size_t find_neighbour_loop(const Loops& loops, std::size_t row) {
  std::size_t found = 0;
  for (std::size_t d = 1; d < row; ++d) {
    if (loops[d].dst_stride < loops[found].dst_stride) found = d;
  }
  return found;
}

std::optional<RowScatter> scatter_of(const Problem& problem) {
  if (!can_scatter(problem)) return std::nullopt;
  const Index bytes = problem.row_bytes();
  RowScatter scatter;
  scatter.nest = problem.nest;
  Loops& loops = scatter.nest.loops;
  const std::size_t row = loops.size() - 1;
  std::stable_sort(loops.begin(), loops.begin() + row, [](const Loop& a, const Loop& b) {
    return std::abs(a.src_stride) > std::abs(b.src_stride);
  });
  const std::size_t neighbour = find_neighbour_loop(loops, row);
  if (neighbour == row - 1) return std::nullopt;  // the order is the same on both sides
  scatter.neighbour_loop = row - 2;
  scatter.inner_part = std::clamp<Index>(unit_bytes / bytes, 1, loops[row - 1].extent);
  if (are_whole_lines(problem, loops.first(row), bytes)) return scatter;
  // Partial lines in a buffer would interrupt the several streams that such machines need.
  if (problem.options.machine.streams == MemoryStreams::several) return std::nullopt;
  if (loops[neighbour].dst_stride != bytes)
    return bytes >= min_lone_row_bytes ? std::optional(std::move(scatter)) : std::nullopt;
  scatter.has_partial_lines = true;
  scatter.neighbour_loop = neighbour;
  limit_partial_lines(scatter, problem);
  return scatter;
}

/// Cuts the work into units that threads share evenly: where possible with at least `min_part_bytes` of a
/// destination row where partial lines are kept. Returns false where rows are too long for that.
bool cut_units(RowScatter& scatter, const Problem& problem) {
  const Loops& loops = scatter.nest.loops;
  const Index neighbours = loops[scatter.neighbour_loop].extent;
  Index each = loops.back().extent;
  for (std::size_t d = scatter.neighbour_loop + 2; d + 1 < loops.size(); ++d) each *= loops[d].extent;
  scatter.neighbour_part = neighbours;
  if (problem.threads == 1) return true;
  const Index most = problem.max_unit_items() / each;
  const Index least = scatter.has_partial_lines ? min_neighbours(scatter, problem.row_bytes()) : 1;
  scatter.neighbour_part = std::clamp(most / scatter.inner_part, least, neighbours);
  scatter.inner_part = std::clamp<Index>(most / scatter.neighbour_part, 1, scatter.inner_part);
  scatter.neighbour_part = std::clamp<Index>(most / scatter.inner_part, 1, scatter.neighbour_part);
  return most > 0;
}

}  // namespace

std::optional<Candidate> propose_row_scatter(Problem& problem) {
  std::optional<RowScatter> scatter = scatter_of(problem);
  if (!scatter || !cut_units(*scatter, problem)) return std::nullopt;
  const Costs& costs = problem.costs();
  return Candidate{*std::move(scatter),
                   costs.row_scatter + per_byte(costs.row_scatter_bytes, problem.row_bytes())};
}

}  // namespace tenstride::detail
