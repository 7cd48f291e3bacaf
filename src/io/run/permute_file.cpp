// SPDX-License-Identifier: Apache-2.0
#include "tenstride/io/permute_file.hpp"

#include "io/job/job_plan.hpp"
#include "io/run/rename_axes.hpp"
#include "io/run/run_task.hpp"
#include "io/run/runner.hpp"

namespace tenstride::io {

FileResult run(const FileJob& job, const ProgressCallback& progress) {
  FileResult result = job.options.task                 ? run_task(job, progress)
                      : plan_of(job).tensors[0].rename ? run_rename(job, progress)
                                                       : run_planned(job, progress);
  result.dropped = dropped_facts(job);
  return result;
}

FileResult permute_file(const std::string& source, std::string_view chain, const std::string& destination,
                        const FileOptions& options, const ProgressCallback& progress) {
  return run(plan_permute_file(source, chain, destination, options), progress);
}

}  // namespace tenstride::io
