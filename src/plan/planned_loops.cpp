// SPDX-License-Identifier: Apache-2.0
#include "plan/planned_loops.hpp"

#include <algorithm>
#include <cstdlib>

namespace tenstride::detail {
namespace {

constexpr Index line_bytes = 64;

/// All of these are fitted to drawn copies (bench/notes/drawn.md): what a copy with long runs takes ...
constexpr double channels = 1.1;
constexpr double tiles = 1.2;
constexpr double tiles_through_a_buffer = 2.2;
/// ... what runs of so many bytes take more ...
constexpr double short_channels = 400;
constexpr double split_columns = 512;
constexpr double short_source_rows = 128;
constexpr double short_rows = 40;
constexpr double converted_rows = 700;
/// ... and what short runs take at most, which are turned block by block.
constexpr double most_short = 2.6;
constexpr double most_split = 1.6;
constexpr double most_short_source_rows = 1.2;

double share(double costs, Index bytes) {
  return costs / static_cast<double>(bytes);
}

Index extent_of(const CopyPlan& plan, std::size_t first, std::size_t end) {
  Index extent = 1;
  for (std::size_t d = first; d < end; ++d) extent *= plan.loops[d].extent;
  return extent;
}

bool has_whole_lines(const CopyPlan& plan, Index dst_element) {
  return std::all_of(plan.loops.begin(), plan.loops.end() - 1,
                     [=](const CopyLoop& loop) { return loop.dst_stride * dst_element % line_bytes == 0; });
}

}  // namespace

double cost_of_planned_loops(const CopyPlan& plan) {
  const bool converts = plan.conversion != CopyConversion::none;
  const auto dst_element = static_cast<Index>(item_size(plan.dst_type));
  const Index dst_item = dst_element * plan.item_elements;
  const Index src_item = static_cast<Index>(item_size(plan.src_type)) * plan.item_elements;
  const std::size_t count = plan.loops.size();
  const Index inner = plan.loops[count - 1].extent;
  switch (plan.kernel) {
    case CopyKernel::deinterleave:
      return std::min(channels + share(short_channels, inner * dst_item), most_short);
    case CopyKernel::interleave:
      return std::min(channels + share(short_channels, plan.loops[plan.turned_loop].extent * src_item),
                      most_short);
    case CopyKernel::tile: {
      const Index column = extent_of(plan, plan.strip_loop, count) * dst_item;
      const Index row =
          extent_of(plan, plan.turned_loop + 1 - plan.source_loops, plan.turned_loop + 1) * src_item;
      const bool is_whole = column % line_bytes == 0 && has_whole_lines(plan, dst_element);
      return (converts && !is_whole ? tiles_through_a_buffer : tiles) +
             (is_whole ? 0 : std::min(share(split_columns, column), most_split)) +
             std::min(share(short_source_rows, row), most_short_source_rows);
    }
    case CopyKernel::rows:
      return std::min(1 + share(short_rows, inner * dst_item), most_short) +
             (converts ? share(converted_rows, inner * dst_item) : 0);
    default:
      return 1;
  }
}

}  // namespace tenstride::detail
