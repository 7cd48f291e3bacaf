// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include "io/ends/parts.hpp"
#include "io/output/part_sum.hpp"
#include "io/plan/chunk_plan.hpp"
#include "io/run/tile_copy.hpp"
#include "tenstride/checksum/checksum.hpp"
#include "tenstride/layout/index_map.hpp"

namespace tenstride::io {

/// How far a copy in chunks is.
struct ChunkProgress {
  /// Bytes of elements that were decoded, and of units that were written.
  std::uint64_t bytes_done = 0;
  Index tiles_done = 0;
};

struct ChunkResult {
  Checksum checksum;
  std::uint64_t bytes_read = 0;
  std::uint64_t bytes_written = 0;
};

/// What a run does of its plan, and whom it tells. Empty functions: all units, nobody.
struct ChunkRunOptions {
  int threads = 1;
  /// Whether a unit is still to be written. What others need of the source is not read for it.
  std::function<bool(const Box& unit)> is_left{};
  /// A unit was written, with what is known of its elements. By any thread, several at once.
  std::function<void(const Box& unit, const PartSum& sum)> finish{};
  /// Called some 20 times a second from the calling thread.
  std::function<void(const ChunkProgress&)> tell{};
};

/// Carries a plan out on `threads` threads: each takes a part of the source, decodes it and copies it to all
/// units that need it, or encodes and writes a unit that has all its elements; units go first, so that their
/// memory is free again. `shape` is the result's. What a function of the options throws, or a part throws,
/// ends the run.
ChunkResult run_chunks(const ChunkPlan& plan, const IndexMap& map, const Dims& shape,
                       const PartReader& reader, PartWriter& writer, const Conversion& conversion,
                       const ChunkRunOptions& options);

}  // namespace tenstride::io
