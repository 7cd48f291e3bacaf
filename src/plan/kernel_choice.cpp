// SPDX-License-Identifier: Apache-2.0
#include "plan/kernel_choice.hpp"

#include <algorithm>
#include <cstdlib>

#include "plan/loop_order.hpp"

namespace tenstride::detail {
namespace {

constexpr std::size_t no_loop = max_rank;
/// Repetitions of one item from so many bytes on are filled one after another; shorter ones are a tile's.
constexpr Index shortest_fill = 128;
/// So many channels are deinterleaved 16 at a time, each in runs of 2 KiB, while the tile after is read into
/// the L2 cache: 64 floats .91 of a plain copy (.83 by runs of 1 KiB), .68 turned block by block and written
/// past the cache.
constexpr Index many_channels = 64;
constexpr Index min_channel_bytes = 1024;

/// The loop, other than the innermost, along which the source is dense.
std::size_t find_source_run(const CopyPlan& plan) {
  for (std::size_t d = 0; d + 1 < plan.loops.size(); ++d) {
    if (std::abs(plan.loops[d].src_stride) == plan.item_elements) return d;
  }
  return no_loop;
}

bool is_channel_count(Index extent, Index most) {
  return extent >= 2 && extent <= most;
}

}  // namespace

void choose_kernel(CopyPlan& plan, Index item_bytes, bool may_stream, InOrder order) {
  const std::size_t last = plan.loops.size() - 1;
  const CopyLoop inner = plan.loops[last];
  const Index item = plan.item_elements;
  if (inner.dst_stride != item) {
    plan.kernel = CopyKernel::strided;
    return;
  }
  if (inner.src_stride == item) {
    plan.kernel = last == 0 ? CopyKernel::memcpy : CopyKernel::rows;
    return;
  }
  const std::size_t transposed = find_source_run(plan);
  // Short repetitions of neighbours are a tile whose rows are one.
  if (inner.src_stride == 0 && (transposed == no_loop || inner.extent * item * item_bytes >= shortest_fill)) {
    plan.kernel = CopyKernel::fill;
    return;
  }
  if (transposed == no_loop) {
    plan.kernel = CopyKernel::gather;
    return;
  }
  plan.source_loop = transposed;
  CopyLoop& run = plan.loops[transposed];
  if (run.src_stride < 0) {
    reverse(run, plan);
    if (plan.conversion == CopyConversion::scale && plan.scale_loop == transposed) {
      std::reverse(plan.scale.begin(), plan.scale.end());
      std::reverse(plan.shift.begin(), plan.shift.end());
    }
  }
  plan.kernel = CopyKernel::tile;
  const Index bytes = item * item_bytes;
  const bool takes_many = may_stream && (order == InOrder::through_cache || keeps_lines(plan)) &&
                          plan.conversion == CopyConversion::none &&
                          inner.extent * bytes >= min_channel_bytes;
  const bool can_interleave =
      is_channel_count(inner.extent, few_channels) && run.dst_stride == inner.extent * item;
  const bool can_deinterleave = is_channel_count(run.extent, takes_many ? many_channels : few_channels) &&
                                inner.src_stride == run.extent * item;
  // Of two short axes up to four are deinterleaved by kernels of their own, else the shorter one is the
  // channels'.
  if (can_deinterleave && (run.extent <= 4 || !can_interleave || run.extent <= inner.extent)) {
    plan.kernel = CopyKernel::deinterleave;
  } else if (can_interleave) {
    plan.kernel = CopyKernel::interleave;
  }
  choose_tile(plan, bytes, order);
}

}  // namespace tenstride::detail
