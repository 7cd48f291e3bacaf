// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "io/ends/parts.hpp"
#include "io/format/format.hpp"
#include "io/output/finished_units.hpp"
#include "io/output/resumable_file.hpp"
#include "tenstride/io/permute_file.hpp"

namespace tenstride::io {

/// The destination of a job while it is written: a file of elements one after the other, a folder whose units
/// are files, or a file whose chunks a library places. What is written of the first two is kept for a run
/// that goes on: parts, numbered tensor by tensor, which are the tiles of flat files and the units of chunks.
class Destination {
 public:
  /// Begins it with `parts[i]` parts of tensor i, or goes on with what an earlier run left. Throws FileError.
  Destination(const FileJob& job, const Binding& binding, const std::vector<std::size_t>& parts);

  /// Where an earlier run is resumed, and where that had come to its end (then nothing is left to be done).
  [[nodiscard]] bool is_resumed() const { return output_ && output_->is_resumed(); }
  [[nodiscard]] bool is_complete() const { return output_ && output_->is_complete(); }

  /// The file that is written, and that of blocks between two passes. Pre: flat.
  [[nodiscard]] const std::string& path() const { return output_->part_path(); }
  [[nodiscard]] const std::string& blocks_path() const { return file_->blocks_path(); }
  /// Writes the chunks of a tensor, or the elements of a flat file in parts of so many along each axis.
  [[nodiscard]] std::unique_ptr<PartWriter> writer(std::size_t tensor, const Dims& flat_part);

  /// The number of the first part of a tensor.
  [[nodiscard]] std::size_t first_part(std::size_t tensor) const { return first_parts_[tensor]; }
  /// Whether a part is to be written: no earlier run has finished it, and no other task does. By any thread.
  [[nodiscard]] bool is_left(std::size_t part) const { return left_out_.empty() || !left_out_[part]; }
  /// How many of so many parts are finished by an earlier run, and how many are not to be written.
  struct Done {
    std::size_t finished = 0;
    std::size_t left_out = 0;
  };
  [[nodiscard]] Done count_done(std::size_t first, std::size_t count) const;
  /// Notes that a part was written. By any thread.
  void finish(std::size_t part, const PartSum& sum);
  /// The checksum of all parts, also of those that an earlier run has written. Pre: no thread writes.
  [[nodiscard]] Checksum checksum() const { return output_ ? output_->checksum() : sum_.checksum; }
  [[nodiscard]] std::uint64_t missing() const { return output_ ? output_->missing() : sum_.missing; }

  /// The checksum of a tensor as it can be read again.
  [[nodiscard]] Checksum read_back(std::size_t tensor) const;
  /// What a task has finished lasts a crash of the machine, and counts on others.
  void flush();
  /// How many tasks of several have not finished.
  std::uint64_t count_unfinished_tasks(const std::function<void()>& while_waiting) {
    return output_ ? output_->count_unfinished_tasks(while_waiting) : 0;
  }
  /// Everything is written: a flat file gets its length, to be read back.
  void trim();
  void commit();
  /// Removes everything that was made.
  void discard() noexcept;

 private:
  void open_folder(const std::vector<NewTensor>& tensors, const Binding& binding);
  void open_file(const Binding& binding);
  /// A tensor as it stands in the file that is written. Pre: flat.
  [[nodiscard]] FileInfo written_tensor(std::size_t tensor) const;

  const FileJob& job_;
  const FileFormat& format_;
  /// The number of the first part of each tensor, with the number of all parts behind the last.
  std::vector<std::size_t> first_parts_{0};
  std::unique_ptr<ResumableOutput> output_;
  /// The output where it is a flat file.
  ResumableFile* file_ = nullptr;
  std::optional<FinishedUnits> units_;
  /// Parts that are not to be written.
  std::vector<bool> left_out_;
  /// The file of chunks, where there is no output that keeps what is finished.
  std::unique_ptr<ChunkFile> chunks_;
  PartSum sum_;
  std::mutex mutex_;
};

}  // namespace tenstride::io
