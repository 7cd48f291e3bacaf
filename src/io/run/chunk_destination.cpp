// SPDX-License-Identifier: Apache-2.0
#include "io/run/chunk_destination.hpp"
#include "io/ends/checksum_chunks.hpp"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>

#include "base/message.hpp"
#include "files/system_reason.hpp"
#include "files/transfer.hpp"
#include "io/ends/operation.hpp"
#include "io/job/as_stored.hpp"
#include "io/output/resumable_file.hpp"
#include "io/output/resumable_folder.hpp"

namespace tenstride::io {
namespace {

using tenstride::detail::message;

/// Also where an earlier run may have written it: one that ended before its first unit need not have.
void write_head(const std::string& path, const std::string& head) {
  const Descriptor file(open(path.c_str(), O_WRONLY | O_CLOEXEC));
  const auto bytes = std::as_bytes(std::span(head));
  const Transfer written = file.is_open() ? write_at(file.get(), bytes, 0) : Transfer{0, errno};
  if (file.is_open() && written.nbytes == bytes.size()) return;
  throw FileError(message(this_operation, ": \"", path, "\" must be writable", system_reason(written.error)),
                  path);
}

}  // namespace

ChunkDestination::ChunkDestination(const FileJob& job, const Binding& binding) : job_(job) {
  const FileFormat& format = format_of(job.options.kind);
  std::vector<NewTensor> tensors;
  for (std::size_t i = 0; i < job.tensors.size(); ++i) {
    const TensorJob& tensor = job.tensors[i];
    tensors.push_back(tensor.planned());
    const ChunkJob& chunks = *plan_of(job).tensors[i].chunks;
    numbers_.emplace_back(tensor.shape, chunks.second ? *chunks.second : chunks.plan);
    first_parts_.push_back(first_parts_.back() + numbers_.back().count());
  }
  if (!writes_chunks(format, job.options.chunks)) {
    open_file(binding);
  } else if (keeps_finished(job)) {
    open_folder(format, tensors, binding);
  } else if (job.options.resume == Resume::required) {
    throw FileError(
        message(this_operation, ": \"", job.destination, "\" must be begun anew: nothing is kept of ",
                format.description, " that was not written to its end"),
        job.destination);
  } else {
    chunks_ = format.create_chunks(job.destination, tensors, job.options.chunks, job.options.overwrite,
                                   this_operation);
  }
  if (!output_) return;
  left_out_ = output_->left_out();
  units_.emplace(*output_);
}

void ChunkDestination::open_folder(const FileFormat& format, const std::vector<NewTensor>& tensors,
                                   const Binding& binding) {
  const ChunkOptions& options = job_.options.chunks;
  const auto may_replace = [&](const std::string& path) { return format.is_kind_of({path, {}, 0, true}); };
  output_ = std::make_unique<ResumableFolder>(
      job_.destination, first_parts_.back(), binding, job_.options.overwrite, job_.options.resume,
      may_replace,
      [&](const std::string& folder) {
        chunks_ = format.chunks_in_folder(folder, tensors, options, ChunkFolder::create, this_operation);
      },
      this_operation);
  if (chunks_ || output_->is_complete()) return;
  chunks_ =
      format.chunks_in_folder(output_->part_path(), tensors, options, ChunkFolder::existing, this_operation);
}

void ChunkDestination::open_file(const Binding& binding) {
  output_ = std::make_unique<ResumableFile>(job_.destination, job_.nbytes, 0, first_parts_.back(), binding,
                                            job_.options.overwrite, job_.options.resume, this_operation);
  if (!output_->is_complete()) write_head(output_->part_path(), plan_of(job_).head);
}

std::unique_ptr<PartWriter> ChunkDestination::writer(std::size_t tensor) {
  if (chunks_) return std::make_unique<ChunkPartWriter>(chunks_->sink(tensor));
  const TensorJob& job = job_.tensors[tensor];
  return std::make_unique<FlatPartWriter>(output_->part_path(), job.layout, job.dtype, job.data_begin,
                                          plan_of(job_).tensors[tensor].chunks->plan.dst_unit,
                                          this_operation);
}

std::size_t ChunkDestination::part_of(std::size_t tensor, const Box& unit) const {
  return first_parts_[tensor] + numbers_[tensor].number(unit);
}

bool ChunkDestination::is_left(std::size_t tensor, const Box& unit) const {
  return left_out_.empty() || !left_out_[part_of(tensor, unit)];
}

double ChunkDestination::share_left(std::size_t tensor) const {
  const std::size_t count = numbers_[tensor].count();
  if (left_out_.empty() || count == 0) return 1;
  const auto first = left_out_.begin() + static_cast<std::ptrdiff_t>(first_parts_[tensor]);
  const auto left = std::count(first, first + static_cast<std::ptrdiff_t>(count), false);
  return static_cast<double>(left) / static_cast<double>(count);
}

void ChunkDestination::finish(std::size_t tensor, const Box& unit, const PartSum& sum) {
  if (units_) return units_->finish(part_of(tensor, unit), sum);
  const std::lock_guard lock(mutex_);
  sum_ += sum;
}

Checksum ChunkDestination::read_back(std::size_t tensor) const {
  if (chunks_) return checksum_chunks(*chunks_->read_back(tensor));
  const TensorJob& job = job_.tensors[tensor];
  FileInfo written;
  written.path = output_->part_path();
  written.dtype = job.dtype;
  written.layout = job.layout;
  written.data_begin = job.data_begin;
  return checksum_file(written, static_cast<std::uint64_t>(plan_of(job_).limits.memory));
}

void ChunkDestination::flush() {
  if (!job_.options.task) return;
  output_->flush_parts();
  output_->flushed();
}

void ChunkDestination::commit() {
  if (chunks_) chunks_->commit();
  if (output_ && !chunks_) add_as_stored(job_, output_->part_path());
  if (output_) output_->commit();
}

void ChunkDestination::discard() noexcept {
  if (output_) output_->discard();
}

}  // namespace tenstride::io
