// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "io/plan/boxes.hpp"
#include "tenstride/layout/index_map.hpp"

namespace tenstride::io {

/// One side of a copy in chunks.
struct ChunkSide {
  ChunkGrid grid;
  Index item = 1;
  /// Whether the chunks are only a way to read or write elements that lie one after the other: then a plan
  /// chooses their shape, and `grid.chunk` is of no meaning.
  bool is_flat = false;
  /// Where the side is a flat file: its axes from the fastest on. Empty for what has no runs.
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

/// Tile by tile: the chunks of the source that a tile needs are decoded and copied to where they belong, and
/// each of the tile's units is encoded and written when it has all its elements.
struct ChunkPlan {
  /// Extents of a tile of the destination, multiples of its units.
  Dims tile;
  Index tiles = 0;
  /// The axes of the destination, slowest first: the order in which the chunks that a tile needs are read, so
  /// that some of its units are complete before others begin. Empty: as they stand in the source.
  Dims order;
  /// Of the flat sides, as they are read and written.
  Dims src_chunk;
  Dims dst_unit;
  /// Bytes of elements that are decoded. More than those of the source where a chunk belongs to several
  /// tiles.
  double decoded_nbytes = 0;
  /// How many times as many bytes are decoded as the result needs: 1 is the best.
  double repetition = 1;
  /// Bytes of the units that may be in memory at once, and of all buffers together.
  std::uint64_t units_nbytes = 0;
  std::uint64_t memory = 0;
};

/// The plan that decodes the fewest bytes with the memory there is, and of those with long runs in flat
/// sides. Nothing where a unit and a chunk do not fit; `least` then becomes the memory that suffices.
std::optional<ChunkPlan> plan_chunks(const ChunkProblem& problem, std::uint64_t memory, std::uint64_t& least);

/// A plan of two passes: the first goes from the source to temporary chunks, the second from them.
struct TwoPasses {
  /// Of the temporary chunks, over the axes of the result.
  Dims chunk;
  ChunkPlan first;
  ChunkPlan second;
};

/// Two passes that decode each chunk of the source about once, with temporary chunks as large as the memory
/// allows (the intermediate chunks of rechunker: https://rechunker.readthedocs.io). Nothing where none fit.
std::optional<TwoPasses> plan_two_passes(const ChunkProblem& problem, std::uint64_t memory);

/// For people: "tiles of (250,100,100), 40 in all; …".
std::string to_string(const ChunkPlan& plan);

}  // namespace tenstride::io
