// SPDX-License-Identifier: Apache-2.0
#include "plan/ways/cached_tiles.hpp"

#include <cstdlib>

#include "plan/limits.hpp"
#include "plan/ways/tile_side.hpp"
#include "plan/ways/ways.hpp"

namespace tenstride::detail {
namespace {

/// The shortest rows and columns that are transposed.
constexpr Index min_transposed_bytes = 8;
/// Tiles with shorter rows or columns are gathered item by item if they have at most this many items. Larger
/// ones are interleaved or deinterleaved by the kernels of channels: 3.5 → 1.0 us (5 x 1000 floats).
constexpr Index max_gathered_tile = 1024;
/// Tiles of fewer items are gathered, too, where the copy has at least `min_gathered_items` items: one call
/// for hundreds of items in place of one for each tile. 3 x 3 floats, many times: a tenth of the time.
constexpr Index min_transposed_items = 64;
constexpr Index min_gathered_items = 512;
/// Matrices of 2 to 4 rows or columns are interleaved or deinterleaved within these bounds: the number of
/// rows or columns, the bytes of each, the items and the bytes of the matrix. Larger matrices are left to the
/// ways that use workers.
constexpr Index max_cached_channels = 4;
constexpr Index min_channel_bytes = 16;
constexpr Index min_channel_items = 8;
constexpr Index max_channel_bytes = Index{32} << 10;
/// Smaller matrices are transposed several at a time where a tile takes in more of the loops. For 3 x 3
/// complex128 one call for each matrix took ten times as long.
constexpr Index min_lone_matrix_bytes = 256;
/// The smallest tile that the kernel for short items takes: rows, and bytes of a row.
constexpr Index min_short_rows = 4;
constexpr Index min_short_bytes = 16;
/// Strided runs of at least this many items are left to the gather kernel.
constexpr Index min_strided_run = 64;

/// A tile whose rows are contiguous in the source and whose columns are contiguous in the destination.
class Tile {
 public:
  Tile(const Nest& nest, std::size_t dense)
      : nest_(nest),
        rows_(nest.inner().extent, nest.dst_item, nest.inner().src_stride),
        columns_(nest[dense].extent, nest.dst_item, nest[dense].dst_stride) {
    way_.method = CacheMethod::tiles;
    way_.dense = dense;
    way_.rows.add(nest.size() - 1);
    way_.columns.add(dense);
    // The shorter side takes in the loop that follows it in memory.
    bool rows_grow = true;
    bool columns_grow = true;
    while (rows_grow || columns_grow) {
      const bool takes_row = rows_grow && (!columns_grow || rows_.items() <= columns_.items());
      if (takes_row) {
        rows_grow = grow(rows_, way_.rows, &Loop::dst_stride, &Loop::src_stride);
      } else {
        columns_grow = grow(columns_, way_.columns, &Loop::src_stride, &Loop::dst_stride);
      }
    }
  }

  /// Whether rows and columns are long enough to be transposed.
  [[nodiscard]] bool is_wide() const {
    return std::min(rows_.items(), columns_.items()) * nest_.dst_item >= min_transposed_bytes;
  }
  [[nodiscard]] Index items() const { return rows_.items() * columns_.items(); }
  [[nodiscard]] const CachedTiles& way() const { return way_; }

 private:
  /// Takes in the loop that continues the side in the memory of `dense`. Returns false where there is none.
  bool grow(TileSide& side, LoopList& taken, Stride dense, Stride other) {
    for (std::size_t d = 0; d + 1 < nest_.size(); ++d) {
      const Loop& loop = nest_[d];
      if (loop.*dense != side.items() * nest_.dst_item || !side.can_take(loop.extent) || way_.rows.has(d) ||
          way_.columns.has(d))
        continue;
      side.take(loop.extent, loop.*other);
      taken.add(d);
      return true;
    }
    return false;
  }

  const Nest& nest_;
  CachedTiles way_;
  TileSide rows_;
  TileSide columns_;
};

/// How the matrix of the innermost loop and loop `dense` is interleaved or deinterleaved; `items` where no
/// kernel does it.
CacheMethod method_of_channels(const Nest& nest, std::size_t dense) {
  const Index item = nest.dst_item;
  const Index rows = nest.inner().extent;
  const Index columns = nest[dense].extent;
  const auto is_shape = [item](Index channels, Index length) {
    return channels >= 2 && channels <= max_cached_channels && length * item >= min_channel_bytes &&
           channels * length >= min_channel_items;
  };
  if (is_shape(columns, rows) && nest.inner().src_stride == columns * item) return CacheMethod::deinterleaved;
  const bool is_interleaved = is_shape(rows, columns) && nest[dense].dst_stride == rows * item;
  return is_interleaved ? CacheMethod::interleaved : CacheMethod::items;
}

/// The loop along which pixels of 3, 5, 6 or 7 bytes, the items of the innermost loop, follow each other in
/// the source, forwards or backwards; `no_loop` where they are not transposed. Longer pixels are copied as
/// rows.
std::size_t dense_loop_of_pixels(const Nest& nest) {
  if (nest.size() < 3) return no_loop;
  const Index bytes = nest.inner().extent * nest.dst_item;
  const Loop& rows = nest[nest.size() - 2];
  if (bytes < 3 || bytes > 7 || bytes == 4 || rows.extent < min_short_rows || rows.dst_stride != bytes)
    return no_loop;
  for (std::size_t d = 0; d + 2 < nest.size(); ++d) {
    if (std::abs(nest[d].src_stride) == bytes && nest[d].extent * bytes >= min_short_bytes) return d;
  }
  return no_loop;
}

/// The largest copy by cached tiles: about what an L2 cache holds. Copies of 4 MB take 1.2 to 1.7 times as
/// long as by tiles on the Xeons, half as long on Zen 5.
Index max_cached_bytes(const Problem& problem) {
  const Machine& machine = problem.options.machine;
  return problem.access.kind == AccessKind::transpose && machine.streams == MemoryStreams::one
             ? max_cached_tile_bytes(machine)
             : Index{2} << 20;
}

}  // namespace

bool find_cached_tiles(const Nest& nest, CachedTiles& way) {
  const Loop& inner = nest.inner();
  const Index item = nest.dst_item;
  const std::size_t last = nest.size() - 1;
  way = {};
  if (inner.dst_stride != item || nest.size() > max_loops) return false;
  if (inner.src_stride == item) {
    const std::size_t dense = dense_loop_of_pixels(nest);
    way.method = dense == no_loop ? CacheMethod::rows : CacheMethod::pixels;
    if (dense != no_loop) way.dense = dense;
    return true;
  }
  std::size_t dense = 0;
  while (dense < last && nest[dense].src_stride != item) ++dense;
  way.method = CacheMethod::gathered;
  if (dense == last) return inner.extent < min_strided_run && inner.src_stride != 0;
  const CacheMethod channels = method_of_channels(nest, dense);
  const bool has_channels = channels != CacheMethod::items;
  const Index matrix = inner.extent * nest[dense].extent * item;
  if (has_channels && matrix > max_channel_bytes) return false;
  if (has_channels && matrix >= min_lone_matrix_bytes) {
    way.method = channels;
    way.dense = dense;
    return true;
  }
  const Tile tile(nest, dense);
  if (has_channels && !(tile.is_wide() && tile.items() * item > matrix)) {
    way.method = channels;
    way.dense = dense;
  } else if (tile.is_wide() &&
             !(tile.items() < min_transposed_items && nest.loops.positions() >= min_gathered_items)) {
    way = tile.way();
  } else {
    return tile.items() <= max_gathered_tile && inner.extent <= max_offsets;
  }
  return true;
}

std::optional<Candidate> propose_cached_tiles(Problem& problem) {
  const bool can_propose =
      problem.conversion.is_none() && !problem.streams() && problem.bytes <= max_cached_bytes(problem) &&
      problem.access.kind != AccessKind::contiguous && problem.access.kind != AccessKind::fill;
  CachedTiles way;
  if (!can_propose || !find_cached_tiles(problem.nest, way)) return std::nullopt;
  const Costs& costs = problem.costs();
  const bool are_tables = way.method != CacheMethod::interleaved && way.method != CacheMethod::deinterleaved;
  return Candidate{way,
                   problem.access.has_channels() && are_tables ? costs.cached_channels : costs.cached_tiles};
}

}  // namespace tenstride::detail
