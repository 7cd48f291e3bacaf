// SPDX-License-Identifier: Apache-2.0
#include "tenstride/copy_plan.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>

#include "copy_plan_order.hpp"
#include "plan/candidates.hpp"

namespace tenstride {
namespace {

using detail::line_bytes;
using detail::most_cached_tiles;

constexpr std::size_t no_loop = max_rank;
/// Below so many destination bytes the start of a thread costs more than it gives.
constexpr Index serial_below = Index{512} << 10;
constexpr Index largest_item = 16;
/// Two cache lines are written at once; rows are read in runs of a page.
constexpr Index tile_dst_bytes = 128;
constexpr Index tile_src_bytes = 4096;
/// What is narrowed while it is turned: two lines of the destination, by up to so many rows of the source.
constexpr Index most_narrowed_rows = 64;
/// Rows of a tile of several loops: their addresses are listed, with those of 63 bytes before.
constexpr Index most_listed = 512 - 64;
/// Repetitions of one item from so many bytes on are filled one after another; shorter ones are a tile's.
constexpr Index shortest_fill = 128;
/// What is turned together: a fourth of the L1 cache, for two of them and the lines of both sides.
constexpr Index block_bytes = 8192;
/// A tile of short destination runs: 4 KiB of items; past the cache twice as many, so that the runs of the
/// source are four lines where those of the destination are two (32 x 112 floats .75 to .86 of a plain copy).
constexpr Index narrow_tile_bytes = 4096;
constexpr Index narrow_tile_past_cache_bytes = 8192;
/// A tile of few channels: half of the L1 cache, so that each channel is converted in long runs; without a
/// conversion it passes no buffer, and a longer one is a call less (2 floats .97 of a plain copy by 16 KiB,
/// .995 by 64).
constexpr Index buffered_channels_bytes = 16384;
constexpr Index direct_channels_bytes = 65536;
/// Channels that are woven past the cache: what lies before the first whole line of a tile and behind the
/// last one goes there by itself (225 x 225 bytes .75 to .80 of a plain copy, by 64 KiB .70 to .76). Taken
/// apart, longer tiles gain nothing.
constexpr Index woven_channels_bytes = 262144;
/// Channels whose runs begin anywhere in a line, taken apart to a buffer and from there past the cache: two
/// of these leave room in the L1 cache (three planes of floats, 225 square .68-.71 of a plain copy, by 16 KiB
/// .65, by 32 KiB .63).
constexpr Index shifted_channels_bytes = 8192;
/// So many channels are taken apart 16 at a time, each in runs of 2 KiB, while the tile after is read into
/// the L2 cache: 64 floats .91 of a plain copy (.83 by runs of 1 KiB), .68 turned block by block and written
/// past the cache.
constexpr Index many_channels = 64;
constexpr Index many_channels_bytes = 131072;
constexpr Index least_channel_bytes = 1024;
/// Channels are taken apart in whole pieces of the leaves for whole lines; a rest of one line costs as much
/// (48 floats .80 of a plain copy by 1344 bytes, .94 by 1280).
constexpr Index channel_piece_bytes = 256;

/// How what is written in order goes to memory.
enum class InOrder : std::uint8_t { through_cache, past_cache };

/// Turns the loop round so that it runs the other way on both sides.
void reverse(CopyLoop& loop, CopyPlan& plan) {
  plan.dst_offset += (loop.extent - 1) * loop.dst_stride;
  plan.src_offset += (loop.extent - 1) * loop.src_stride;
  loop.dst_stride = -loop.dst_stride;
  loop.src_stride = -loop.src_stride;
}

bool are_one_loop(const CopyLoop& outer, const CopyLoop& inner) {
  return try_multiply(inner.dst_stride, inner.extent) == outer.dst_stride &&
         try_multiply(inner.src_stride, inner.extent) == outer.src_stride;
}

/// The loops without extents of 1, outer to inner by destination stride. False where there is no element.
bool collect_loops(const Layout& dst, const Layout& src, std::size_t scale_axis, CopyPlan& plan) {
  plan.scale_loop = no_loop;
  for (std::size_t d = 0; d < dst.rank(); ++d) {
    const Index extent = dst.shape[d];
    if (extent == 0) return false;
    if (extent == 1) continue;
    plan.count *= extent;
    CopyLoop loop{extent, dst.strides[d], src.strides[d]};
    if (loop.dst_stride < 0) {
      reverse(loop, plan);
      if (d == scale_axis) {
        std::reverse(plan.scale.begin(), plan.scale.end());
        std::reverse(plan.shift.begin(), plan.shift.end());
      }
    }
    std::size_t at = plan.loops.size();
    plan.loops.push_back(loop);
    CopyLoop* loops = plan.loops.data();
    for (; at > 0 && loops[at - 1].dst_stride < loop.dst_stride; --at) loops[at] = loops[at - 1];
    loops[at] = loop;
    if (d == scale_axis) {
      plan.scale_loop = at;
    } else if (plan.scale_loop != no_loop && plan.scale_loop >= at) {
      ++plan.scale_loop;
    }
  }
  return true;
}

/// Merges neighbours that are one loop on both sides. What is inside of the loop that scale and shift run
/// along stays apart; what is around it repeats the numbers.
void merge_loops(CopyPlan& plan) {
  CopyLoop* loops = plan.loops.data();
  std::size_t kept = 0;
  std::size_t scale_loop = no_loop;
  for (std::size_t d = 0; d < plan.loops.size(); ++d) {
    if (kept > 0 && kept - 1 != scale_loop && are_one_loop(loops[kept - 1], loops[d])) {
      const Index extent = loops[kept - 1].extent;
      loops[kept - 1] = loops[d];
      loops[kept - 1].extent *= extent;
    } else {
      loops[kept++] = loops[d];
    }
    if (d == plan.scale_loop) scale_loop = kept - 1;
  }
  plan.loops.shrink(kept);
  plan.scale_loop = scale_loop == no_loop ? 0 : scale_loop;
}

/// Lets a dense inner run of 2, 4, 8 or 16 bytes move as one item.
void widen_items(CopyPlan& plan, Index item_bytes) {
  if (plan.loops.size() < 2 || plan.conversion != CopyConversion::none) return;
  const CopyLoop& inner = plan.loops[plan.loops.size() - 1];
  if (inner.dst_stride != 1 || inner.src_stride != 1 || inner.extent > largest_item) return;
  const Index bytes = inner.extent * item_bytes;
  if (bytes > largest_item || (bytes & (bytes - 1)) != 0) return;
  plan.item_elements = inner.extent;
  plan.loops.shrink(plan.loops.size() - 1);
}

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

/// Takes more loops into the destination run while it is short or ends within a line, so that whole lines are
/// written. Only plain loops: none that scale and shift run along. The extent of the run.
Index choose_run(CopyPlan& plan) {
  const auto dst_item = static_cast<Index>(item_size(plan.dst_type)) * plan.item_elements;
  std::size_t at = plan.loops.size() - 1;
  Index extent = plan.loops[at].extent;
  const bool per_index = plan.scale.size() > 1 || plan.shift.size() > 1;
  const auto is_plain = [&](std::size_t d) { return !per_index || plan.scale_loop != d; };
  if (plan.kernel == CopyKernel::tile && is_plain(at)) {
    while (at > 0 && at - 1 != plan.turned_loop && is_plain(at - 1) &&
           plan.loops[at - 1].dst_stride == extent * plan.item_elements &&
           (extent * dst_item < tile_dst_bytes || extent * dst_item % line_bytes != 0)) {
      extent *= plan.loops[--at].extent;
    }
  }
  plan.strip_loop = at;
  return extent;
}

/// Whether every run of the destination has the same place within a line: then whole lines of each go
/// straight past the cache, and the rest through it.
bool keeps_lines(const CopyPlan& plan) {
  const auto dst_bytes = static_cast<Index>(item_size(plan.dst_type));
  return std::all_of(plan.loops.begin(), plan.loops.end() - 1,
                     [=](const CopyLoop& loop) { return loop.dst_stride * dst_bytes % line_bytes == 0; });
}

/// How much of a short axis a tile takes.
Index channels_bytes(const CopyPlan& plan, InOrder order) {
  const CopyLoop& run = plan.loops[plan.turned_loop];
  if (plan.conversion != CopyConversion::none) return buffered_channels_bytes;
  if (order == InOrder::through_cache)
    return run.extent > detail::few_channels ? many_channels_bytes : direct_channels_bytes;
  if (plan.kernel == CopyKernel::interleave) return woven_channels_bytes;
  return keeps_lines(plan) ? direct_channels_bytes : shifted_channels_bytes;
}

/// Whether columns of two lines stand one behind the other, and rows are long and far apart: then they are
/// turned as a wider matrix is, not through a buffer (64 channels of half floats to channels last .76 and .85
/// of a plain copy, 32 of floats .98 and 1.02).
bool has_line_pairs(const CopyPlan& plan, Index bytes) {
  const CopyLoop& run = plan.loops[plan.turned_loop];
  const CopyLoop& inner = plan.loops[plan.loops.size() - 1];
  return plan.kernel == CopyKernel::tile && plan.conversion == CopyConversion::none &&
         plan.strip_loop + 1 == plan.loops.size() && inner.extent * bytes == tile_dst_bytes &&
         run.dst_stride == inner.extent * plan.item_elements && run.extent * bytes >= tile_src_bytes &&
         detail::bytes_apart(plan, bytes) >= tile_src_bytes;
}

/// A tile is whole lines wide in the destination and a page long in the source; where the matrix is narrower
/// than the tile on one side the tile grows along the other.
void choose_tile(CopyPlan& plan, Index bytes, InOrder order) {
  const Index extent = choose_run(plan);
  const CopyLoop& run = plan.loops[plan.turned_loop];
  const auto dst_bytes = static_cast<Index>(item_size(plan.dst_type)) * plan.item_elements;
  const Index widest = std::max(bytes, dst_bytes);
  const Index line = std::max<Index>(line_bytes / std::min(bytes, dst_bytes), 1);
  plan.tile_dst = std::max(std::max<Index>(tile_dst_bytes / bytes, 1), line);
  if (order == InOrder::past_cache && plan.kernel == CopyKernel::tile &&
      plan.conversion != CopyConversion::none)
    plan.tile_dst = std::max(plan.tile_dst, std::min(most_narrowed_rows, tile_dst_bytes / dst_bytes));
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
  } else if (order == InOrder::past_cache && has_line_pairs(plan, bytes)) {
    plan.tile_src = detail::long_panel_bytes / bytes;
  } else if (plan.kernel == CopyKernel::interleave ||
             (extent <= plan.tile_dst && run.dst_stride == extent * plan.item_elements)) {
    const Index side = std::max<Index>(tile_dst_bytes / bytes, 1);
    const Index narrow_size = order == InOrder::past_cache ? narrow_tile_past_cache_bytes : narrow_tile_bytes;
    const Index size = plan.kernel == CopyKernel::tile ? narrow_size : channels_size;
    plan.tile_dst = extent;
    plan.tile_src = std::max(side, size / (extent * bytes) / side * side);
  }
  if (plan.strip_loop + 1 < plan.loops.size())
    plan.tile_dst = std::min(plan.tile_dst, most_listed / line * line);
  plan.tile_src = std::min(plan.tile_src, run.extent);
  plan.block_src = std::min(plan.block_src, plan.tile_src);
  detail::order_outer_loops(plan);
  detail::place_strips(plan);
}

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
  const std::size_t turned = find_source_run(plan);
  // Short repetitions of neighbours are a tile whose rows are one.
  if (inner.src_stride == 0 && (turned == no_loop || inner.extent * item * item_bytes >= shortest_fill)) {
    plan.kernel = CopyKernel::fill;
    return;
  }
  if (turned == no_loop) {
    plan.kernel = CopyKernel::gather;
    return;
  }
  plan.turned_loop = turned;
  CopyLoop& run = plan.loops[turned];
  if (run.src_stride < 0) {
    reverse(run, plan);
    if (plan.conversion == CopyConversion::scale && plan.scale_loop == turned) {
      std::reverse(plan.scale.begin(), plan.scale.end());
      std::reverse(plan.shift.begin(), plan.shift.end());
    }
  }
  plan.kernel = CopyKernel::tile;
  const Index bytes = item * item_bytes;
  const bool takes_many = may_stream && (order == InOrder::through_cache || keeps_lines(plan)) &&
                          plan.conversion == CopyConversion::none &&
                          inner.extent * bytes >= least_channel_bytes;
  const bool weaves =
      is_channel_count(inner.extent, detail::few_channels) && run.dst_stride == inner.extent * item;
  const bool takes_apart = is_channel_count(run.extent, takes_many ? many_channels : detail::few_channels) &&
                           inner.src_stride == run.extent * item;
  // Of two short axes up to four are taken apart by leaves of their own, else the shorter one is the
  // channels'.
  if (takes_apart && (run.extent <= 4 || !weaves || run.extent <= inner.extent)) {
    plan.kernel = CopyKernel::deinterleave;
  } else if (weaves) {
    plan.kernel = CopyKernel::interleave;
  }
  choose_tile(plan, bytes, order);
}

/// Whether tiles are small: these are turned through tables while both sides are in the L2 cache, up to 1.5
/// MiB on processors that write past it in order too and whose L2 cache holds more (16x16x32x32 and
/// 24x24x24x24 float32 reversed 68 and 118 us in place of 115 and 203; 512x512 66 in place of 58).
bool has_short_axes(const CopyPlan& plan) {
  return plan.loops.size() >= 4;
}

/// Whether lines so many bytes apart, as many as a vector of items turns at a time, find room in the L1
/// cache: 64 sets of 8 ways at least.
bool fit_in_sets(Index item, Index apart) {
  constexpr Index way_bytes = 4096;
  return line_bytes / item <= 8 * (way_bytes / std::gcd(apart, way_bytes));
}

/// Whether a tile may be turned within the caches: both of its sides have vectors to turn, and room there.
bool is_cacheable_tile(const CopyPlan& plan, Index item) {
  constexpr Index least_side = 16;
  const CopyLoop& inner = plan.loops[plan.loops.size() - 1];
  const CopyLoop& run = plan.loops[plan.turned_loop];
  const Index column_pitch = std::abs(run.dst_stride) / plan.item_elements * item;
  return std::min(inner.extent, run.extent) * item >= least_side &&
         fit_in_sets(item, detail::bytes_apart(plan, item)) && fit_in_sets(item, column_pitch);
}

/// From so many bytes on results go past the cache, by streaming stores. A tile's lines are written far
/// apart: each would be fetched first, and that costs more than the copy as soon as the L2 cache does not
/// hold them (512x512 float32 .30 against .55 of a plain copy).
Index tiles_stream_above(const CopyPlan& plan, Index item, const PlanOptions& options) {
  const Index above = options.streaming_above;
  if (item < 4) return above;
  return has_short_axes(plan) && options.machine.stores == SequentialStores::streaming ? above * 3 / 8
                                                                                       : above / 4;
}

/// The same for any kernel.
Index streams_above(const CopyPlan& plan, Index item_bytes, const PlanOptions& options) {
  const Index above = options.streaming_above;
  const Index in_order = options.streaming_in_order_above();
  const bool converts = plan.conversion != CopyConversion::none;
  switch (plan.kernel) {
    case CopyKernel::tile:
      if (converts) return above;
      return std::max(
          tiles_stream_above(plan, item_bytes * plan.item_elements, options),
          plan.streams == MemoryStreams::one && is_cacheable_tile(plan, item_bytes * plan.item_elements)
              ? most_cached_tiles
              : 0);
    case CopyKernel::rows:
      return in_order;
    case CopyKernel::gather:
      return converts ? in_order : above;
    case CopyKernel::nothing:
    case CopyKernel::strided:
      return std::numeric_limits<Index>::max();
    default:
      return in_order;
  }
}

/// One negation between elements of one type, or none.
Negation least_negation(Negation negation, const CopyPlan& plan) {
  if (plan.conversion == CopyConversion::scale || plan.dst_type != plan.src_type) return negation;
  if (negation == Negation::both) return Negation::none;
  return negation == Negation::source ? Negation::destination : negation;
}

bool is_noop(const PlanOptions& options) {
  return options.scale.empty() && options.shift.empty();
}

}  // namespace

CopyPlan plan(const Layout& dst, DType dst_type, const Layout& src, DType src_type,
              const PlanOptions& options) {
  CopyPlan result;
  result.dst_type = dst_type;
  result.src_type = src_type;
  result.streams = options.machine.streams;
  result.dst_offset = dst.offset;
  result.src_offset = src.offset;
  result.count = 1;
  if (is_complex(src_type) && is_complex(dst_type)) result.conjugation = options.conjugation;
  if (!is_noop(options)) {
    result.conversion = CopyConversion::scale;
    result.scale.assign(options.scale.begin(), options.scale.end());
    result.shift.assign(options.shift.begin(), options.shift.end());
  }
  result.negation = least_negation(options.negation, result);
  const bool changes_sign = result.conjugation == Conjugation::conjugate || result.negation != Negation::none;
  if (is_noop(options) && (dst_type != src_type || changes_sign)) {
    result.conversion = CopyConversion::convert;
  }
  const bool per_index = result.scale.size() > 1 || result.shift.size() > 1;
  if (!collect_loops(dst, src, per_index ? options.axis : no_loop, result)) {
    result.count = 0;
    result.loops.shrink(0);
    result.scale_loop = 0;
    return result;
  }
  merge_loops(result);
  const auto item_bytes = static_cast<Index>(item_size(src_type));
  widen_items(result, item_bytes);
  if (result.loops.empty()) result.loops.push_back({1, 1, 1});
  const auto bytes = result.count * static_cast<Index>(item_size(dst_type));
  const InOrder order =
      bytes >= options.streaming_in_order_above() ? InOrder::past_cache : InOrder::through_cache;
  choose_kernel(result, item_bytes, bytes >= options.streaming_above, order);
  result.streaming = bytes >= streams_above(result, item_bytes, options);
  if (result.streaming && result.kernel == CopyKernel::tile)
    detail::join_source_loops(result, item_bytes * result.item_elements);
  const Index moved = std::max(bytes, result.count * item_bytes);
  result.threads = moved < serial_below ? 1 : options.max_threads;
  detail::choose_strategy(result, options);
  return result;
}

}  // namespace tenstride
