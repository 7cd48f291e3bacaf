// SPDX-License-Identifier: Apache-2.0
// The ways to carry out a copy, each with all that it decides.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <variant>

#include "tenstride/plan/machine.hpp"
#include "tenstride/plan/nest.hpp"

namespace tenstride {

/// How the destination is written. Streaming stores write whole cache lines without reading them first.
enum class Stores : std::uint8_t {
  ordinary,
  streaming,            ///< several pages alternately, where a kernel can do so
  streaming_sequential  ///< page after page, for MemoryStreams::one
};

/// One contiguous run on both sides, without a conversion.
struct Contiguous {
  Stores stores = Stores::ordinary;
  friend bool operator==(const Contiguous&, const Contiguous&) = default;
};

/// How rows are written.
enum class RowMethod : std::uint8_t {
  together,     ///< many rows by one call
  collected,    ///< some KiB of successive rows are collected in the L1 cache and streamed
  alternating,  ///< pieces of several rows are streamed alternately
  single,       ///< row by row
  converted,    ///< row by row, with a conversion
};

/// Row after row of the destination, which is contiguous along the innermost loop.
struct RowByRow {
  RowMethod method = RowMethod::single;
  Stores stores = Stores::ordinary;
  /// How often each row is repeated side by side; such repetitions are one longer row.
  Index times = 1;
  /// Long rows are cut for threads into pieces of so many items; 0 where rows are whole.
  Index piece = 0;
  friend bool operator==(const RowByRow&, const RowByRow&) = default;
};

/// Rows that are contiguous on both sides are copied or converted.
struct Rows : RowByRow {};
/// Rows are gathered from a source with a stride.
struct Gather : RowByRow {};
/// Each row is filled with one item.
struct Fill : RowByRow {};
/// Items are written one by one, as the destination has no rows. Also the way of layouts that no memory can
/// hold.
struct Strided : RowByRow {};

/// What a tile does to its items.
enum class TileKernel : std::uint8_t {
  transpose,     ///< rows of the source become columns, in registers
  interleave,    ///< 2 to 16 source runs become one destination run: (c,n) to (n,c)
  deinterleave,  ///< one source run becomes 2 to 64 destination runs: (n,c) to (c,n)
};

/// How the columns of a tile, which are contiguous in the destination, are written.
enum class TileMethod : std::uint8_t {
  straight,  ///< into the destination, by ordinary stores
  lines,     ///< whole lines by streaming stores, from the registers that hold them
  panels,    ///< the same for long rows of the source, which are transposed straight to memory
  joined,    ///< columns without gaps between them pass a buffer and are written as one run
  blocks,    ///< some columns at a time pass a buffer
};

/// Tiles that are read by rows of the source, and written by columns that are rows of the destination.
struct Tiles {
  static constexpr Index not_placed = -1;

  Tiles() noexcept {}  // leaves the nest's memory as it is

  TileKernel kernel = TileKernel::transpose;
  Stores stores = Stores::ordinary;
  bool converts = false;
  /// The nest in its own order; an axis may be split into two loops. Destination strides are positive, except
  /// perhaps that of `source_loop`.
  Nest nest;
  /// Whether scale and shift run along a loop that is reversed: their numbers are taken from the last on.
  bool reverses_numbers = false;
  /// The loop along which the source is contiguous. Along the innermost loop the destination is contiguous.
  std::size_t source_loop = 0;
  /// The number of loops of the source run. They nest contiguously in the source, and `source_loop` is the
  /// innermost of them.
  std::size_t source_loops = 1;
  /// The first loop of the destination run. It extends to the innermost loop and is contiguous in the
  /// destination.
  std::size_t strip_loop = 0;
  /// The destination run is cut into strips as wide as a tile. The loop over strips stands around the loops
  /// from this one to the run; innermost where this is `strip_loop`.
  std::size_t strip_depth = 0;
  /// Extents of a tile along the destination run and along the source run, in items: what is read into the L2
  /// cache together.
  Index tile_dst = 0;
  Index tile_src = 0;
  /// Extent along the source run of the part of a tile that is transposed together in the L1 cache.
  Index block_src = 0;
  /// The most items of a tile that threads share evenly.
  Index max_items = 0;

  /// What follows from these and from the address; `detail::place` sets all of it.
  /// The offset of the first item in its cache line.
  Index dst_in_line = not_placed;
  TileMethod method = TileMethod::blocks;
  /// Whether a tile is several whole destination runs that follow each other without a gap.
  bool is_dense = false;
  /// Items of the destination run, and of the source run.
  Index run = 1;
  Index columns = 1;
  /// The source run is cut into panels of this many columns.
  Index panel = 1;
  Index strips = 1;
  /// The number of items between the start of a line and the destination: the rows of every strip are shifted
  /// back by so many.
  Index shift = 0;
  /// Whether all loops of the source run are one, with a table of the columns' offsets.
  bool has_column_table = false;
  /// Whether rows of the destination begin anywhere in a line. A strip then keeps the partial lines at the
  /// ends of its rows for the next strip, which completes and writes them.
  bool has_partial_lines = false;
  /// Whether panels prefetch the lines near each row into the L1 cache, not the next page.
  bool prefetches_near = false;
};

/// Channels that are interleaved or deinterleaved.
struct Channels : Tiles {
  Channels() noexcept {}
};

/// How copies within the caches move items.
enum class CacheMethod : std::uint8_t {
  items,          ///< one by one
  rows,           ///< rows that are contiguous on both sides
  gathered,       ///< runs of the destination, by a table of the offsets of their items in the source
  tiles,          ///< tiles that are transposed in registers, by tables of the offsets of rows and columns
  interleaved,    ///< matrices of 2 to 4 rows
  deinterleaved,  ///< matrices of 2 to 4 columns
  pixels,         ///< items of 3, 5, 6 or 7 bytes are transposed
};

/// Some loops of a nest of at most 8, in an order of their own.
struct LoopList {
  std::array<std::uint8_t, Loops::inline_capacity> loops{};
  std::uint8_t count = 0;

  void add(std::size_t loop) { loops[count++] = static_cast<std::uint8_t>(loop); }
  [[nodiscard]] bool has(std::size_t loop) const {
    for (std::size_t i = 0; i < count; ++i) {
      if (loops[i] == loop) return true;
    }
    return false;
  }
  friend bool operator==(const LoopList&, const LoopList&) = default;
};

/// Copies within the caches: each tile, row or item directly to the destination.
struct CachedTiles {
  CacheMethod method = CacheMethod::items;
  /// For the methods from `tiles` on: the loop along which the source is contiguous.
  std::size_t dense = 0;
  /// For tiles: the loops of the rows of a tile, which follow each other in the destination, and of its
  /// columns, which follow each other in the source.
  LoopList rows;
  LoopList columns;

  /// Whether a loop belongs to a tile: all other loops are around it.
  [[nodiscard]] bool is_inside(std::size_t loop) const {
    if (method == CacheMethod::tiles) return rows.has(loop) || columns.has(loop);
    return method > CacheMethod::tiles && loop == dense;
  }
  friend bool operator==(const CachedTiles&, const CachedTiles&) = default;
};

/// A copy that takes less time than to weigh ways against each other: as CachedTiles, by the calling thread.
struct Small : CachedTiles {
  /// Whether all elements are packed in a buffer, converted by one call, and unpacked.
  bool converts = false;
};

/// Rows are read in the source's order and scattered to the destination by streaming stores.
struct RowScatter {
  RowScatter() noexcept {}

  /// The nest in the source's order, except for the row.
  Nest nest;
  /// The loop along which rows follow each other in the destination, so that two of them may share a cache
  /// line.
  std::size_t neighbour_loop = 0;
  /// How many iterations of the loop inside it are done before that loop advances.
  Index inner_part = 1;
  /// The neighbour loop is cut for threads into parts of so many iterations.
  Index neighbour_part = 1;
  /// Whether rows share cache lines. A partial line is then kept from the row that begins it until the row
  /// that completes it.
  bool has_partial_lines = false;
};

/// Rows that occur several times in the destination: some of them at a time are packed in a cache and written
/// from there to all their positions.
struct RepeatedRows {
  /// The loop that repeats; the loops inside it make up a row.
  std::size_t loop = 0;
  /// Bytes of a row.
  Index row = 0;
  /// Rows are cut for threads into parts of so many iterations of their outermost loop.
  Index part = 1;
  Stores stores = Stores::streaming;
  /// Whether a row is short items, each of them repeated, that a kernel streams directly where rows are whole
  /// lines.
  bool repeats_items = false;
  friend bool operator==(const RepeatedRows&, const RepeatedRows&) = default;
};

/// How the items of a block are moved into the buffer.
enum class Packing : std::uint8_t {
  transposed,  ///< rows of the source are transposed in registers
  rows,        ///< rows that are contiguous on both sides are copied
  permuted,    ///< small blocks that are contiguous on both sides are permuted byte by byte in registers
  gathered,    ///< items or short rows are copied one by one
};

/// A set of loops of a nest of at most 8: bit `i` is loop `i`.
using LoopSet = std::uint8_t;

constexpr bool has_loop(LoopSet set, std::size_t loop) {
  return (unsigned{set} >> loop & 1U) != 0;
}

/// Blocks of the loop nest, one after the other. Each is packed into a buffer in the destination's order,
/// while the source lines that are needed next are prefetched. Its whole lines are written by streaming
/// stores, behind it or while the next block is packed.
struct Blocks {
  static constexpr std::size_t max_loops = Loops::inline_capacity;

  Blocks() noexcept {}

  /// The nest, whose items are widened also where they are converted.
  Nest nest;
  bool converts = false;
  Packing packing = Packing::transposed;
  /// When the lines of a block are written.
  BlockStores block_stores = BlockStores::interleaved;
  Stores stores = Stores::ordinary;
  /// The extents of a block along each loop of the nest.
  std::array<Index, max_loops> extents{};
  /// The loops, from the innermost on, that are contiguous in the destination: a run of the block.
  LoopSet run = 0;
  /// For Packing::transposed: the loops of that run whose items come from different rows of the source.
  LoopSet rows = 0;
  /// For Packing::transposed: the loops, contiguous in the source, along which these rows extend. Otherwise
  /// the loops of a row: the innermost ones, the same on both sides; none where a row is one item.
  LoopSet columns = 0;
  /// The loop along which a block continues the destination runs of the block before it and completes their
  /// partial lines; `max_loops` where no block continues another one.
  std::uint8_t continued_loop = max_loops;
};

using CopyWay = std::variant<Contiguous, Rows, Gather, Fill, Strided, RepeatedRows, RowScatter, Tiles,
                             Channels, CachedTiles, Blocks, Small>;

/// The ways' names, by the index of the variant.
inline constexpr std::array<std::string_view, std::variant_size_v<CopyWay>> way_names{
    "contiguous",  "rows",  "gather",   "fill",         "strided", "repeated rows",
    "row scatter", "tiles", "channels", "cached tiles", "blocks",  "small"};

/// What a plan's text calls blocks, for each Packing, behind "blocks, ".
inline constexpr std::array<std::string_view, 4> packing_names{"transposed", "row by row", "permuted",
                                                               "gathered"};

/// The costs of the ways for a copy, as multiples of a plain copy's time; 0 for ways that cannot make it, or
/// whose cost was not computed.
struct WayCosts {
  std::array<double, way_names.size()> ways{};
  /// The cost of the cheapest blocks, for each Packing.
  std::array<double, packing_names.size()> packings{};

  friend bool operator==(const WayCosts&, const WayCosts&) = default;
};

}  // namespace tenstride
