// SPDX-License-Identifier: Apache-2.0
#include "plan/streaming.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>

#include "plan/loop_order.hpp"

namespace tenstride::detail {
namespace {

/// Whether the plan has so many loops that its tiles are small. Such tiles are transposed through tables
/// while both sides are in the L2 cache, up to 1.5 MiB on processors whose sequential stores stream and whose
/// L2 cache is larger: 16x16x32x32 and 24x24x24x24 float32 reversed 115 → 68 and 203 → 118 us, while 512x512
/// is faster by streaming stores (58 us against 66).
bool has_small_tiles(const CopyPlan& plan) {
  return plan.loops.size() >= 4;
}

/// Whether the lines of one vector's rows, which lie `pitch` bytes apart, fit the L1 cache together: it has
/// at least 64 sets of 8 lines, and lines a multiple of 4096 bytes apart share a set.
bool fit_in_sets(Index item, Index pitch) {
  constexpr Index way_bytes = 4096;
  return line_bytes / item <= 8 * (way_bytes / std::gcd(pitch, way_bytes));
}

/// Whether a tile may be transposed within the caches: rows and columns hold a vector of 16 bytes each, and
/// their lines fit the L1 cache.
bool is_cacheable_tile(const CopyPlan& plan, Index item) {
  constexpr Index min_side = 16;
  const CopyLoop& inner = plan.loops[plan.loops.size() - 1];
  const CopyLoop& run = plan.loops[plan.source_loop];
  const Index column_pitch = std::abs(run.dst_stride) / plan.item_elements * item;
  return std::min(inner.extent, run.extent) * item >= min_side &&
         fit_in_sets(item, row_pitch_bytes(plan, item)) && fit_in_sets(item, column_pitch);
}

/// The smallest destination that tiles write by streaming stores. The lines of a tile lie far apart, so
/// ordinary stores would fetch each line first, and that costs more than the copy once the L2 cache does not
/// hold them (512x512 float32: .30 → .55 of a plain copy by streaming stores).
Index min_streaming_tile_bytes(const CopyPlan& plan, Index item, const PlanOptions& options) {
  const Index threshold = options.streaming_above;
  if (item < 4) return threshold;
  return has_small_tiles(plan) && options.machine.stores == SequentialStores::streaming ? threshold * 3 / 8
                                                                                        : threshold / 4;
}

}  // namespace

Index min_streaming_bytes(const CopyPlan& plan, Index item_bytes, const PlanOptions& options) {
  const Index threshold = options.streaming_above;
  const Index sequential_threshold = options.sequential_streaming_above();
  const bool converts = plan.conversion != CopyConversion::none;
  switch (plan.kernel) {
    case CopyKernel::tile:
      if (converts) return threshold;
      return std::max(
          min_streaming_tile_bytes(plan, item_bytes * plan.item_elements, options),
          plan.streams == MemoryStreams::one && is_cacheable_tile(plan, item_bytes * plan.item_elements)
              ? max_cached_tile_bytes(options.machine)
              : 0);
    case CopyKernel::rows:
      return sequential_threshold;
    case CopyKernel::gather:
      return converts ? sequential_threshold : threshold;
    case CopyKernel::nothing:
    case CopyKernel::strided:
      return std::numeric_limits<Index>::max();
    default:
      return sequential_threshold;
  }
}

bool is_written_sequentially(const CopyPlan& plan) {
  return plan.kernel == CopyKernel::fill ||
         (plan.kernel == CopyKernel::memcpy && item_size(plan.dst_type) >= item_size(plan.src_type));
}

}  // namespace tenstride::detail
