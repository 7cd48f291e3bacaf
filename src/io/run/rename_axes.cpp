// SPDX-License-Identifier: Apache-2.0
#include "io/run/rename_axes.hpp"

#include <algorithm>

#include "io/ends/checksum_chunks.hpp"
#include "io/ends/operation.hpp"
#include "io/job/plan_metadata_job.hpp"
#include "io/run/check_sum.hpp"
#include "io/run/run_report.hpp"

namespace tenstride::io {
namespace {

/// So many files of chunks are brought over between two reports.
constexpr Index units_at_a_time = 1024;

/// The checksum of the source's elements, each with the place that it has in the result.
Checksum permuted_checksum(const TensorJob& tensor, const Dims& order) {
  const Dims rows = row_major_strides(tensor.shape);
  Dims strides = rows;
  for (std::size_t d = 0; d < rows.size(); ++d) {
    strides[static_cast<std::size_t>(order[d])] = rows[d];
  }
  return checksum_chunks(*open_chunks(tensor.source, this_operation), strides);
}

}  // namespace

FileResult run_rename(const FileJob& job, const ProgressCallback& progress) {
  const Clock::time_point start = Clock::now();
  RunReport report(job, progress, start);
  report.begin_pass(1);
  const std::unique_ptr<PermutedFile> file = permuted_file(job);
  file->begin();
  FileResult result;
  std::uint64_t units_done = 0;
  for (std::size_t i = 0; i < job.tensors.size(); ++i) {
    const Index units = file->units(i);
    for (Index first = 0; first < units; first += units_at_a_time) {
      const Index last = std::min(first + units_at_a_time, units);
      result.bytes_written += file->move(i, first, last);
      units_done += static_cast<std::uint64_t>(last - first);
      report.finish_tiles(units_done);
      report.tell(2 * result.bytes_written);
    }
  }
  result.bytes_read = result.bytes_written;
  if (job.options.check == FileCheck::checksum) {
    Checksum found;
    for (std::size_t i = 0; i < job.tensors.size(); ++i) {
      result.checksum += permuted_checksum(job.tensors[i], plan_of(job).tensors[i].rename->order);
      found += checksum_chunks(*file->read_back(i));
    }
    check_sum(job, result.checksum, "what was read back", found);
    result.is_checked = true;
  }
  file->commit();
  report.tell_end();
  result.seconds = seconds_since(start);
  return result;
}

}  // namespace tenstride::io
