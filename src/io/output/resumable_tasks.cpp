// SPDX-License-Identifier: Apache-2.0
// How several tasks write one output together: who makes it, which share each has, who puts it in place.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <thread>

#include "io/output/result_mark.hpp"
#include "io/output/resumable_state.hpp"
#include "io/output/task_shares.hpp"

namespace tenstride::io {
namespace {

/// The task that each part belongs to, 0 for those that were finished before. A share has consecutive parts,
/// as many as the others or one more or less: neighbouring tiles share pages, and so few pages have elements
/// of two tasks. Example: 7 parts of which the third is finished, among 3 tasks:
/// 1 1 0 2 2 3 3.
std::vector<std::uint64_t> tasks_of_parts(std::uint64_t tasks, const std::vector<bool>& finished) {
  const auto left = static_cast<std::uint64_t>(std::count(finished.begin(), finished.end(), false));
  std::vector<std::uint64_t> owners(finished.size());
  std::uint64_t place = 0, task = 1;
  for (std::size_t part = 0; part < finished.size(); ++part) {
    if (finished[part]) continue;
    while (end_of_share(task, tasks, left) <= place) ++task;
    owners[part] = task;
    ++place;
  }
  return owners;
}

}  // namespace

void ResumableOutput::State::begin_task(const JournalHeader& wanted, const Binding& binding, Resume resume) {
  binding_ = binding;
  lock_journal(Resume::if_there);
  open_journal();
  const std::optional<JournalHeader> begun = journal->read_header();
  if (!begun && is_marked_result(target.path(), binding)) {
    remove_journal();
    return set_complete();
  }
  if (!begun && resume == Resume::required) {
    remove_journal();
    target.refuse("must have been begun to be resumed (there is no \"", target.beside(journal_name), "\")");
  }
  if (begun) {
    if (begun->limits != wanted.limits) throw OtherLimits();
    check_same(*begun, wanted, binding);
    join(*begun, resume);
    if (is_complete) return;
  }
  header_ = wanted;
  if (!is_resumed) {
    if (resume == Resume::required) {
      target.refuse("must have been begun to be resumed (what is beside it is not whole)");
    }
    check_no_task_runs();
    try {
      create(wanted);
    } catch (...) {
      remove_all();
      throw;
    }
    in_common_.assign(records.finished.size(), false);
    divide();
  }
  begin_task_journal();
  const std::vector<std::uint64_t> owners = tasks_of_parts(task->count, records.finished_before_division);
  for (const std::uint64_t owner : owners) share.push_back(owner == task->number);
  part_identity_ = identity_of(part_name);
  // A task with nothing to do keeps the lock to its end, which comes soon: until then nothing gets its name.
  if (has_share_left()) release_lock();
}

bool ResumableOutput::State::has_share_left() const {
  for (std::size_t part = 0; part < share.size(); ++part) {
    if (share[part] && !records.finished[part]) return true;
  }
  return false;
}

void ResumableOutput::State::set_complete() {
  is_resumed = is_complete = true;
  is_open = false;
}

void ResumableOutput::State::mark() const {
  if (task) mark_result(part_path, binding_);
}

std::optional<ResumableOutput::State::FileIdentity> ResumableOutput::State::identity_of(
    const std::string& name) const {
  struct stat facts {};
  if (fstatat(target.folder(), name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) != 0) return std::nullopt;
  return FileIdentity{facts.st_dev, facts.st_ino};
}

void ResumableOutput::State::join(const JournalHeader& begun, Resume resume) {
  read_all_records(begun);
  if (records.finished_count == records.finished.size() && was_committed(begun)) {
    set_complete();
    return remove_all();
  }
  is_resumed = open_earlier(begun);
  if (!is_resumed || records.tasks == task->count) return;
  if (resume == Resume::no) {
    const std::string begun_by =
        records.tasks == 0 ? "a run without tasks" : std::to_string(records.tasks) + " tasks";
    target.refuse("must be written by ", begun_by, ", as it was begun, not by ", task->count,
                  " tasks (resuming it divides what is left anew; ", way_to_begin_anew(), ")");
  }
  check_no_task_runs();
  divide();
}

void ResumableOutput::State::check_no_task_runs() const {
  const std::optional<std::string> locked = tasks.find_locked();
  if (!locked) return;
  target.refuse("must not be written by two processes at once (\"", target.beside(*locked),
                "\" is locked by a task)");
}

void ResumableOutput::State::read_all_records(const JournalHeader& begun) {
  records = journal->read_records(static_cast<std::size_t>(begun.parts));
  in_common_ = records.finished;
  tasks.add_to(records, begun);
}

/// What is finished goes to the common journal, to be there when those of the tasks are gone.
void ResumableOutput::State::keep_records() {
  for (std::size_t part = 0; part < records.finished.size(); ++part) {
    if (records.finished[part] && !in_common_[part]) journal->finish(part, records.sums[part]);
  }
  in_common_ = records.finished;
  // A task that was killed may have finished parts that are not on the disk yet.
  flush_part();
}

void ResumableOutput::State::divide() {
  keep_records();
  journal->divide(task->count);
  records.tasks = task->count;
  records.finished_before_division = records.finished;
}

void ResumableOutput::State::begin_task_journal() {
  std::optional<Descriptor> file = tasks.lock(task->number);
  const std::string path = target.beside(tasks.name_of(task->number));
  if (!file) {
    target.refuse("must not be written by two processes as task ", task->number, " of ", task->count, " (\"",
                  path, "\" is locked)");
  }
  task_file_ = *std::move(file);
  task_journal_.emplace(task_file_.get(), read_boot_id(), [this, path](int error) {
    target.refuse("must have a journal that can be written, \"", path, "\"", system_reason(error));
  });
  if (task_journal_->read_header() == header_) {
    records.add(task_journal_->read_records(records.finished.size()));
    return;
  }
  task_journal_->clear();
  task_journal_->create(header_);
}

void ResumableOutput::State::release_lock() const noexcept {
  flock(journal_file_.get(), LOCK_UN);
}

std::uint64_t ResumableOutput::State::count_unfinished_tasks(const std::function<void()>& while_waiting) {
  const auto refuse = [&](const char* what) {
    target.refuse("must have a journal until it is written (\"", target.beside(journal_name), "\" ", what,
                  ")");
  };
  while (!try_lock(journal_file_.get())) {
    std::this_thread::sleep_for(time_between_tries);
    while_waiting();
  }
  if (!has_name(journal_file_.get())) {
    // A task that saw the last part finished may have come first.
    if (!part_identity_ || identity_of(target.name()) != part_identity_) refuse("was removed");
    set_complete();
    return 0;
  }
  const std::optional<JournalHeader> begun = journal->read_header();
  if (begun != header_) refuse("was begun for something else");
  read_all_records(header_);
  if (records.finished_count == records.finished.size()) {
    keep_records();
    journal->flushed();
    return 0;
  }
  const std::vector<std::uint64_t> owners = tasks_of_parts(task->count, records.finished_before_division);
  std::uint64_t unfinished = 0, last = 0;
  for (std::size_t part = 0; part < owners.size(); ++part) {
    if (records.finished[part] || owners[part] == last) continue;
    last = owners[part];
    ++unfinished;
  }
  release_lock();
  return unfinished;
}

}  // namespace tenstride::io
