// SPDX-License-Identifier: Apache-2.0
// What a job keeps for the engine.
#pragma once

#include "io/plan/tile_plan.hpp"
#include "tenstride/io/permute_file.hpp"

namespace tenstride::io {

/// A step that reads one file and writes another.
struct FileStage {
  TilePlan plan;
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

/// How a tensor gets to the destination: by stages, or by a rename.
struct TensorPlan {
  /// One, or one more for each reshape that cuts across axes: what it copies lies in the temporary file.
  std::vector<FileStage> stages{};
  /// What is renamed, where only metadata change.
  std::optional<Rename> rename{};

  [[nodiscard]] bool is_in_parts() const { return !stages.empty() && stages[0].plan.is_in_parts; }
  /// Passes over all elements, and their tiles.
  [[nodiscard]] std::size_t passes() const;
  [[nodiscard]] std::uint64_t tiles() const;
};

struct JobPlan {
  /// The limits that the plans were made with.
  BlockLimits limits;
  /// What the destination begins with, where its elements are flat.
  std::string head;
  /// The plan of each tensor, in the order of FileJob::tensors.
  std::vector<TensorPlan> tensors;
};

/// Whether all elements come from a stream and stand in the destination as they do there: then they are
/// unpacked to where they belong, not into a file of their own first. `plan`: of the tensor.
bool unpacks_straight(const TensorJob& tensor, const TensorPlan& plan);

/// How many parts of each tensor are noted when they are finished: tiles of flat files, units in parts.
std::vector<std::size_t> count_parts(const FileJob& job);

/// Pre: `job` was planned.
inline const JobPlan& plan_of(const FileJob& job) {
  return *job.plan_;
}
/// Gives the job its plan, with the facts that follow from it.
void set_plan(FileJob& job, JobPlan plan);

}  // namespace tenstride::io
