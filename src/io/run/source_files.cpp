// SPDX-License-Identifier: Apache-2.0
#include "io/run/source_files.hpp"

#include <algorithm>
#include <map>

#include "base/message.hpp"
#include "io/ends/operation.hpp"
#include "io/format/format.hpp"
#include "io/job/job_limits.hpp"
#include "io/job/job_plan.hpp"
#include "io/job/plan_hash.hpp"

namespace tenstride::io {

SourceFiles::SourceFiles(const FileJob& job, DiskAccess access) : job_(job), access_(access) {
  // What cannot be opened is refused before a destination is made; a stream is not unpacked before that.
  const FileInfo& first = job.tensors[0].source;
  if (first.storage == ElementStorage::flat && !plan_of(job).tensors[0].is_in_parts()) open(first);
}

void SourceFiles::open(const FileInfo& info) {
  const CompressedStream stream = info.storage == ElementStorage::stream ? info.stream : CompressedStream{};
  if (file_ && path_ == info.path && stream_ == stream) return;
  file_.reset();
  unpacked_.reset();
  if (info.storage == ElementStorage::stream) unpacked_.emplace(info, job_.destination, this_operation);
  const std::string& from = unpacked_ ? unpacked_->path() : info.path;
  file_ = DiskFile::open(from, access_, this_operation);
  path_ = info.path;
  stream_ = stream;
}

Binding bind_sources(const FileJob& job) {
  // The bytes before the first element of each file are its header.
  std::map<std::string, std::uint64_t> headers;
  for (const TensorJob& tensor : job.tensors) {
    const FileInfo& source = tensor.source;
    const std::uint64_t header =
        source.storage == ElementStorage::flat ? source.data_begin : source.stream.begin;
    const auto header_file = format_of(source.kind).header_file;
    for (const std::string& file : element_files(source)) {
      const auto [found, is_new] =
          headers.try_emplace(header_file == nullptr ? file : header_file(file), header);
      if (!is_new) found->second = std::min(found->second, header);
    }
  }
  Binding all;
  all.source = job.tensors[0].source.path;
  all.plan_hash = plan_hash(job);
  all.limits = to_text(plan_of(job).limits);
  all.task = job.options.task;
  if (all.task) all.result_hash = result_hash(job);
  for (const auto& [path, header] : headers) {
    const Binding one = bind_source(path, header, all.plan_hash, this_operation);
    all.source_nbytes += one.source_nbytes;
    all.source_mtime_ns = std::max(all.source_mtime_ns, one.source_mtime_ns);
    constexpr std::uint64_t prime = 0x100000001B3U;  // of FNV-1a
    all.header_hash = headers.size() == 1 ? one.header_hash : (all.header_hash ^ one.header_hash) * prime;
  }
  return all;
}

void check_sources(const FileJob& job, const Binding& bound) {
  const Binding now = bind_sources(job);
  if (now.source_nbytes == bound.source_nbytes && now.source_mtime_ns == bound.source_mtime_ns &&
      now.header_hash == bound.header_hash) {
    return;
  }
  throw FileError(
      tenstride::detail::message(this_operation, ": \"", bound.source, "\" must not change while it is read"),
      bound.source);
}

}  // namespace tenstride::io
