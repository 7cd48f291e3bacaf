// SPDX-License-Identifier: Apache-2.0
// What a job keeps for the engine.
#pragma once

#include "io/job/chunk_job.hpp"
#include "io/plan/block_plan.hpp"
#include "tenstride/io/permute_file.hpp"

namespace tenstride::io {

/// A step that reads one file and writes another.
struct FileStage {
  BlockPlan plan;
  /// Where the blocks of two passes begin in the temporary file.
  std::uint64_t blocks_begin = 0;
};

/// How a tensor is permuted by metadata and names of files alone.
struct Rename {
  /// Axis order[d] of the source is axis d of the result.
  Dims order;
  /// Files of chunks that there may be.
  Index files = 0;
};

/// How a tensor gets to the destination: by one of the three.
struct TensorPlan {
  /// One, or one more for each reshape that cuts across axes: what it copies lies in the temporary file.
  std::vector<FileStage> stages{};
  /// Where the source or the destination is in chunks.
  std::optional<ChunkJob> chunks{};
  /// Where only metadata change.
  std::optional<Rename> rename{};

  /// Passes over all elements.
  [[nodiscard]] std::size_t passes() const;
};

struct JobPlan {
  /// The limits that the plans were made with.
  BlockLimits limits;
  /// What the destination begins with, where its elements are flat.
  std::string head;
  /// In the order of FileJob::tensors.
  std::vector<TensorPlan> tensors;
};

/// Pre: `job` was planned.
inline const JobPlan& plan_of(const FileJob& job) {
  return *job.plan_;
}
/// Gives the job its plan, with the facts that follow from it.
void set_plan(FileJob& job, JobPlan plan);

}  // namespace tenstride::io
