// SPDX-License-Identifier: Apache-2.0
#include "plan/ways/tile_shape.hpp"

#include <algorithm>
#include <cstdlib>

#include "plan/limits.hpp"

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
/// access.cpp).
constexpr Index many_channels_bytes = 131072;
/// Deinterleaving kernels write pieces of 256 bytes, and a tail of one line costs as much as a piece: .80
/// with tiles of 1344 bytes → .94 of a plain copy with 1280 (48 channels of floats).
constexpr Index channel_piece_bytes = 256;

/// Extends the destination run by the loops that follow it in the destination, while it is shorter than two
/// lines or not a multiple of a line, so that whole lines are written. The loop that scale and shift run
/// along is never part of it. Returns the number of items of the run.
Index choose_run(Tiles& tiles) {
  const Nest& nest = tiles.nest;
  std::size_t at = nest.size() - 1;
  Index extent = nest[at].extent;
  if (tiles.kernel == TileKernel::transpose && at != nest.scaled_loop) {
    while (at > 0 && at - 1 != tiles.source_loop && at - 1 != nest.scaled_loop &&
           nest[at - 1].dst_stride == extent * nest.dst_item &&
           (extent * nest.dst_item < tile_dst_bytes || extent * nest.dst_item % line_bytes != 0)) {
      extent *= nest[--at].extent;
    }
  }
  tiles.strip_loop = at;
  return extent;
}

/// Bytes of the tile of an interleaved or deinterleaved short axis.
Index channels_bytes(const Tiles& tiles, SequentialStores stores) {
  if (tiles.converts) return buffered_channels_bytes;
  if (stores == SequentialStores::ordinary) {
    return tiles.nest[tiles.source_loop].extent > max_followed_channels ? many_channels_bytes
                                                                        : direct_channels_bytes;
  }
  if (tiles.kernel == TileKernel::interleave) return interleaved_channels_bytes;
  return has_uniform_line_offset(tiles.nest) ? direct_channels_bytes : unaligned_channels_bytes;
}

/// Whether destination columns of two lines follow each other without a gap, and source rows are long and far
/// apart. Such columns are transposed straight to memory, as those of a wider matrix: .76 → .85 of a plain
/// copy through a buffer (64 channels of float16 to channels last), .98 → 1.02 (32 channels of floats).
bool has_line_pairs(const Tiles& tiles) {
  const Nest& nest = tiles.nest;
  const Loop& run = nest[tiles.source_loop];
  const Loop& inner = nest.inner();
  return tiles.kernel == TileKernel::transpose && !tiles.converts && tiles.strip_loop + 1 == nest.size() &&
         inner.extent * nest.src_item == tile_dst_bytes && run.dst_stride == inner.extent * nest.dst_item &&
         run.extent * nest.src_item >= tile_src_bytes && std::abs(inner.src_stride) >= tile_src_bytes;
}

/// The shape of tiles of a matrix that is long on both sides.
void shape_large(Tiles& tiles, SequentialStores stores) {
  const Index src_item = tiles.nest.src_item;
  const Index dst_item = tiles.nest.dst_item;
  const Index line = std::max<Index>(line_bytes / std::min(src_item, dst_item), 1);
  tiles.tile_dst = std::max(std::max<Index>(tile_dst_bytes / src_item, 1), line);
  if (stores == SequentialStores::streaming && tiles.kernel == TileKernel::transpose && tiles.converts)
    tiles.tile_dst = std::max(tiles.tile_dst, std::min(max_converted_rows, tile_dst_bytes / dst_item));
  tiles.tile_src = std::max<Index>(tile_src_bytes / src_item, 1);
  tiles.block_src = std::max<Index>(block_bytes / (tiles.tile_dst * std::max(src_item, dst_item)), 1);
}

/// The shape of tiles that have whole source runs.
void shape_short_rows(Tiles& tiles, SequentialStores stores) {
  const Nest& nest = tiles.nest;
  const Loop& run = nest[tiles.source_loop];
  const bool is_transpose = tiles.kernel == TileKernel::transpose;
  tiles.tile_src = tiles.block_src = run.extent;
  // Separate rows are separate memory streams, and more than 32 streams at a time are slower.
  if (is_transpose && nest.inner().src_stride != run.extent * nest.src_item) return;
  const Index line = std::max<Index>(line_bytes / std::min(nest.src_item, nest.dst_item), 1);
  const Index size = is_transpose ? block_bytes : channels_bytes(tiles, stores);
  const Index max_items = size / (run.extent * std::max(nest.src_item, nest.dst_item));
  const Index piece = line * (channel_piece_bytes / line_bytes);
  const Index unit = !is_transpose && max_items >= piece ? piece : line;
  tiles.tile_dst = std::max(tiles.tile_dst, max_items / unit * unit);
}

/// The shape of tiles that have whole destination runs of `extent` items.
void shape_short_columns(Tiles& tiles, Index extent, SequentialStores stores) {
  const Index item = tiles.nest.src_item;
  const Index side = std::max<Index>(tile_dst_bytes / item, 1);
  const Index narrow_size =
      stores == SequentialStores::streaming ? narrow_tile_streaming_bytes : narrow_tile_bytes;
  const Index size = tiles.kernel == TileKernel::transpose ? narrow_size : channels_bytes(tiles, stores);
  tiles.tile_dst = extent;
  tiles.tile_src = std::max(side, size / (extent * item) / side * side);
}

/// Makes tiles of short rows or columns, which are long along the other side, so small that threads share
/// them evenly. `extent`: the items of the destination run; `least`: those of a tile of long rows.
void limit_items(Tiles& tiles, Index extent, Index line, Index least) {
  const Nest& nest = tiles.nest;
  const Index columns = nest[tiles.source_loop].extent;
  const auto limit = [&](Index& side, Index other, Index unit) {
    side = std::min(side, std::max(tiles.max_items / other / unit, Index{1}) * unit);
  };
  if (tiles.kernel == TileKernel::deinterleave) {
    const Index piece = line * (channel_piece_bytes / line_bytes);
    limit(tiles.tile_dst, columns, tiles.max_items >= piece * columns ? piece : line);
  } else if (tiles.tile_dst >= extent) {
    const Index longer = line_bytes / std::max(nest.src_item, nest.dst_item);
    limit(tiles.tile_src, extent, tiles.kernel == TileKernel::interleave ? line : longer);
  } else if (tiles.tile_dst > least) {
    limit(tiles.tile_dst, columns, line);
    tiles.tile_dst = std::max(tiles.tile_dst, least);
  }
}

TileKernel kernel_of(AccessKind kind) {
  if (kind == AccessKind::interleave) return TileKernel::interleave;
  return kind == AccessKind::deinterleave ? TileKernel::deinterleave : TileKernel::transpose;
}

}  // namespace

void shape_tiles(Tiles& tiles, const Problem& problem) {
  tiles.nest = problem.nest;
  tiles.kernel = kernel_of(problem.access.kind);
  tiles.stores = problem.stores;
  tiles.converts = !problem.conversion.is_none();
  tiles.source_loop = problem.access.source_loop;
  Nest& nest = tiles.nest;
  if (Loop& run = nest.loops[tiles.source_loop]; run.src_stride < 0) {
    reverse(nest, run);
    tiles.reverses_numbers = nest.scaled_loop == tiles.source_loop;
  }
  const SequentialStores stores = sequential_stores(problem.bytes, problem.options);
  const Index extent = choose_run(tiles);
  const Loop run = nest[tiles.source_loop];
  shape_large(tiles, stores);
  const Index least = tiles.tile_dst;
  if (tiles.kernel == TileKernel::deinterleave ||
      (tiles.kernel == TileKernel::transpose && run.extent < tiles.block_src)) {
    shape_short_rows(tiles, stores);
  } else if (stores == SequentialStores::streaming && has_line_pairs(tiles)) {
    tiles.tile_src = long_panel_bytes / nest.src_item;
  } else if (tiles.kernel == TileKernel::interleave ||
             (extent <= tiles.tile_dst && run.dst_stride == extent * nest.dst_item)) {
    shape_short_columns(tiles, extent, stores);
  }
  const Index line = std::max<Index>(line_bytes / std::min(nest.src_item, nest.dst_item), 1);
  if (tiles.strip_loop + 1 < nest.size())
    tiles.tile_dst = std::min(tiles.tile_dst, max_indexed_rows / line * line);
  tiles.max_items = problem.max_unit_items();
  limit_items(tiles, extent, line, least);
  tiles.tile_src = std::min(tiles.tile_src, run.extent);
  tiles.block_src = std::min(tiles.block_src, tiles.tile_src);
  order_loops(tiles);
}

}  // namespace tenstride::detail
