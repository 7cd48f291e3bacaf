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
constexpr double tiles_through_a_buffer = 2;
/// ... matrices of items of 16 bytes, five or more of which are interleaved, too ...
constexpr double interleaved_large_items = 1.4;
constexpr Index large_item = 16;
constexpr Index least_interleaved = 5;
/// ... what runs of so many bytes take more ...
constexpr double short_channels = 400;
constexpr double split_columns = 512;
constexpr double short_source_rows = 35;
constexpr double short_rows = 60;
constexpr double converted_rows = 500;
constexpr double hidden_conversion = .4;
constexpr double short_gathers = 300;
constexpr double short_gathers_of_large_items = 40;
constexpr Index least_large_item = 4;
/// ... what each item costs that is read for its neighbours, of a line at most ...
constexpr double gap = .6;
/// ... and what short runs take at most, which are turned block by block. Columns one behind the other that
/// fit two lines are turned through a buffer.
constexpr double most_short = 2.6;
constexpr double most_short_gathers = 4;
constexpr double most_short_rows = 4;
constexpr double most_converted_rows = 3.5;
constexpr double most_split = 1.6;
constexpr double most_short_source_rows = 1.2;
constexpr Index buffered_column = 128;

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
      if (dst_item == large_item && inner >= least_interleaved) return interleaved_large_items;
      return std::min(channels + share(short_channels, plan.loops[plan.turned_loop].extent * src_item),
                      most_short);
    case CopyKernel::tile: {
      const Index column = extent_of(plan, plan.strip_loop, count) * dst_item;
      const Index row =
          extent_of(plan, plan.turned_loop + 1 - plan.source_loops, plan.turned_loop + 1) * src_item;
      const bool is_whole =
          (column % line_bytes == 0 && has_whole_lines(plan, dst_element)) ||
          (column <= buffered_column && plan.loops[plan.turned_loop].dst_stride * dst_element == column);
      if (is_whole && row >= line_bytes) return tiles;
      return (converts && !is_whole ? tiles_through_a_buffer : tiles) +
             (is_whole ? 0 : std::min(share(split_columns, column), most_split)) +
             std::min(share(short_source_rows, row), most_short_source_rows);
    }
    case CopyKernel::rows: {
      const double moved = std::min(1 + share(short_rows, inner * dst_item), most_short_rows);
      if (!converts) return moved;
      return std::min(moved + std::max(share(converted_rows, inner * dst_item) - hidden_conversion, 0.0),
                      most_converted_rows);
    }
    case CopyKernel::gather: {
      const Index apart =
          std::abs(plan.loops[count - 1].src_stride) * static_cast<Index>(item_size(plan.src_type));
      return channels +
             gap * static_cast<double>(std::clamp(apart, src_item, line_bytes) - src_item) /
                 static_cast<double>(src_item) +
             std::min(share(dst_item < least_large_item ? short_gathers : short_gathers_of_large_items,
                            inner * dst_item),
                      most_short_gathers);
    }
    default:
      return 1;
  }
}

}  // namespace tenstride::detail
