// SPDX-License-Identifier: Apache-2.0
#include "base/message.hpp"
#include "io/ends/operation.hpp"
#include "io/job/job_plan.hpp"
#include "io/job/plan_hash.hpp"
#include "io/output/resumable_output.hpp"
#include "io/output/task_shares.hpp"
#include "io/plan/unit_numbers.hpp"

/// What is known of the shares of tasks before an element is read.
namespace tenstride::io {
namespace {

using tenstride::detail::message;

std::uint64_t share_of_bytes(std::uint64_t bytes, std::uint64_t parts, std::uint64_t all) {
  if (all == 0) return 0;
  return static_cast<std::uint64_t>(static_cast<double>(bytes) * static_cast<double>(parts) /
                                    static_cast<double>(all));
}

}  // namespace

bool keeps_finished(const FileJob& job) {
  const FileFormat& format = format_of(job.options.kind);
  return !writes_chunks(format, job.options.chunks) || format.chunks_in_folder != nullptr;
}

std::string obstacle_to_tasks(const FileJob& job) {
  if (!keeps_finished(job)) return "a library places the chunks of such a file";
  if (format_of(job.options.kind).pack != nullptr) return "such a file is packed when all of it is written";
  for (std::size_t i = 0; i < job.tensors.size(); ++i) {
    const TensorPlan& tensor = plan_of(job).tensors[i];
    if (tensor.rename) return "only metadata and names of files change";
    if (job.tensors[i].source.storage == ElementStorage::stream)
      return "what is compressed as one stream is read from its beginning";
    if (tensor.passes() > 1) return "it takes several passes through a temporary file";
  }
  return {};
}

std::vector<FileShare> shares_of(const FileJob& job, std::uint64_t tasks) {
  check_task({1, tasks});
  std::uint64_t all = 0;
  for (const std::size_t parts : count_parts(job)) all += parts;
  std::vector<FileShare> shares;
  if (!obstacle_to_tasks(job).empty()) {
    for (std::uint64_t number = 1; number <= tasks; ++number) shares.push_back({{number, tasks}});
    shares[0] = {{1, tasks}, all, job.bytes_read, job.bytes_written};
    return shares;
  }
  for (std::uint64_t number = 1; number <= tasks; ++number) {
    const std::uint64_t parts = end_of_share(number, tasks, all) - end_of_share(number - 1, tasks, all);
    shares.push_back({{number, tasks},
                      parts,
                      share_of_bytes(job.bytes_read, parts, all),
                      share_of_bytes(job.bytes_written, parts, all)});
  }
  return shares;
}

void check_task(const FileTask& task) {
  if (task.count >= 1 && task.count <= max_file_tasks && task.number >= 1 && task.number <= task.count)
    return;
  throw ValueError(message(this_operation, ": task ", task.number, " of ", task.count,
                           " must be one of 1 to as many as there are (at most ", max_file_tasks, ")"));
}

std::string plan_hash_text(const FileJob& job) {
  return hash_text(plan_hash(job));
}

}  // namespace tenstride::io
