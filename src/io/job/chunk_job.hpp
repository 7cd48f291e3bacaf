// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/facts/file_chain.hpp"
#include "io/format/format.hpp"
#include "io/plan/chunk_plan.hpp"
#include "tenstride/io/permute_file.hpp"
#include "tenstride/layout/index_map.hpp"

namespace tenstride::io {

/// How a tensor goes from chunks or to chunks.
struct ChunkJob {
  IndexMap map;
  /// Where `second` is there, to temporary chunks of `temporary_chunk`.
  ChunkPlan plan;
  std::optional<ChunkPlan> second;
  Dims temporary_chunk;
  /// Of the temporary chunks.
  DType temporary_dtype = DType::float32;
  int threads = 1;

  /// The plan that writes the destination.
  [[nodiscard]] const ChunkPlan& last() const { return second ? *second : plan; }
  [[nodiscard]] Index tiles() const { return plan.tiles + (second ? second->tiles : 0); }
  [[nodiscard]] double decoded_nbytes() const {
    return plan.decoded_nbytes + (second ? second->decoded_nbytes : 0);
  }
};

/// Whether a tensor of that file to a file of that format is copied in chunks.
bool is_chunk_job(const FileInfo& source, const FileFormat& destination, const ChunkOptions& options);

/// Plans one tensor of a job, and adds to the job's bytes. `chain` was followed on the row-major layout of
/// the source. Throws ValueError for chains whose axes are not those of the source, MemoryLimitError.
ChunkJob plan_chunk_job(FileJob& job, const BlockLimits& limits, const TensorJob& tensor,
                        const FileChain& chain, const FileFormat& destination);

}  // namespace tenstride::io
