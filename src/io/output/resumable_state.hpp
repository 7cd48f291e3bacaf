// SPDX-License-Identifier: Apache-2.0
// What outputs that can be resumed have in common: the journal, its lock, and the order in which things are
// checked.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "files/descriptor.hpp"
#include "files/output_target.hpp"
#include "io/output/journal.hpp"
#include "io/output/resumable_output.hpp"
#include "io/output/task_journals.hpp"

namespace tenstride::io {

class ResumableOutput::State {
 public:
  State(const std::string& path, Overwrite overwrite, std::string_view operation);
  virtual ~State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  /// Goes on with what an earlier run left, or makes everything anew.
  void begin(const JournalHeader& wanted, const Binding& binding, Resume resume);
  /// Begins as one of several tasks: the first of them makes the output, the others join it.
  void begin_task(const JournalHeader& wanted, const Binding& binding, Resume resume);
  /// What `ResumableOutput::count_unfinished_tasks` says.
  std::uint64_t count_unfinished_tasks(const std::function<void()>& while_waiting);
  /// Gives the result its name, and removes the journal. Throws FileError where a part is not finished.
  void commit();
  /// The journal of what this process finishes.
  [[nodiscard]] Journal& written_journal() { return task_journal_ ? *task_journal_ : *journal; }

  /// The limits in the journal beside a destination, where there is one. Throws FileError.
  static std::optional<std::string> earlier_limits(const OutputTarget& target);

  OutputTarget target;
  std::string part_name;
  std::string journal_name;
  std::string part_path;
  std::optional<Journal> journal;
  TaskJournals tasks;
  /// The records of all journals.
  JournalRecords records;
  /// Which task this is, where it is one of several, and the parts that are its share.
  std::optional<FileTask> task;
  std::vector<bool> share;
  bool is_resumed = false;
  bool is_complete = false;
  /// Until it is committed or discarded.
  bool is_open = true;

  void remove_journal() noexcept;
  void remove_all() noexcept;
  /// Waits until what was written of the part is on the disk. Throws FileError.
  virtual void flush_part() = 0;

 protected:
  /// Whether an earlier run was ended between giving the result its name and removing the journal. Pre: all
  /// parts are finished.
  virtual bool was_committed(const JournalHeader& header) = 0;
  /// Whether what an earlier run left is there, whole, with its `records`.
  virtual bool open_earlier(const JournalHeader& header) = 0;
  /// Makes the part, without what stood there before.
  virtual void create_part(const JournalHeader& header) = 0;
  virtual void remove_part() noexcept = 0;
  /// Gives the whole part the name of the result; calls `mark` before. Sets `is_open` to false.
  virtual void take_name() = 0;
  /// Before the result of tasks gets its name.
  void mark() const;

 private:
  void check_all_finished() const;
  void lock_journal(Resume resume);
  static constexpr std::chrono::milliseconds time_between_tries{20};
  [[nodiscard]] bool try_lock(int file) const;
  /// Waits a while for a lock that other tasks hold for a moment.
  [[nodiscard]] bool is_locked_now(int file) const;
  [[nodiscard]] bool has_name(int file) const;
  /// What a name in the folder stands for; nothing where there is none.
  using FileIdentity = std::pair<dev_t, ino_t>;
  [[nodiscard]] std::optional<FileIdentity> identity_of(const std::string& name) const;
  void open_journal();
  void check_same(const JournalHeader& begun, const JournalHeader& wanted, const Binding& binding) const;
  void create(const JournalHeader& header);
  /// Joins, as a task, what others have begun.
  void join(const JournalHeader& begun, Resume resume);
  void check_no_task_runs() const;
  void read_all_records(const JournalHeader& begun);
  void keep_records();
  /// What is left is divided among as many tasks as this one is of.
  void divide();
  void begin_task_journal();
  [[nodiscard]] bool has_share_left() const;
  void release_lock() const noexcept;
  /// Another task has put the result in place.
  void set_complete();
  /// What is to be done to begin anew, for messages.
  [[nodiscard]] std::string way_to_begin_anew() const;

  Descriptor journal_file_;
  JournalHeader header_;
  Binding binding_;
  std::optional<FileIdentity> part_identity_;
  /// The parts that the common journal says are finished.
  std::vector<bool> in_common_;
  Descriptor task_file_;
  std::optional<Journal> task_journal_;
};

/// Others have begun the output with other limits: the plan must be made anew, with theirs.
class OtherLimits : public std::exception {};

}  // namespace tenstride::io
