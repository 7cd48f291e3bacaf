// SPDX-License-Identifier: Apache-2.0
// What outputs that can be resumed have in common: the journal, its lock, and the order in which things are
// checked.
#pragma once

#include <optional>
#include <string>

#include "files/descriptor.hpp"
#include "files/output_target.hpp"
#include "io/large/journal.hpp"
#include "io/large/resumable_output.hpp"

namespace tenstride::io {

class ResumableOutput::State {
 public:
  State(const std::string& path, Overwrite overwrite, std::string_view operation);
  virtual ~State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  /// Goes on with what an earlier run left, or makes everything anew.
  void begin(const JournalHeader& wanted, const Binding& binding, Resume resume);
  void check_all_finished() const;

  /// The limits in the journal beside a destination, where there is one. Throws FileError.
  static std::optional<std::string> earlier_limits(const OutputTarget& target);

  OutputTarget target;
  std::string part_name;
  std::string journal_name;
  std::string part_path;
  std::optional<Journal> journal;
  JournalRecords records;
  std::size_t finished_count = 0;
  bool is_resumed = false;
  bool is_complete = false;
  /// Until it is committed or discarded.
  bool is_open = true;

  void remove_journal() noexcept;
  void remove_all() noexcept;

 protected:
  /// Whether an earlier run was ended between giving the result its name and removing the journal. Pre: all
  /// parts are finished.
  virtual bool was_committed(const JournalHeader& header) = 0;
  /// Whether what an earlier run left is there, whole, with its `records`.
  virtual bool open_earlier(const JournalHeader& header) = 0;
  /// Makes the part, without what stood there before.
  virtual void create_part(const JournalHeader& header) = 0;
  virtual void remove_part() noexcept = 0;

 private:
  void lock_journal(Resume resume);
  void check_same(const JournalHeader& begun, const JournalHeader& wanted, const Binding& binding) const;
  void create(const JournalHeader& header);

  Descriptor journal_file_;
};

}  // namespace tenstride::io
