// SPDX-License-Identifier: Apache-2.0
#include "plan/access.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>

#include "plan/limits.hpp"
#include "plan/nest.hpp"

namespace tenstride::detail {
namespace {

/// One item repeated over at least this many bytes is filled run by run. Shorter repetitions whose neighbours
/// are contiguous in the source are transposed as a tile, which writes whole lines.
constexpr Index min_fill_bytes = 128;
/// Up to 64 channels are deinterleaved, 16 at a time in runs of 2 KiB, while the next tile is prefetched into
/// the L2 cache: .83 → .91 of a plain copy against runs of 1 KiB, .68 as streaming tiles (64 channels of
/// float32).
constexpr Index max_deinterleaved_channels = 64;
constexpr Index min_channel_bytes = 1024;

/// The loop, other than the innermost, along which the source is contiguous; `no_loop` where there is none.
std::size_t find_source_run(const Nest& nest) {
  for (std::size_t d = 0; d + 1 < nest.size(); ++d) {
    if (std::abs(nest[d].src_stride) == nest.src_item) return d;
  }
  return no_loop;
}

bool is_channel_count(Index extent, Index max_count) {
  return extent >= 2 && extent <= max_count;
}

AccessKind kind_of_transpose(const Nest& nest, const Conversion& conversion, const Loop& run, Index bytes,
                             const PlanOptions& options) {
  const Loop& inner = nest.inner();
  const bool has_long_channels =
      bytes >= options.streaming_above &&
      (sequential_stores(bytes, options) == SequentialStores::ordinary || has_uniform_line_offset(nest)) &&
      conversion.is_none() && inner.extent * nest.src_item >= min_channel_bytes;
  const bool can_interleave = is_channel_count(inner.extent, max_followed_channels) && run.src_stride > 0 &&
                              run.dst_stride == inner.extent * nest.dst_item;
  const bool can_deinterleave =
      is_channel_count(run.extent, has_long_channels ? max_deinterleaved_channels : max_followed_channels) &&
      inner.src_stride == run.extent * nest.src_item;
  // Where both axes are short: two to four channels have deinterleaving kernels of their own; otherwise the
  // shorter axis is taken as the channels.
  if (can_deinterleave && (run.extent <= 4 || !can_interleave || run.extent <= inner.extent))
    return AccessKind::deinterleave;
  return can_interleave ? AccessKind::interleave : AccessKind::transpose;
}

/// Whether the nest has so many loops that its tiles are small. Such tiles are transposed through tables
/// while both sides are in the L2 cache, up to 1.5 MiB on processors whose sequential stores stream and whose
/// L2 cache is larger: 16x16x32x32 and 24x24x24x24 float32 reversed 115 → 68 and 203 → 118 us, while 512x512
/// is faster by streaming stores (58 us against 66).
bool has_small_tiles(const Nest& nest) {
  return nest.size() >= 4;
}

/// Whether the lines of one vector's rows, which lie `pitch` bytes apart, fit the L1 cache together: it has
/// at least 64 sets of 8 lines, and lines a multiple of 4096 bytes apart share a set.
bool fit_in_sets(Index item, Index pitch) {
  constexpr Index way_bytes = 4096;
  return line_bytes / item <= 8 * (way_bytes / std::gcd(pitch, way_bytes));
}

/// Whether a tile may be transposed within the caches: rows and columns hold a vector of 16 bytes each, and
/// their lines fit the L1 cache.
bool is_cacheable_tile(const Nest& nest, const Loop& run) {
  constexpr Index min_side = 16;
  return std::min(nest.inner().extent, run.extent) * nest.src_item >= min_side &&
         fit_in_sets(nest.src_item, nest.inner().src_stride) && fit_in_sets(nest.src_item, run.dst_stride);
}

/// The smallest destination that tiles write by streaming stores. The lines of a tile lie far apart, so
/// ordinary stores would fetch each line first, and that costs more than the copy once the L2 cache does not
/// hold them (512x512 float32: .30 → .55 of a plain copy by streaming stores).
Index min_streaming_tile_bytes(const Nest& nest, const PlanOptions& options) {
  const Index threshold = options.streaming_above;
  if (nest.src_item < 4) return threshold;
  return has_small_tiles(nest) && options.machine.stores == SequentialStores::streaming ? threshold * 3 / 8
                                                                                        : threshold / 4;
}

/// The smallest destination that is written by streaming stores.
Index min_streaming_bytes(const Nest& nest, const Conversion& conversion, const Access& access,
                          const PlanOptions& options) {
  switch (access.kind) {
    case AccessKind::transpose:
      if (!conversion.is_none()) return options.streaming_above;
      return std::max(
          min_streaming_tile_bytes(nest, options),
          options.machine.streams == MemoryStreams::one && is_cacheable_tile(nest, nest[access.source_loop])
              ? max_cached_tile_bytes(options.machine)
              : 0);
    case AccessKind::gather:
      return conversion.is_none() ? options.streaming_above : options.sequential_streaming_above();
    case AccessKind::strided:
      return std::numeric_limits<Index>::max();
    default:
      return options.sequential_streaming_above();
  }
}

/// Whether the destination is written sequentially and has at least as many bytes as are read. Untouched
/// memory is then filled by ordinary stores: the system has just cleared each page, so its lines are in the
/// cache. Conversions to shorter types keep streaming stores, as they read more than they write. Ordinary →
/// streaming stores: .47 → .58 of a plain copy (float32 to int8).
bool is_written_sequentially(const Nest& nest, const Access& access) {
  return access.kind == AccessKind::fill ||
         (access.kind == AccessKind::contiguous && nest.dst_item >= nest.src_item);
}

}  // namespace

bool have_line_strides(std::span<const Loop> loops) {
  return std::all_of(loops.begin(), loops.end(),
                     [](const Loop& loop) { return loop.dst_stride % line_bytes == 0; });
}

SequentialStores sequential_stores(Index bytes, const PlanOptions& options) {
  return bytes >= options.sequential_streaming_above() ? SequentialStores::streaming
                                                       : SequentialStores::ordinary;
}

Access access_of(const Nest& nest, const Conversion& conversion, Index bytes, const PlanOptions& options) {
  const Loop& inner = nest.inner();
  if (inner.dst_stride != nest.dst_item) return {};
  if (inner.src_stride == nest.src_item)
    return {nest.size() == 1 ? AccessKind::contiguous : AccessKind::rows};
  const std::size_t run = find_source_run(nest);
  // Short repetitions of contiguous items are a tile whose rows all lie at one address.
  if (inner.src_stride == 0 && (run == no_loop || inner.extent * nest.src_item >= min_fill_bytes))
    return {AccessKind::fill};
  if (run == no_loop) return {AccessKind::gather};
  return {kind_of_transpose(nest, conversion, nest[run], bytes, options), run};
}

bool streams(const Nest& nest, const Conversion& conversion, const Access& access, Index bytes,
             const PlanOptions& options) {
  return bytes >= min_streaming_bytes(nest, conversion, access, options) &&
         !(options.placement.is_untouched && is_written_sequentially(nest, access));
}

}  // namespace tenstride::detail
