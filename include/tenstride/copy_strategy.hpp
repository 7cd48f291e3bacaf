// SPDX-License-Identifier: Apache-2.0
// The strategies by which a copy can be carried out, each with its parameters.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <variant>

#include "tenstride/index.hpp"

namespace tenstride {

/// Loops of a nest, of which there are 8 at most: bit `i` is loop `i`.
using LoopSet = std::uint8_t;

constexpr bool has_loop(LoopSet set, std::size_t loop) {
  return (unsigned{set} >> loop & 1U) != 0;
}

/// One contiguous run on both sides.
struct Contiguous {
  friend bool operator==(const Contiguous&, const Contiguous&) = default;
};

/// Row after row of the destination, by the plan's kernel: copied, filled, gathered or converted. Where the
/// destination has no rows, element by element.
struct RowLoops {
  friend bool operator==(const RowLoops&, const RowLoops&) = default;
};

/// Rows that come several times in the destination are made in a cache, some at a time, and written from
/// there. The plan's loops stand in the destination's order.
struct RepeatedRows {
  /// The loop of the repetitions: what is inside of it is a row.
  std::size_t loop = 0;
  /// Elements of a row.
  Index elements = 0;
  friend bool operator==(const RepeatedRows&, const RepeatedRows&) = default;
};

/// Rows in the source's order, in which the plan's loops stand, each past the cache to its place.
struct RowScatter {
  /// The loop along which rows meet in a line of the destination ...
  std::size_t joined = 0;
  /// ... and so much of the loop inside of it that is done before the joined loop goes on.
  Index cut_part = 1;
  /// Whether such a line is carried from the row that has its beginning to the one that has its end.
  bool carries = false;
  friend bool operator==(const RowScatter&, const RowScatter&) = default;
};

/// Tiles that are read by rows of the source and written by whole lines of the destination, transposed in
/// registers; or channels that are interleaved or deinterleaved. Their extents are the plan's `tile_dst`,
/// `tile_src` and `block_src`.
struct Tiles {
  friend bool operator==(const Tiles&, const Tiles&) = default;
};

/// Within the caches: each tile, row or item straight into the destination, by tables of their places.
struct CachedTiles {
  friend bool operator==(const CachedTiles&, const CachedTiles&) = default;
};

/// How a block is packed.
enum class Packing : std::uint8_t {
  transposed,  ///< rows of the source are turned into columns in registers
  rows,        ///< what is contiguous on both sides is moved row by row
  permuted,    ///< tiny blocks that are closed on both sides are permuted byte by byte in registers
  gathered,    ///< items or short rows are moved one by one, each from its place
};

/// Blocks of the loop nest, one after the other. Each is packed into a buffer in the destination's order;
/// meanwhile whole lines of the block packed before it are written past the cache, and the source lines that
/// are needed next are prefetched.
struct PipelinedBlocks {
  static constexpr std::size_t max_loops = 8;
  Packing packing = Packing::transposed;
  /// The extent of a block along each loop of the nest.
  std::array<Index, max_loops> part{};
  /// Loops that are contiguous in the destination, from the innermost on: a run of the block.
  LoopSet run = 0;
  /// For Packing::transposed: loops of that run whose items are turned from rows of the source ...
  LoopSet rows = 0;
  /// ... and loops, contiguous in the source, along which these rows extend. Otherwise the loops of a row:
  /// the innermost ones, the same on both sides; none for rows of one item.
  LoopSet columns = 0;
  /// The loop along which one block follows another and takes over the destination lines that the one before
  /// it did not fill; `max_loops` where blocks are closed.
  std::uint8_t along = max_loops;

  friend bool operator==(const PipelinedBlocks&, const PipelinedBlocks&) = default;
};

using CopyStrategy =
    std::variant<Contiguous, RowLoops, RepeatedRows, RowScatter, Tiles, CachedTiles, PipelinedBlocks>;

/// Their names, by the index of the variant.
inline constexpr std::array<std::string_view, std::variant_size_v<CopyStrategy>> strategy_names{
    "contiguous", "row loops", "repeated rows", "row scatter", "tiles", "cached tiles", "pipelined blocks"};

/// What the strategies would take for a copy, as multiples of a plain copy's time: 0 for those that cannot
/// carry it out, or were not weighed.
struct StrategyCosts {
  std::array<double, strategy_names.size()> strategies{};
  /// By Packing: of the cheapest pipelined blocks that are packed so.
  std::array<double, 4> packings{};

  friend bool operator==(const StrategyCosts&, const StrategyCosts&) = default;
};

}  // namespace tenstride
