// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "io/ends/parts.hpp"
#include "io/job/job_plan.hpp"
#include "io/output/finished_units.hpp"
#include "io/plan/unit_numbers.hpp"

namespace tenstride::io {

/// The destination of a job in chunks while it is written: a folder whose units are files, a file of elements
/// one after the other, or a file whose chunks a library places. What is written of the first two is kept for
/// a run that goes on.
class ChunkDestination {
 public:
  /// Begins it, or goes on with what an earlier run left. Throws FileError.
  ChunkDestination(const FileJob& job, const Binding& binding);

  /// Where an earlier run is resumed, and where that had come to its end (then nothing is left to be done).
  [[nodiscard]] bool is_resumed() const { return output_ && output_->is_resumed(); }
  [[nodiscard]] bool is_complete() const { return output_ && output_->is_complete(); }

  /// Of the tensor with that number.
  [[nodiscard]] std::unique_ptr<PartWriter> writer(std::size_t tensor);
  /// Whether a unit is to be written: no earlier run has finished it, and no other task does. By any thread.
  [[nodiscard]] bool is_left(std::size_t tensor, const Box& unit) const;
  /// The share of a tensor's units that are to be written.
  [[nodiscard]] double share_left(std::size_t tensor) const;
  /// Notes that a unit was written. By any thread.
  void finish(std::size_t tensor, const Box& unit, const PartSum& sum);
  /// Of all units, also of those that an earlier run has written. Pre: no thread writes.
  [[nodiscard]] Checksum checksum() const { return output_ ? output_->checksum() : sum_.checksum; }
  [[nodiscard]] std::uint64_t missing() const { return output_ ? output_->missing() : sum_.missing; }

  /// The checksum of what can be read again.
  [[nodiscard]] Checksum read_back(std::size_t tensor) const;
  /// What a task has finished lasts a crash of the machine, and counts on others.
  void flush();
  /// How many tasks of several have not finished.
  std::uint64_t count_unfinished_tasks(const std::function<void()>& while_waiting) {
    return output_ ? output_->count_unfinished_tasks(while_waiting) : 0;
  }
  void commit();
  /// Removes everything that was made.
  void discard() noexcept;

 private:
  [[nodiscard]] std::size_t part_of(std::size_t tensor, const Box& unit) const;
  void open_folder(const FileFormat& format, const std::vector<NewTensor>& tensors, const Binding& binding);
  void open_file(const Binding& binding);

  const FileJob& job_;
  std::vector<UnitNumbers> numbers_;
  /// The number of the first part of each tensor, and of all parts.
  std::vector<std::size_t> first_parts_{0};
  std::unique_ptr<ResumableOutput> output_;
  std::optional<FinishedUnits> units_;
  /// Parts that are not to be written.
  std::vector<bool> left_out_;
  /// Of the library's file alone.
  std::unique_ptr<ChunkFile> chunks_;
  PartSum sum_;
  std::mutex mutex_;
};

}  // namespace tenstride::io
