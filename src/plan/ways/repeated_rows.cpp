// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>

#include "plan/ways/ways.hpp"

namespace tenstride::detail {
namespace {

/// Bounds of a row's bytes: a call for each shorter row costs too much, and longer rows do not fit the L2
/// cache.
constexpr Index min_row_bytes = 128;
constexpr Index max_row_bytes = Index{128} << 10;
/// Rows of longer runs of the source, or of one item, are as fast to make anew: they are written directly.
constexpr Index max_costly_run_bytes = 1024;

/// The shortest rows that a kernel may stream from registers to all positions; of shorter rows too much is
/// left to be copied.
constexpr Index min_direct_row_bytes = 1024;

/// Whether the loops from `first` to the innermost contain the loops that make up a row's access.
bool holds_access(const Problem& problem, std::size_t first) {
  return !problem.access.transposes() || problem.access.source_loop >= first;
}

/// Whether a row takes longer to make than to copy from a cache.
bool is_costly(const Problem& problem) {
  switch (problem.access.kind) {
    case AccessKind::contiguous:
    case AccessKind::strided:
      return false;
    case AccessKind::rows:
    case AccessKind::fill:
      return problem.row_bytes() <= max_costly_run_bytes;
    default:
      return true;
  }
}

bool may_repeat_rows(const Problem& problem) {
  const Loops& loops = problem.nest.loops;
  return problem.streams() && problem.nest.scaled_loop == no_loop && is_costly(problem) &&
         std::any_of(loops.begin(), loops.end() - 1, [](const Loop& loop) { return loop.src_stride == 0; });
}

/// The outermost loop that repeats a contiguous row within the bounds; a row of 0 bytes where there is none.
RepeatedRows find_repetition(const Problem& problem) {
  const Nest& nest = problem.nest;
  RepeatedRows found;
  Index bytes = nest.dst_item;
  for (std::size_t d = nest.size(); d-- > 0 && bytes <= max_row_bytes;) {
    const Loop& loop = nest[d];
    const bool is_row = d + 1 < nest.size() && bytes >= min_row_bytes;
    if (is_row && loop.src_stride == 0 && holds_access(problem, d + 1)) {
      found.loop = d;
      found.row = bytes;
    }
    if (loop.dst_stride != bytes) break;
    bytes *= loop.extent;
  }
  return found;
}

/// Whether a kernel makes whole lines of such rows in registers and streams them: making them for every
/// repetition is then faster than packing them once. 2 x 2 numbers: .66 packed once → .88 of a plain fill.
bool is_made_in_registers(const Problem& problem) {
  if (problem.access.kind != AccessKind::gather) return problem.access.has_channels();
  return std::abs(problem.nest.inner().src_stride) <= 4 * problem.nest.src_item;
}

/// Whether a row is short items, each repeated side by side.
bool repeats_items(const Problem& problem, const RepeatedRows& rows) {
  const Nest& nest = problem.nest;
  const std::size_t last = nest.size() - 1;
  return problem.access.kind == AccessKind::rows && problem.conversion.is_none() && last == rows.loop + 3 &&
         rows.row >= min_direct_row_bytes && problem.row_bytes() <= max_item_bytes &&
         nest[last - 1].src_stride == 0 && nest[last - 2].src_stride == problem.row_bytes();
}

/// The iterations of a row's outermost loop that threads share evenly. Rows of short items are whole.
Index part_of(const Problem& problem, const RepeatedRows& rows) {
  const Loop& cut = problem.nest[rows.loop + 1];
  if (problem.threads == 1 || rows.repeats_items) return cut.extent;
  const Index each = cut.dst_stride / problem.nest.dst_item;
  return std::clamp<Index>(problem.max_unit_items() / each, 1, cut.extent);
}

}  // namespace

std::optional<Candidate> propose_repeated_rows(Problem& problem) {
  if (!may_repeat_rows(problem)) return std::nullopt;
  RepeatedRows rows = find_repetition(problem);
  if (rows.row == 0 || (is_made_in_registers(problem) &&
                        are_whole_lines(problem, problem.nest.loops.first(rows.loop + 1), rows.row)))
    return std::nullopt;
  rows.stores = problem.stores;
  rows.repeats_items = repeats_items(problem, rows);
  rows.part = part_of(problem, rows);
  // Rows that are too long for threads to share evenly are made anew.
  if (problem.threads > 1 && rows.part * (rows.row / problem.nest[rows.loop + 1].extent) >
                                 problem.max_unit_items() * problem.nest.dst_item)
    return std::nullopt;
  return Candidate{rows, problem.costs().repeated_rows};
}

}  // namespace tenstride::detail
