// SPDX-License-Identifier: Apache-2.0
#include "plan/strategies/tiles.hpp"

#include <algorithm>

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
constexpr Index min_interleaved = 5;
/// ... what runs of so many bytes take more, and small matrices one after the other. Columns one behind the
/// other that fit two lines are turned through a buffer ...
constexpr double short_channels = 400;
constexpr double few_large_items = 1500;
constexpr double split_columns = 512;
constexpr double split_short_items = .8;
constexpr double short_source_rows = 35;
constexpr double small_matrices = 1500;
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

/// Pre: turns.
double cost_of_tiles(const CopyPlan& plan) {
  const auto dst_element = static_cast<Index>(item_size(plan.dst_type));
  const Index dst_item = dst_element * plan.item_elements;
  const Index src_item = static_cast<Index>(item_size(plan.src_type)) * plan.item_elements;
  const std::size_t count = plan.loops.size();
  const Index inner = plan.loops[count - 1].extent;
  const bool converts = plan.conversion != CopyConversion::none;
  switch (plan.kernel) {
    case CopyKernel::deinterleave:
      return channels + share(short_channels, inner * dst_item);
    case CopyKernel::interleave: {
      const Index run = plan.loops[plan.source_loop].extent * src_item;
      if (dst_item != large_item) return channels + share(short_channels, run);
      return inner >= min_interleaved ? interleaved_large_items + share(short_channels, run)
                                      : channels + share(few_large_items, run);
    }
    default: {
      const Index column = extent_of(plan, plan.strip_loop, count) * dst_item;
      const Index rows = extent_of(plan, plan.source_loop + 1 - plan.source_loops, plan.source_loop + 1);
      const Index row = rows * src_item;
      const bool has_lines = column % line_bytes == 0 && has_whole_lines(plan, dst_element);
      const bool is_buffered =
          column <= buffered_column && plan.loops[plan.source_loop].dst_stride * dst_element == column;
      const double short_ones = row < line_bytes ? share(short_source_rows, row) : 0;
      if (has_lines) return tiles + short_ones;
      const double matrices = share(small_matrices, rows * column) + (dst_item < 4 ? split_short_items : 0);
      if (is_buffered) return tiles + matrices + short_ones;
      return (converts ? tiles_through_a_buffer : tiles) + matrices + share(split_columns, column) +
             share(short_source_rows, row);
    }
  }
}

}  // namespace

std::optional<Proposal> propose_tiles(Problem& problem) {
  if (!problem.plan.transposes()) return std::nullopt;
  return Proposal{Tiles{}, cost_of_tiles(problem.plan)};
}

}  // namespace tenstride::detail
