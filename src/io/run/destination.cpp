// SPDX-License-Identifier: Apache-2.0
#include "io/run/destination.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/message.hpp"
#include "files/system_reason.hpp"
#include "io/ends/checksum_chunks.hpp"
#include "io/ends/edge_file.hpp"
#include "io/ends/operation.hpp"
#include "io/job/as_stored.hpp"
#include "io/job/job_plan.hpp"
#include "io/output/resumable_folder.hpp"

namespace tenstride::io {

using tenstride::detail::message;

Destination::Destination(const FileJob& job, const Binding& binding, const std::vector<std::size_t>& parts)
    : job_(job), format_(format_of(job.options.kind)) {
  for (const std::size_t count : parts) first_parts_.push_back(first_parts_.back() + count);
  std::vector<NewTensor> tensors;
  for (const TensorJob& tensor : job.tensors) tensors.push_back(tensor.planned());
  if (!writes_chunks(format_, job.options.chunks)) {
    open_file(binding);
  } else if (keeps_finished(job)) {
    open_folder(tensors, binding);
  } else if (job.options.resume == Resume::required) {
    throw FileError(
        message(this_operation, ": \"", job.destination, "\" must be begun anew: nothing is kept of ",
                format_.description, " that was not written to its end"),
        job.destination);
  } else {
    chunks_ = format_.create_chunks(job.destination, tensors, job.options.chunks, job.options.overwrite,
                                    this_operation);
  }
  if (!output_) return;
  left_out_ = output_->left_out();
  units_.emplace(*output_);
}

void Destination::open_folder(const std::vector<NewTensor>& tensors, const Binding& binding) {
  const ChunkOptions& options = job_.options.chunks;
  const auto open = [&](const std::string& folder, ChunkFolder how) {
    chunks_ = format_.chunks_in_folder(folder, tensors, options, how, this_operation);
  };
  output_ = std::make_unique<ResumableFolder>(
      OutputRequest{job_.destination, first_parts_.back(), job_.options.overwrite, job_.options.resume,
                    this_operation},
      binding,
      [&](const std::string& path) {
        return format_.is_kind_of({path, {}, 0, true});
      },
      [&](const std::string& folder) { open(folder, ChunkFolder::create); });
  if (!chunks_ && !output_->is_complete()) open(output_->part_path(), ChunkFolder::existing);
}

void Destination::open_file(const Binding& binding) {
  auto file = std::make_unique<ResumableFile>(
      OutputRequest{job_.destination, first_parts_.back(), job_.options.overwrite, job_.options.resume,
                    this_operation},
      binding, job_.nbytes, plan_of(job_).tensors[0].is_in_parts() ? 0 : job_.temporary_bytes,
      job_.min_packed_bytes);
  file_ = file.get();
  output_ = std::move(file);
  // Also where an earlier run or another task may have written it: which of them comes first is not known,
  // and one that ended before its first part need not have.
  if (!file_->is_complete())
    EdgeFile(path(), this_operation).write(0, std::as_bytes(std::span(plan_of(job_).head)));
}

std::unique_ptr<PartWriter> Destination::writer(std::size_t tensor, const Dims& flat_part) {
  if (chunks_) return std::make_unique<ChunkPartWriter>(chunks_->sink(tensor));
  return std::make_unique<FlatPartWriter>(written_tensor(tensor), flat_part, this_operation);
}

Destination::Done Destination::count_done(std::size_t first, std::size_t count) const {
  if (left_out_.empty()) return {};
  const auto in = [&](const std::vector<bool>& parts) {
    const auto begin = parts.begin() + static_cast<std::ptrdiff_t>(first);
    return static_cast<std::size_t>(std::count(begin, begin + static_cast<std::ptrdiff_t>(count), true));
  };
  return {in(output_->finished()), in(left_out_)};
}

void Destination::finish(std::size_t part, const PartSum& sum) {
  if (units_) return units_->finish(part, sum);
  const std::lock_guard lock(mutex_);
  sum_ += sum;
}

Checksum Destination::read_back(std::size_t tensor) const {
  if (chunks_) return checksum_chunks(*chunks_->read_back(tensor));
  return checksum_file(written_tensor(tensor), static_cast<std::uint64_t>(plan_of(job_).limits.memory));
}

FileInfo Destination::written_tensor(std::size_t tensor) const {
  const TensorJob& job = job_.tensors[tensor];
  FileInfo written;
  written.path = path();
  written.dtype = job.dtype;
  written.layout = job.layout;
  written.data_begin = job.data_begin;
  written.is_byte_swapped = job.is_byte_swapped && item_size(component_type(job.dtype)) > 1;
  return written;
}

void Destination::flush() {
  if (!job_.options.task) return;
  output_->flush_parts();
  output_->flushed();
}

void Destination::trim() {
  if (file_ == nullptr || truncate(path().c_str(), static_cast<off_t>(job_.nbytes)) == 0) return;
  throw FileError(message(this_operation, ": \"", path(), "\" must be a file whose length can be changed",
                          system_reason(errno)),
                  path());
}

void Destination::commit() {
  if (file_ != nullptr) {
    file_->drop_blocks();
    add_as_stored(job_, path());
  }
  if (chunks_) chunks_->commit();
  if (format_.pack != nullptr) {
    format_.pack(path(), job_.destination, job_.options.overwrite, this_operation);
    return discard();
  }
  if (output_) output_->commit();
}

void Destination::discard() noexcept {
  if (output_) output_->discard();
}

}  // namespace tenstride::io
