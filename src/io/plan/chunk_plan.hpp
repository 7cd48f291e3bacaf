// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "io/plan/boxes.hpp"
#include "io/plan/tile_plan.hpp"
#include "tenstride/layout/index_map.hpp"

namespace tenstride::io {

/// One side of a copy in chunks.
struct ChunkSide {
  ChunkGrid grid;
  Index item = 1;
  /// Whether the chunks are only a way to read or write elements that lie one after the other: then a plan
  /// chooses their shape, and `grid.chunk` is of no meaning.
  bool is_flat = false;
  /// The axes of a side that is a flat file, from the fastest on. Empty for what has no runs.
  Dims fastest{};
};

/// A copy from one tensor in chunks to another.
struct ChunkProblem {
  ChunkSide src;
  ChunkSide dst;
  IndexMap map;
  /// Bytes of an element between two passes; 0: the smaller of both sides'.
  Index between_item = 0;
  /// Bytes that each thread needs beside the elements of a chunk.
  std::uint64_t scratch_nbytes = 0;
  int threads = 1;
};

/// The plan of one pass that decodes the fewest bytes with the memory there is, and of those with long runs
/// in flat sides: tile by tile, of which each unit is encoded and written when it has all its elements.
/// Nothing where a unit and a chunk do not fit; `least` then becomes the memory that suffices.
std::optional<TilePlan> plan_chunks(const ChunkProblem& problem, std::uint64_t memory, std::uint64_t& least);

/// How many times as many bytes the first pass decodes as the result needs: 1 is the best.
double repetition(const TilePlan& plan);

/// Two passes that decode each chunk of the source about once, with temporary chunks as large as the memory
/// allows (the intermediate chunks of rechunker: https://rechunker.readthedocs.io). Nothing where none fit.
std::optional<TilePlan> plan_two_passes(const ChunkProblem& problem, std::uint64_t memory);

}  // namespace tenstride::io
