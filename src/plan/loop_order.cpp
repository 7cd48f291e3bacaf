// SPDX-License-Identifier: Apache-2.0
#include "plan/loop_order.hpp"

#include <algorithm>
#include <cstdlib>

namespace tenstride::detail {
namespace {

/// Moves a loop inwards, from index `from` to index `to`; `source_loop` and, where there is one, `scale_loop`
/// keep naming the same loops.
void move_loop(CopyPlan& plan, std::size_t from, std::size_t to, bool has_scale_loop) {
  const auto follow = [&](std::size_t& loop) {
    if (loop == from) {
      loop = to;
    } else if (loop > from && loop <= to) {
      --loop;
    }
  };
  CopyLoop* loops = plan.loops.data();
  std::rotate(loops + from, loops + from + 1, loops + to + 1);
  follow(plan.source_loop);
  if (has_scale_loop) follow(plan.scale_loop);
}

}  // namespace

void reverse(CopyLoop& loop, CopyPlan& plan, bool is_scaled) {
  plan.dst_offset += (loop.extent - 1) * loop.dst_stride;
  plan.src_offset += (loop.extent - 1) * loop.src_stride;
  loop.dst_stride = -loop.dst_stride;
  loop.src_stride = -loop.src_stride;
  if (!is_scaled) return;
  std::reverse(plan.scale.begin(), plan.scale.end());
  std::reverse(plan.shift.begin(), plan.shift.end());
}

Index row_pitch_bytes(const CopyPlan& plan, Index item) {
  return std::abs(plan.loops[plan.loops.size() - 1].src_stride) / plan.item_elements * item;
}

bool are_whole_lines(const CopyPlan& plan, const Placement& placement, const CopyLoops& loops,
                     std::size_t count, Index run_bytes) {
  const auto element = static_cast<Index>(item_size(plan.dst_type));
  Index line_remainder = (placement.dst_in_line + plan.dst_offset * element) | run_bytes;
  for (std::size_t d = 0; d < count; ++d) line_remainder |= loops[d].dst_stride * element;
  return line_remainder % line_bytes == 0;
}

void sort_by_destination(CopyLoops& loops) {
  std::sort(loops.begin(), loops.end(), [](const CopyLoop& a, const CopyLoop& b) {
    return std::abs(a.dst_stride) > std::abs(b.dst_stride);
  });
}

void order_outer_loops(CopyPlan& plan) {
  CopyLoop* loops = plan.loops.data();
  const bool is_scaled_per_index = plan.scale.size() > 1 || plan.shift.size() > 1;
  bool by_source = true;
  for (std::size_t end = plan.strip_loop; end > 0; --end) {
    std::size_t next = end - 1;
    const auto stride = [&](std::size_t d) {
      return by_source ? std::abs(loops[d].src_stride) : std::abs(loops[d].dst_stride);
    };
    for (std::size_t d = end - 1; d-- > 0;) {
      if (stride(d) < stride(next)) next = d;
    }
    if (end == plan.strip_loop) next = plan.source_loop;
    by_source = !by_source || next == plan.source_loop;
    move_loop(plan, next, end - 1, is_scaled_per_index);
  }
}

void place_strips(CopyPlan& plan) {
  const Index run_stride = std::abs(plan.loops[plan.loops.size() - 1].src_stride);
  std::size_t d = 0;
  while (d < plan.source_loop && std::abs(plan.loops[d].src_stride) > run_stride) ++d;
  plan.strip_depth = d;
}

}  // namespace tenstride::detail
