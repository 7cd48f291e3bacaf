// SPDX-License-Identifier: Apache-2.0
#include "plan/tile_shape.hpp"

#include <algorithm>

#include "plan/loop_order.hpp"

namespace tenstride::detail {
namespace {

/// Two cache lines are written at once; rows are read in runs of a page.
constexpr Index tile_dst_bytes = 128;
constexpr Index tile_src_bytes = 4096;
/// What is narrowed while it is turned: two lines of the destination, by up to so many rows of the source.
constexpr Index max_narrowed_rows = 64;
/// Rows of a tile of several loops: their addresses are listed, with those of 63 bytes before.
constexpr Index max_indexed = 512 - 64;
/// What is turned together: a fourth of the L1 cache, for two of them and the lines of both sides.
constexpr Index block_bytes = 8192;
/// A tile of short destination runs: 4 KiB of items; past the cache twice as many, so that the runs of the
/// source are four lines where those of the destination are two (32 x 112 floats .75 to .86 of a plain copy).
constexpr Index narrow_tile_bytes = 4096;
constexpr Index narrow_tile_non_temporal_bytes = 8192;
/// A tile of few channels: half of the L1 cache, so that each channel is converted in long runs; without a
/// conversion it passes no buffer, and a longer one is a call less (2 floats .97 of a plain copy by 16 KiB,
/// .995 by 64).
constexpr Index buffered_channels_bytes = 16384;
constexpr Index direct_channels_bytes = 65536;
/// Channels that are interleaved past the cache: what lies before the first whole line of a tile and behind
/// the last one goes there by itself (225 x 225 bytes .75 to .80 of a plain copy, by 64 KiB .70 to .76).
/// Deinterleaved, longer tiles gain nothing.
constexpr Index interleaved_channels_bytes = 262144;
/// Channels whose runs begin anywhere in a line, deinterleaved to a buffer and from there past the cache: two
/// of these leave room in the L1 cache (three planes of floats, 225 square .68-.71 of a plain copy, by 16 KiB
/// .65, by 32 KiB .63).
constexpr Index shifted_channels_bytes = 8192;
/// What a tile of more channels than are followed at once takes (see kernel_choice.cpp).
constexpr Index many_channels_bytes = 131072;
/// Channels are deinterleaved in whole pieces of the kernels for whole lines; a rest of one line costs as
/// much (48 floats .80 of a plain copy by 1344 bytes, .94 by 1280).
constexpr Index channel_piece_bytes = 256;

/// Takes more loops into the destination run while it is short or ends within a line, so that whole lines are
/// written. Only plain loops: none that scale and shift run along. The extent of the run.
Index choose_run(CopyPlan& plan) {
  const auto dst_item = static_cast<Index>(item_size(plan.dst_type)) * plan.item_elements;
  std::size_t at = plan.loops.size() - 1;
  Index extent = plan.loops[at].extent;
  const bool per_index = plan.scale.size() > 1 || plan.shift.size() > 1;
  const auto is_plain = [&](std::size_t d) { return !per_index || plan.scale_loop != d; };
  if (plan.kernel == CopyKernel::tile && is_plain(at)) {
    while (at > 0 && at - 1 != plan.source_loop && is_plain(at - 1) &&
           plan.loops[at - 1].dst_stride == extent * plan.item_elements &&
           (extent * dst_item < tile_dst_bytes || extent * dst_item % line_bytes != 0)) {
      extent *= plan.loops[--at].extent;
    }
  }
  plan.strip_loop = at;
  return extent;
}

/// How much of a short axis a tile takes.
Index channels_bytes(const CopyPlan& plan, InOrder order) {
  const CopyLoop& run = plan.loops[plan.source_loop];
  if (plan.conversion != CopyConversion::none) return buffered_channels_bytes;
  if (order == InOrder::through_cache)
    return run.extent > few_channels ? many_channels_bytes : direct_channels_bytes;
  if (plan.kernel == CopyKernel::interleave) return interleaved_channels_bytes;
  return keeps_lines(plan) ? direct_channels_bytes : shifted_channels_bytes;
}

/// Whether columns of two lines stand one behind the other, and rows are long and far apart: then they are
/// turned as a wider matrix is, not through a buffer (64 channels of half floats to channels last .76 and .85
/// of a plain copy, 32 of floats .98 and 1.02).
bool has_line_pairs(const CopyPlan& plan, Index bytes) {
  const CopyLoop& run = plan.loops[plan.source_loop];
  const CopyLoop& inner = plan.loops[plan.loops.size() - 1];
  return plan.kernel == CopyKernel::tile && plan.conversion == CopyConversion::none &&
         plan.strip_loop + 1 == plan.loops.size() && inner.extent * bytes == tile_dst_bytes &&
         run.dst_stride == inner.extent * plan.item_elements && run.extent * bytes >= tile_src_bytes &&
         bytes_apart(plan, bytes) >= tile_src_bytes;
}

}  // namespace

bool keeps_lines(const CopyPlan& plan) {
  const auto dst_bytes = static_cast<Index>(item_size(plan.dst_type));
  return std::all_of(plan.loops.begin(), plan.loops.end() - 1,
                     [=](const CopyLoop& loop) { return loop.dst_stride * dst_bytes % line_bytes == 0; });
}

void choose_tile(CopyPlan& plan, Index bytes, InOrder order) {
  const Index extent = choose_run(plan);
  const CopyLoop& run = plan.loops[plan.source_loop];
  const auto dst_bytes = static_cast<Index>(item_size(plan.dst_type)) * plan.item_elements;
  const Index widest = std::max(bytes, dst_bytes);
  const Index line = std::max<Index>(line_bytes / std::min(bytes, dst_bytes), 1);
  plan.tile_dst = std::max(std::max<Index>(tile_dst_bytes / bytes, 1), line);
  if (order == InOrder::non_temporal && plan.kernel == CopyKernel::tile &&
      plan.conversion != CopyConversion::none)
    plan.tile_dst = std::max(plan.tile_dst, std::min(max_narrowed_rows, tile_dst_bytes / dst_bytes));
  plan.tile_src = std::max<Index>(tile_src_bytes / bytes, 1);
  plan.block_src = std::max<Index>(block_bytes / (plan.tile_dst * widest), 1);
  const Index channels_size = channels_bytes(plan, order);
  if (plan.kernel == CopyKernel::deinterleave ||
      (plan.kernel == CopyKernel::tile && run.extent < plan.block_src)) {
    plan.tile_src = run.extent;
    plan.block_src = run.extent;
    const Index size = plan.kernel == CopyKernel::tile ? block_bytes : channels_size;
    // Rows apart from each other are streams of their own, of which no more than 32 go well together.
    const bool is_one_stream =
        plan.kernel != CopyKernel::tile ||
        plan.loops[plan.loops.size() - 1].src_stride == run.extent * plan.item_elements;
    const Index most = size / (run.extent * widest);
    const Index piece = line * (channel_piece_bytes / line_bytes);
    const Index unit = plan.kernel == CopyKernel::deinterleave && most >= piece ? piece : line;
    if (is_one_stream) plan.tile_dst = std::max(plan.tile_dst, most / unit * unit);
  } else if (order == InOrder::non_temporal && has_line_pairs(plan, bytes)) {
    plan.tile_src = long_panel_bytes / bytes;
  } else if (plan.kernel == CopyKernel::interleave ||
             (extent <= plan.tile_dst && run.dst_stride == extent * plan.item_elements)) {
    const Index side = std::max<Index>(tile_dst_bytes / bytes, 1);
    const Index narrow_size =
        order == InOrder::non_temporal ? narrow_tile_non_temporal_bytes : narrow_tile_bytes;
    const Index size = plan.kernel == CopyKernel::tile ? narrow_size : channels_size;
    plan.tile_dst = extent;
    plan.tile_src = std::max(side, size / (extent * bytes) / side * side);
  }
  if (plan.strip_loop + 1 < plan.loops.size())
    plan.tile_dst = std::min(plan.tile_dst, max_indexed / line * line);
  plan.tile_src = std::min(plan.tile_src, run.extent);
  plan.block_src = std::min(plan.block_src, plan.tile_src);
  order_outer_loops(plan);
  place_strips(plan);
}

}  // namespace tenstride::detail
