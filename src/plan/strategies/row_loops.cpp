// SPDX-License-Identifier: Apache-2.0
#include "plan/strategies/row_loops.hpp"

#include <algorithm>
#include <cstdlib>

#include "base/cache_line.hpp"

namespace tenstride::detail {
namespace {

/// All constants here are fitted to measurements of drawn copies (bench/notes/drawn.md). Costs `…_cost_bytes`
/// are in bytes that a plain copy moves in the same time. The cost of each row:
constexpr double row_cost_bytes = 60;
/// The cost of converting a row, and the share of a plain copy's time that a conversion may take without
/// making the copy slower:
constexpr double converted_row_cost_bytes = 500;
constexpr double hidden_conversion = .4;
/// The cost of each gathered row of `min_long_gather` bytes and more; of such rows of items of up to
/// `max_small_item` bytes; and of shorter rows.
constexpr double long_gather_cost_bytes = 40;
constexpr double small_item_gather_cost_bytes = 300;
constexpr double short_gather_cost_bytes = 700;
constexpr Index min_long_gather = 128;
constexpr Index max_small_item = 2;
/// The cost of a gather as a multiple of a plain copy's time, and the cost of the bytes that are read only
/// because they share a line with others (at most a line for each item), as a part of the time to copy them.
constexpr double gather_cost = 1.1;
constexpr double gap_cost = .6;

double cost_of_rows(const CopyPlan& plan, Index row) {
  const double moved = 1 + row_cost_bytes / static_cast<double>(row);
  if (plan.conversion == CopyConversion::none) return moved;
  return moved + std::max(converted_row_cost_bytes / static_cast<double>(row) - hidden_conversion, 0.0);
}

double cost_of_gather(const CopyPlan& plan, Index row, Index dst_item) {
  const auto src_element = static_cast<Index>(item_size(plan.src_type));
  const Index src_item = src_element * plan.item_elements;
  const Index stride = std::abs(plan.loops[plan.loops.size() - 1].src_stride) * src_element;
  const Index read = std::clamp(stride, src_item, std::max(line_bytes, src_item));
  const double row_cost = row < min_long_gather        ? short_gather_cost_bytes
                          : dst_item <= max_small_item ? small_item_gather_cost_bytes
                                                       : long_gather_cost_bytes;
  return gather_cost + gap_cost * static_cast<double>(read - src_item) / static_cast<double>(src_item) +
         row_cost / static_cast<double>(row);
}

}  // namespace

std::optional<Candidate> propose_row_loops(Problem& problem) {
  const CopyPlan& plan = problem.plan;
  const Index dst_item = static_cast<Index>(item_size(plan.dst_type)) * plan.item_elements;
  const Index row = plan.loops[plan.loops.size() - 1].extent * dst_item;
  switch (plan.kernel) {
    case CopyKernel::rows:
      return Candidate{RowLoops{}, cost_of_rows(plan, row)};
    case CopyKernel::gather:
      return Candidate{RowLoops{}, cost_of_gather(plan, row, dst_item)};
    case CopyKernel::memcpy:
      if (plan.conversion == CopyConversion::none) return std::nullopt;
      return Candidate{RowLoops{}, 1};
    case CopyKernel::fill:
    case CopyKernel::strided:
      return Candidate{RowLoops{}, 1};
    default:
      return std::nullopt;
  }
}

}  // namespace tenstride::detail
