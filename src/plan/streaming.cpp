// SPDX-License-Identifier: Apache-2.0
#include "plan/streaming.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>

#include "plan/loop_order.hpp"

namespace tenstride::detail {
namespace {

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
  constexpr Index min_side = 16;
  const CopyLoop& inner = plan.loops[plan.loops.size() - 1];
  const CopyLoop& run = plan.loops[plan.source_loop];
  const Index column_pitch = std::abs(run.dst_stride) / plan.item_elements * item;
  return std::min(inner.extent, run.extent) * item >= min_side &&
         fit_in_sets(item, bytes_apart(plan, item)) && fit_in_sets(item, column_pitch);
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

}  // namespace

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
              ? max_cached_tiles
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

bool is_written_in_order(const CopyPlan& plan) {
  return plan.kernel == CopyKernel::fill ||
         (plan.kernel == CopyKernel::memcpy && item_size(plan.dst_type) >= item_size(plan.src_type));
}

}  // namespace tenstride::detail
