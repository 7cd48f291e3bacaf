// SPDX-License-Identifier: Apache-2.0
#include "plan/kernel_choice.hpp"

#include <cstdlib>

#include "plan/loop_order.hpp"

namespace tenstride::detail {
namespace {

constexpr std::size_t no_loop = max_rank;
/// One item repeated over at least this many bytes is filled run by run. Shorter repetitions whose neighbours
/// are contiguous in the source are transposed as a tile, which writes whole lines.
constexpr Index min_fill_bytes = 128;
/// Up to 64 channels are deinterleaved, 16 at a time in runs of 2 KiB, while the next tile is prefetched into
/// the L2 cache: .83 → .91 of a plain copy against runs of 1 KiB, .68 as streaming tiles (64 channels of
/// float32).
constexpr Index max_deinterleaved_channels = 64;
constexpr Index min_channel_bytes = 1024;

/// The loop, other than the innermost, along which the source is contiguous; `no_loop` where there is none.
std::size_t find_source_run(const CopyPlan& plan) {
  for (std::size_t d = 0; d + 1 < plan.loops.size(); ++d) {
    if (std::abs(plan.loops[d].src_stride) == plan.item_elements) return d;
  }
  return no_loop;
}

bool is_channel_count(Index extent, Index max_count) {
  return extent >= 2 && extent <= max_count;
}

}  // namespace

void choose_kernel(CopyPlan& plan, Index item_bytes, bool may_stream, SequentialStores stores) {
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
  // Short repetitions of contiguous items are a tile whose rows all lie at one address.
  if (inner.src_stride == 0 &&
      (transposed == no_loop || inner.extent * item * item_bytes >= min_fill_bytes)) {
    plan.kernel = CopyKernel::fill;
    return;
  }
  if (transposed == no_loop) {
    plan.kernel = CopyKernel::gather;
    return;
  }
  plan.source_loop = transposed;
  CopyLoop& run = plan.loops[transposed];
  if (run.src_stride < 0) reverse(run, plan, plan.scale_loop == transposed);
  plan.kernel = CopyKernel::tile;
  const Index bytes = item * item_bytes;
  const bool has_long_channels =
      may_stream && (stores == SequentialStores::ordinary || has_uniform_line_offset(plan)) &&
      plan.conversion == CopyConversion::none && inner.extent * bytes >= min_channel_bytes;
  const bool can_interleave =
      is_channel_count(inner.extent, max_followed_channels) && run.dst_stride == inner.extent * item;
  const bool can_deinterleave =
      is_channel_count(run.extent, has_long_channels ? max_deinterleaved_channels : max_followed_channels) &&
      inner.src_stride == run.extent * item;
  // Where both axes are short: two to four channels have deinterleaving kernels of their own; otherwise the
  // shorter axis is taken as the channels.
  if (can_deinterleave && (run.extent <= 4 || !can_interleave || run.extent <= inner.extent)) {
    plan.kernel = CopyKernel::deinterleave;
  } else if (can_interleave) {
    plan.kernel = CopyKernel::interleave;
  }
  choose_tile(plan, bytes, stores);
}

}  // namespace tenstride::detail
