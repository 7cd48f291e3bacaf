// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "files/descriptor.hpp"
#include "files/output_target.hpp"
#include "io/output/journal.hpp"

namespace tenstride::io {

/// The journals of the tasks that write one output together: `.NAME.tenstride-journal.3` is that of task 3.
/// Each is locked while its task runs, and read by the others. Which task has done a part does not matter:
/// all that any journal says is done is done.
class TaskJournals {
 public:
  /// Both must stay until the end. `common`: the name of the journal without a number.
  TaskJournals(const OutputTarget& target, const std::string& common) : target_(target), common_(common) {}

  [[nodiscard]] std::string name_of(std::uint64_t task) const { return common_ + '.' + std::to_string(task); }
  /// Opens and locks the journal of a task; nothing where another process has locked it. Throws FileError.
  [[nodiscard]] std::optional<Descriptor> lock(std::uint64_t task) const;
  /// The name of a journal that a running process has locked.
  [[nodiscard]] std::optional<std::string> find_locked() const;
  /// Adds what the journals say is finished. Those that were begun for something else say nothing.
  void add_to(JournalRecords& records, const JournalHeader& header) const;
  void remove_all() const noexcept;

 private:
  [[nodiscard]] std::vector<std::string> names() const;

  const OutputTarget& target_;
  const std::string& common_;
};

}  // namespace tenstride::io
