// SPDX-License-Identifier: Apache-2.0
#include "plan/strategies/row_loops.hpp"

#include <algorithm>
#include <cstdlib>

namespace tenstride::detail {
namespace {

constexpr Index line_bytes = 64;

/// Fitted to drawn copies (bench/notes/drawn.md), in bytes that a plain copy moves meanwhile: what each row
/// takes, and what each row that is converted takes, but for what its conversion leaves hidden ...
constexpr double row_costs = 60;
constexpr double converted_row_costs = 500;
constexpr double hidden_conversion = .4;
/// ... what each gathered row takes, of two lines and more or less, and of items of 1 and 2 bytes ...
constexpr double long_gathers = 40;
constexpr double gathers_of_small_items = 300;
constexpr double short_gathers = 700;
constexpr Index short_gather = 128;
constexpr Index small_item = 2;
/// ... what any gather takes, and what each byte takes that is read for its neighbours, of a line at most.
constexpr double gather = 1.1;
constexpr double gap = .6;

double cost_of_rows(const CopyPlan& plan, Index row) {
  const double moved = 1 + row_costs / static_cast<double>(row);
  if (plan.conversion == CopyConversion::none) return moved;
  return moved + std::max(converted_row_costs / static_cast<double>(row) - hidden_conversion, 0.0);
}

double cost_of_gather(const CopyPlan& plan, Index row, Index dst_item) {
  const auto src_element = static_cast<Index>(item_size(plan.src_type));
  const Index src_item = src_element * plan.item_elements;
  const Index apart = std::abs(plan.loops[plan.loops.size() - 1].src_stride) * src_element;
  const Index read = std::clamp(apart, src_item, std::max(line_bytes, src_item));
  const double each = row < short_gather       ? short_gathers
                      : dst_item <= small_item ? gathers_of_small_items
                                               : long_gathers;
  return gather + gap * static_cast<double>(read - src_item) / static_cast<double>(src_item) +
         each / static_cast<double>(row);
}

}  // namespace

std::optional<Proposal> propose_row_loops(Problem& problem) {
  const CopyPlan& plan = problem.plan;
  const Index dst_item = static_cast<Index>(item_size(plan.dst_type)) * plan.item_elements;
  const Index row = plan.loops[plan.loops.size() - 1].extent * dst_item;
  switch (plan.kernel) {
    case CopyKernel::rows:
      return Proposal{RowLoops{}, cost_of_rows(plan, row)};
    case CopyKernel::gather:
      return Proposal{RowLoops{}, cost_of_gather(plan, row, dst_item)};
    case CopyKernel::memcpy:
      if (plan.conversion == CopyConversion::none) return std::nullopt;
      return Proposal{RowLoops{}, 1};
    case CopyKernel::fill:
    case CopyKernel::strided:
      return Proposal{RowLoops{}, 1};
    default:
      return std::nullopt;
  }
}

}  // namespace tenstride::detail
