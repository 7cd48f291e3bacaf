// SPDX-License-Identifier: Apache-2.0
// The strategies that can carry out a copy, with their parameters.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <variant>

#include "tenstride/base/index.hpp"
#include "tenstride/plan/machine.hpp"

namespace tenstride {

/// A set of loops of a nest of at most 8: bit `i` is loop `i`.
using LoopSet = std::uint8_t;

constexpr bool has_loop(LoopSet set, std::size_t loop) {
  return (unsigned{set} >> loop & 1U) != 0;
}

/// One contiguous run on both sides.
struct Contiguous {
  friend bool operator==(const Contiguous&, const Contiguous&) = default;
};

/// Row after row of the destination, by the plan's kernel: copied, filled, gathered or converted. Element by
/// element where the destination has no rows.
struct RowLoops {
  friend bool operator==(const RowLoops&, const RowLoops&) = default;
};

/// Rows that occur several times in the destination: some of them at a time are packed in a cache and written
/// from there to all their positions. The plan's loops are in the destination's order.
struct RepeatedRows {
  /// The loop that repeats; the loops inside it make up a row.
  std::size_t loop = 0;
  /// Elements of a row.
  Index elements = 0;
  friend bool operator==(const RepeatedRows&, const RepeatedRows&) = default;
};

/// Rows are read in the source's order, which is that of the plan's loops, and scattered to the destination
/// by streaming stores.
struct RowScatter {
  /// The loop along which rows follow each other in the destination, so that two of them may share a cache
  /// line.
  std::size_t neighbour_loop = 0;
  /// How many iterations of the loop inside it are done before that loop advances.
  Index inner_part = 1;
  /// Whether rows share cache lines. A partial line is then kept from the row that begins it until the row
  /// that completes it.
  bool has_partial_lines = false;
  friend bool operator==(const RowScatter&, const RowScatter&) = default;
};

/// Tiles that are read by rows of the source, transposed in registers and written by whole lines of the
/// destination; or channels that are interleaved or deinterleaved. Their extents are the plan's `tile_dst`,
/// `tile_src` and `block_src`.
struct Tiles {
  friend bool operator==(const Tiles&, const Tiles&) = default;
};

/// Copies within the caches: each tile, row or item directly to the destination, by tables of offsets.
struct CachedTiles {
  friend bool operator==(const CachedTiles&, const CachedTiles&) = default;
};

/// How the items of a block are moved into the buffer.
enum class Packing : std::uint8_t {
  transposed,  ///< rows of the source are transposed in registers
  rows,        ///< rows that are contiguous on both sides are copied
  permuted,    ///< small blocks that are contiguous on both sides are permuted byte by byte in registers
  gathered,    ///< items or short rows are copied one by one
};

/// Blocks of the loop nest, one after the other. Each is packed into a buffer in the destination's order,
/// while the source lines that are needed next are prefetched. Its whole lines are written by streaming
/// stores, behind it or while the next block is packed.
struct PipelinedBlocks {
  static constexpr std::size_t max_loops = 8;
  Packing packing = Packing::transposed;
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
  /// When the lines of a block are written.
  BlockStores stores = BlockStores::interleaved;

  friend bool operator==(const PipelinedBlocks&, const PipelinedBlocks&) = default;
};

using CopyStrategy =
    std::variant<Contiguous, RowLoops, RepeatedRows, RowScatter, Tiles, CachedTiles, PipelinedBlocks>;

/// The strategies' names, by the index of the variant.
inline constexpr std::array<std::string_view, std::variant_size_v<CopyStrategy>> strategy_names{
    "contiguous", "row loops", "repeated rows", "row scatter", "tiles", "cached tiles", "pipelined blocks"};

/// The costs of the strategies for a copy, as multiples of a plain copy's time; 0 for strategies that cannot
/// make it, or whose cost was not computed.
struct StrategyCosts {
  std::array<double, strategy_names.size()> strategies{};
  /// By Packing: the cost of the cheapest pipelined blocks with that packing.
  std::array<double, 4> packings{};

  friend bool operator==(const StrategyCosts&, const StrategyCosts&) = default;
};

}  // namespace tenstride
