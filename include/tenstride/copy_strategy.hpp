// SPDX-License-Identifier: Apache-2.0
// The ways in which a copy can be carried out: each a struct of all its parameters.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <variant>

#include "tenstride/index.hpp"

namespace tenstride {

/// Loops of a nest, of which there are 8 at most: bit `i` is loop `i`.
using LoopSet = std::uint8_t;

constexpr bool has_loop(LoopSet set, std::size_t loop) {
  return (unsigned{set} >> loop & 1U) != 0;
}

/// The loops of a `CopyPlan`, walked with its kernel.
struct PlannedLoops {
  friend bool operator==(const PlannedLoops&, const PlannedLoops&) = default;
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
  static constexpr std::size_t most_loops = 8;
  /// Pieces that are listed, for Packing::gathered.
  static constexpr std::size_t most_pieces = 4096;
  Packing packing = Packing::transposed;
  /// The extent of a block along each loop of the nest.
  std::array<Index, most_loops> part{};
  /// Loops that are contiguous in the destination, from the innermost on: a run of the block.
  LoopSet run = 0;
  /// For Packing::transposed: loops of that run whose items are turned from rows of the source ...
  LoopSet rows = 0;
  /// ... and loops, contiguous in the source, along which these rows extend. Otherwise the loops of a row:
  /// the innermost ones, the same on both sides; none for rows of one item.
  LoopSet columns = 0;
  /// The loop along which one block follows another and takes over the destination lines that the one before
  /// it did not fill; `most_loops` where blocks are closed.
  std::uint8_t along = most_loops;
  /// Of the time of a plain copy, as far as the planner can tell.
  double cost = 0;

  friend bool operator==(const PipelinedBlocks&, const PipelinedBlocks&) = default;
};

using CopyStrategy = std::variant<PlannedLoops, PipelinedBlocks>;

/// What the ways in which a copy could be carried out would take, as multiples of a plain copy's time: 0 for
/// what was not weighed.
struct StrategyCosts {
  double loops = 0;
  /// By Packing: of the cheapest blocks that are packed so.
  std::array<double, 4> blocks{};

  friend bool operator==(const StrategyCosts&, const StrategyCosts&) = default;
};

}  // namespace tenstride
