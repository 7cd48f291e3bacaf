// SPDX-License-Identifier: Apache-2.0
#include "io/run/run_task.hpp"

#include <vector>

#include "io/ends/operation.hpp"
#include "io/output/result_mark.hpp"
#include "io/output/resumable_state.hpp"
#include "io/run/runner.hpp"
#include "io/run/source_files.hpp"

namespace tenstride::io {
namespace {

/// Plans a job by the limits that an earlier task has begun the destination with.
FileJob plan_again(const FileJob& job) {
  std::vector<TensorMove> moves;
  for (const TensorJob& tensor : job.tensors) {
    moves.push_back({tensor.source, tensor.chain, tensor.name, tensor.kind});
  }
  return plan_permute_files(moves, job.destination, job.options);
}

/// The first task does alone what cannot be divided.
FileResult run_alone(const FileJob& job, const ProgressCallback& progress) {
  FileResult result;
  if (job.options.task->number > 1) {
    result.tasks_left = 1;
    return result;
  }
  FileJob whole = job;
  whole.options.task.reset();
  return run(whole, progress);
}

}  // namespace

FileResult run_task(const FileJob& job, const ProgressCallback& progress) {
  if (!obstacle_to_tasks(job).empty()) return run_alone(job, progress);
  if (is_marked_result(job.destination, bind_sources(job))) {
    ResumableOutput::remove_left_journals(job.destination, job.options.overwrite, this_operation);
    FileResult result;
    result.is_resumed = result.is_of_other_task = true;
    return result;
  }
  try {
    return run_planned(job, progress);
  } catch (const OtherLimits&) {
    return run_task(plan_again(job), progress);
  }
}

}  // namespace tenstride::io
