// SPDX-License-Identifier: Apache-2.0
#include "plan/tile_shape.hpp"

#include <algorithm>

#include "plan/loop_order.hpp"

namespace tenstride::detail {
namespace {

/// A tile is two cache lines wide in the destination and reads runs of a page of the source.
constexpr Index tile_dst_bytes = 128;
constexpr Index tile_src_bytes = 4096;
/// The most rows of a tile that is converted to a shorter type while it is transposed: two lines of the
/// destination from up to 64 rows of the source.
constexpr Index max_converted_rows = 64;
/// The most rows of a tile whose destination run has several loops. A table holds 512 row addresses: those of
/// the tile, and of up to 63 items that precede it in its first cache line.
constexpr Index max_indexed_rows = 512 - 64;
/// A block is transposed within a quarter of the L1 cache: two blocks, and the lines of both sides, fit
/// together.
constexpr Index block_bytes = 8192;
/// A tile of short destination runs has 4 KiB of items. With streaming stores it has twice as many, so that a
/// run of the source is four lines long where one of the destination is two: .75 → .86 of a plain copy (32 x
/// 112 floats).
constexpr Index narrow_tile_bytes = 4096;
constexpr Index narrow_tile_streaming_bytes = 8192;
/// A tile of up to 16 channels has half of the L1 cache, so that each channel is converted in long runs.
/// Without a conversion it passes no buffer, and 64 KiB save calls: .97 → .995 of a plain copy (2 channels of
/// floats).
constexpr Index buffered_channels_bytes = 16384;
constexpr Index direct_channels_bytes = 65536;
/// Interleaved channels with streaming stores: the partial lines at both ends of a tile are written
/// separately, so longer tiles are faster. .70 to .76 with 64 KiB → .75 to .80 of a plain copy (225 x 225
/// bytes). Deinterleaving gains nothing from longer tiles.
constexpr Index interleaved_channels_bytes = 262144;
/// Deinterleaved channels whose runs begin at any offset in a line: they pass a buffer before the streaming
/// stores, and two buffers of 8 KiB leave room in the L1 cache. .63 with 32 KiB, .65 with 16 KiB → .68 to .71
/// of a plain copy (three planes of 225 x 225 floats).
constexpr Index unaligned_channels_bytes = 8192;
/// The bytes of a tile of more than `max_followed_channels` channels (see `max_deinterleaved_channels` in
/// kernel_choice.cpp).
constexpr Index many_channels_bytes = 131072;
/// Deinterleaving kernels write pieces of 256 bytes, and a tail of one line costs as much as a piece: .80
/// with tiles of 1344 bytes → .94 of a plain copy with 1280 (48 channels of floats).
constexpr Index channel_piece_bytes = 256;

/// Extends the destination run by the loops that follow it in the destination, while it is shorter than two
/// lines or not a multiple of a line, so that whole lines are written. The loop that scale and shift run
/// along is never part of it. Returns the number of items of the run.
Index choose_run(CopyPlan& plan) {
  const auto dst_item = static_cast<Index>(item_size(plan.dst_type)) * plan.item_elements;
  std::size_t at = plan.loops.size() - 1;
  Index extent = plan.loops[at].extent;
  const bool is_scaled_per_index = plan.scale.size() > 1 || plan.shift.size() > 1;
  const auto is_plain = [&](std::size_t d) { return !is_scaled_per_index || plan.scale_loop != d; };
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

/// Bytes of the tile of an interleaved or deinterleaved short axis.
Index channels_bytes(const CopyPlan& plan, SequentialStores stores) {
  const CopyLoop& run = plan.loops[plan.source_loop];
  if (plan.conversion != CopyConversion::none) return buffered_channels_bytes;
  if (stores == SequentialStores::ordinary)
    return run.extent > max_followed_channels ? many_channels_bytes : direct_channels_bytes;
  if (plan.kernel == CopyKernel::interleave) return interleaved_channels_bytes;
  return has_uniform_line_offset(plan) ? direct_channels_bytes : unaligned_channels_bytes;
}

/// Whether destination columns of two lines follow each other without a gap, and source rows are long and far
/// apart. Such columns are transposed straight to memory, as those of a wider matrix: .76 → .85 of a plain
/// copy through a buffer (64 channels of float16 to channels last), .98 → 1.02 (32 channels of floats).
bool has_line_pairs(const CopyPlan& plan, Index bytes) {
  const CopyLoop& run = plan.loops[plan.source_loop];
  const CopyLoop& inner = plan.loops[plan.loops.size() - 1];
  return plan.kernel == CopyKernel::tile && plan.conversion == CopyConversion::none &&
         plan.strip_loop + 1 == plan.loops.size() && inner.extent * bytes == tile_dst_bytes &&
         run.dst_stride == inner.extent * plan.item_elements && run.extent * bytes >= tile_src_bytes &&
         row_pitch_bytes(plan, bytes) >= tile_src_bytes;
}

}  // namespace

bool has_uniform_line_offset(const CopyPlan& plan) {
  const auto dst_bytes = static_cast<Index>(item_size(plan.dst_type));
  return std::all_of(plan.loops.begin(), plan.loops.end() - 1,
                     [=](const CopyLoop& loop) { return loop.dst_stride * dst_bytes % line_bytes == 0; });
}

void choose_tile(CopyPlan& plan, Index bytes, SequentialStores stores) {
  const Index extent = choose_run(plan);
  const CopyLoop& run = plan.loops[plan.source_loop];
  const auto dst_bytes = static_cast<Index>(item_size(plan.dst_type)) * plan.item_elements;
  const Index widest = std::max(bytes, dst_bytes);
  const Index line = std::max<Index>(line_bytes / std::min(bytes, dst_bytes), 1);
  plan.tile_dst = std::max(std::max<Index>(tile_dst_bytes / bytes, 1), line);
  if (stores == SequentialStores::streaming && plan.kernel == CopyKernel::tile &&
      plan.conversion != CopyConversion::none)
    plan.tile_dst = std::max(plan.tile_dst, std::min(max_converted_rows, tile_dst_bytes / dst_bytes));
  plan.tile_src = std::max<Index>(tile_src_bytes / bytes, 1);
  plan.block_src = std::max<Index>(block_bytes / (plan.tile_dst * widest), 1);
  const Index channels_size = channels_bytes(plan, stores);
  if (plan.kernel == CopyKernel::deinterleave ||
      (plan.kernel == CopyKernel::tile && run.extent < plan.block_src)) {
    plan.tile_src = run.extent;
    plan.block_src = run.extent;
    const Index size = plan.kernel == CopyKernel::tile ? block_bytes : channels_size;
    // Separate rows are separate memory streams, and more than 32 streams at a time are slower.
    const bool is_one_stream =
        plan.kernel != CopyKernel::tile ||
        plan.loops[plan.loops.size() - 1].src_stride == run.extent * plan.item_elements;
    const Index max_items = size / (run.extent * widest);
    const Index piece = line * (channel_piece_bytes / line_bytes);
    const Index unit = plan.kernel == CopyKernel::deinterleave && max_items >= piece ? piece : line;
    if (is_one_stream) plan.tile_dst = std::max(plan.tile_dst, max_items / unit * unit);
  } else if (stores == SequentialStores::streaming && has_line_pairs(plan, bytes)) {
    plan.tile_src = long_panel_bytes / bytes;
  } else if (plan.kernel == CopyKernel::interleave ||
             (extent <= plan.tile_dst && run.dst_stride == extent * plan.item_elements)) {
    const Index side = std::max<Index>(tile_dst_bytes / bytes, 1);
    const Index narrow_size =
        stores == SequentialStores::streaming ? narrow_tile_streaming_bytes : narrow_tile_bytes;
    const Index size = plan.kernel == CopyKernel::tile ? narrow_size : channels_size;
    plan.tile_dst = extent;
    plan.tile_src = std::max(side, size / (extent * bytes) / side * side);
  }
  if (plan.strip_loop + 1 < plan.loops.size())
    plan.tile_dst = std::min(plan.tile_dst, max_indexed_rows / line * line);
  plan.tile_src = std::min(plan.tile_src, run.extent);
  plan.block_src = std::min(plan.block_src, plan.tile_src);
  order_outer_loops(plan);
  place_strips(plan);
}

}  // namespace tenstride::detail
