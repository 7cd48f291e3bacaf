// SPDX-License-Identifier: Apache-2.0
// Row after row of the destination: copied, gathered, filled, or item by item.
#include "plan/ways/ways.hpp"

#include <algorithm>
#include <cstdlib>

#include "base/cache_line.hpp"
#include "plan/limits.hpp"

namespace tenstride::detail {
namespace {

/// Gathered rows of at least this many bytes have a cost of their own, and so have those of items of up to
/// `max_small_item` bytes.
constexpr Index min_long_gather = 128;
constexpr Index max_small_item = 2;

/// The longest rows of which pieces are streamed alternately.
constexpr Index max_alternating_row_bytes = Index{256} << 10;
/// The longest rows that one call copies many of.
constexpr Index max_row_bytes = 4096;
/// The longest rows that are collected in the L1 cache before they are streamed.
constexpr Index max_collected_row_bytes = 1024;
/// The longest gathered rows of items of 1 and 2 bytes that are collected: ordinary stores between streaming
/// ones, at both ends of each row, cost more than collecting does. .29 -> .40 of a plain copy (rows of 2370
/// bytes backwards), .12 -> .23 (of 83; Zen 3). Longer items lose: .53 -> .43 (rows of 200 complex numbers).
constexpr Index max_gathered_row_bytes = 4096;
/// The longest repeated rows that are written as short items by one kernel.
constexpr Index max_repeated_row_bytes = 16;

/// How many times each row is repeated side by side, where rows are short (as pixels of 3 bytes); 1 for all
/// other copies.
Index repetitions(const Problem& problem) {
  const Nest& nest = problem.nest;
  const std::size_t last = nest.size() - 1;
  if (!problem.conversion.is_none() || last < 2) return 1;
  const Loop& repeated = nest[last - 1];
  const Index bytes = problem.row_bytes();
  const Index all = bytes * repeated.extent;
  const bool is_one_row =
      repeated.src_stride == 0 && repeated.dst_stride == bytes && nest[last - 2].dst_stride == all;
  return is_one_row && bytes <= max_repeated_row_bytes && all <= max_collected_row_bytes ? repeated.extent
                                                                                         : 1;
}

/// Whether rows of `bytes` bytes follow each other in the destination without a gap.
bool have_no_gaps(const Nest& nest, Index bytes, Index times) {
  const std::size_t around = nest.size() - (times > 1 ? 2 : 1);
  return around > 0 && nest[around - 1].dst_stride == bytes;
}

/// The items of a piece of a row: 0 where threads share whole rows evenly. Pieces are about equally long, and
/// whole lines.
Index piece_of(const Problem& problem) {
  const Index extent = problem.nest.inner().extent;
  const Index most = problem.max_unit_items();
  if (problem.threads == 1 || extent <= most) return 0;
  const Index line = std::max<Index>(line_bytes / problem.nest.dst_item, 1);
  return ceil_divide(ceil_divide(extent, ceil_divide(extent, most)), line) * line;
}

RowByRow by_rows(const Problem& problem, Index times) {
  RowByRow way{RowMethod::single, problem.stores, times, times == 1 ? piece_of(problem) : 0};
  const Index bytes = problem.row_bytes() * times;
  if (!problem.conversion.is_none()) {
    way.method = RowMethod::converted;
  } else if (problem.nest.size() == 1 || way.piece != 0) {
    return way;
  } else if (!problem.streams()) {
    if (bytes <= max_row_bytes) way.method = RowMethod::together;
  } else if (bytes <= max_collected_row_bytes) {
    const bool is_collected = have_no_gaps(problem.nest, bytes, times);
    way.method = is_collected ? RowMethod::collected : RowMethod::together;
    if (!is_collected) way.stores = Stores::ordinary;
  }
  return way;
}

double cost_of_rows(const Problem& problem) {
  const Costs& costs = problem.costs();
  const Index row = problem.row_bytes();
  const double moved = 1 + per_byte(costs.row_bytes, row);
  if (problem.conversion.is_none()) return moved;
  return moved + std::max(per_byte(costs.converted_row_bytes, row) - costs.hidden_conversion, 0.0);
}

double cost_of_gather(const Problem& problem) {
  const Costs& costs = problem.costs();
  const Nest& nest = problem.nest;
  const Index row = problem.row_bytes();
  const Index src_item = nest.src_item;
  const Index stride = std::abs(nest.inner().src_stride);
  const Index read = std::clamp(stride, src_item, std::max(line_bytes, src_item));
  const double row_cost = row < min_long_gather             ? costs.short_gather_bytes
                          : nest.dst_item <= max_small_item ? costs.small_item_gather_bytes
                                                            : costs.long_gather_bytes;
  return costs.gather +
         costs.gather_gap * static_cast<double>(read - src_item) / static_cast<double>(src_item) +
         per_byte(row_cost, row);
}

}  // namespace

std::optional<Candidate> propose_contiguous(Problem& problem) {
  if (problem.access.kind != AccessKind::contiguous || !problem.conversion.is_none()) return std::nullopt;
  return Candidate{Contiguous{problem.stores}, 1};
}

std::optional<Candidate> propose_rows(Problem& problem) {
  if (problem.access.kind == AccessKind::contiguous && !problem.conversion.is_none())
    return Candidate{Rows{by_rows(problem, 1)}, 1};
  if (problem.access.kind != AccessKind::rows) return std::nullopt;
  Rows way{by_rows(problem, repetitions(problem))};
  if (way.method == RowMethod::single && problem.streams() &&
      problem.row_bytes() <= max_alternating_row_bytes && way.piece == 0)
    way.method = RowMethod::alternating;
  return Candidate{way, cost_of_rows(problem)};
}

std::optional<Candidate> propose_gather(Problem& problem) {
  if (problem.access.kind != AccessKind::gather) return std::nullopt;
  const Nest& nest = problem.nest;
  const Index row = problem.row_bytes();
  Gather way{{problem.conversion.is_none() ? RowMethod::single : RowMethod::converted, problem.stores, 1,
              piece_of(problem)}};
  const Index limit = nest.dst_item <= max_small_item ? max_gathered_row_bytes : max_collected_row_bytes;
  if (way.method == RowMethod::single && way.piece == 0 && problem.streams() && row <= limit &&
      have_no_gaps(nest, row, 1))
    way.method = RowMethod::collected;
  return Candidate{way, cost_of_gather(problem)};
}

std::optional<Candidate> propose_fill(Problem& problem) {
  if (problem.access.kind != AccessKind::fill) return std::nullopt;
  return Candidate{Fill{by_rows(problem, 1)}, 1};
}

std::optional<Candidate> propose_strided(Problem& problem) {
  if (problem.access.kind != AccessKind::strided) return std::nullopt;
  return Candidate{Strided{{problem.conversion.is_none() ? RowMethod::single : RowMethod::converted,
                            Stores::ordinary, 1, piece_of(problem)}},
                   1};
}

}  // namespace tenstride::detail
