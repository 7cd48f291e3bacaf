// SPDX-License-Identifier: Apache-2.0
#include "io/output/resumable_output.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <thread>

#include "io/output/resumable_state.hpp"

namespace tenstride::io {
namespace {

/// "2026-11-25 02:36:14.000000007 UTC".
std::string time_text(std::int64_t ns) {
  constexpr std::int64_t second = 1'000'000'000;
  std::int64_t fraction = ns % second;
  if (fraction < 0) fraction += second;
  const auto whole = static_cast<time_t>((ns - fraction) / second);
  tm parts{};
  gmtime_r(&whole, &parts);
  std::string text(32, '\0');
  text.resize(strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S", &parts));
  const std::string digits = std::to_string(second + fraction);
  return text + "." + digits.substr(1) + " UTC";
}

std::string journal_name_of(const OutputTarget& target) {
  return "." + target.name() + ".tenstride-journal";
}

std::string part_name_of(const OutputTarget& target) {
  return "." + target.name() + ".tenstride-part";
}

}  // namespace

ResumableOutput::State::State(const std::string& path, Overwrite overwrite, std::string_view operation)
    : target(path, overwrite, operation), tasks(target, journal_name) {
  const std::string& name = target.name();
  part_name = part_name_of(target);
  journal_name = journal_name_of(target);
  const long max_name = fpathconf(target.folder(), _PC_NAME_MAX);
  const auto added = static_cast<long>(journal_name.size() - name.size());
  if (max_name > 0 && static_cast<long>(name.size()) > max_name - added) {
    target.refuse("must have a name of at most ", max_name - added, " bytes, not ", name.size(),
                  " (the longest name beside it has ", added, " more)");
  }
  part_path = target.beside(part_name);
}

std::string ResumableOutput::State::way_to_begin_anew() const {
  if (!task) return "without resuming it begins anew";
  return "where no task runs, without \"" + target.beside(journal_name) + "\" it begins anew";
}

bool ResumableOutput::State::try_lock(int file) const {
  while (flock(file, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) return false;
    if (errno != EINTR) target.refuse("must lie in a folder whose files can be locked", system_reason(errno));
  }
  return true;
}

bool ResumableOutput::State::is_locked_now(int file) const {
  // Tasks hold the lock while they begin (which reserves the room of the file) and end.
  constexpr auto patience = std::chrono::seconds(60);
  const auto until = std::chrono::steady_clock::now() + (task ? patience : std::chrono::seconds(0));
  while (!try_lock(file)) {
    if (std::chrono::steady_clock::now() >= until) return false;
    std::this_thread::sleep_for(time_between_tries);
  }
  return true;
}

bool ResumableOutput::State::has_name(int file) const {
  struct stat opened {};
  struct stat named {};
  if (fstat(file, &opened) != 0 || !S_ISREG(opened.st_mode)) {
    target.refuse("must have a regular file as its journal (\"", target.beside(journal_name), "\")");
  }
  return fstatat(target.folder(), journal_name.c_str(), &named, AT_SYMLINK_NOFOLLOW) == 0 &&
         named.st_ino == opened.st_ino;
}

void ResumableOutput::State::lock_journal(Resume resume) {
  const char* const name = journal_name.c_str();
  const int how = O_RDWR | O_CLOEXEC | O_NOFOLLOW | (resume == Resume::required ? 0 : O_CREAT);
  for (;;) {
    journal_file_ = Descriptor(openat(target.folder(), name, how, 0666));
    if (!journal_file_.is_open()) {
      if (errno == ENOENT && resume == Resume::required) {
        target.refuse("must have been begun to be resumed (there is no \"", target.beside(journal_name),
                      "\")");
      }
      target.refuse("must lie in a folder that can be written to", system_reason(errno));
    }
    if (!is_locked_now(journal_file_.get())) {
      target.refuse("must not be written by two processes at once (\"", target.beside(journal_name),
                    "\" is locked)");
    }
    // Another process may have committed and removed the journal between the opening and the lock.
    if (has_name(journal_file_.get())) return;
  }
}

void ResumableOutput::State::open_journal() {
  journal.emplace(journal_file_.get(), read_boot_id(), [this](int error) {
    target.refuse("must have a journal that can be written, \"", target.beside(journal_name), "\"",
                  system_reason(error));
  });
}

void ResumableOutput::State::check_same(const JournalHeader& begun, const JournalHeader& wanted,
                                        const Binding& binding) const {
  const std::string begin_anew = way_to_begin_anew();
  const auto refuse_source = [&](const auto&... pieces) {
    throw FileError(
        tenstride::detail::message(target.operation(), ": \"", binding.source, "\" must be as it was when \"",
                                   target.path(), "\" was begun: ", pieces..., " (", begin_anew, ")"),
        binding.source);
  };
  if (begun.source_nbytes != wanted.source_nbytes) {
    refuse_source("it has ", wanted.source_nbytes, " bytes and had ", begun.source_nbytes);
  }
  if (begun.source_mtime_ns != wanted.source_mtime_ns) {
    refuse_source("it was written at ", time_text(wanted.source_mtime_ns), ", then at ",
                  time_text(begun.source_mtime_ns));
  }
  if (begun.header_hash != wanted.header_hash) {
    refuse_source("its header has the hash ", hash_text(wanted.header_hash), " and had ",
                  hash_text(begun.header_hash));
  }
  if (begun.nbytes != wanted.nbytes) {
    target.refuse("must have the ", begun.nbytes, " bytes it was begun with, not ", wanted.nbytes, " (",
                  begin_anew, ")");
  }
  if (begun.plan_hash != wanted.plan_hash) {
    target.refuse("must be written by the plan it was begun by, whose hash is ", hash_text(begun.plan_hash),
                  ", not ", hash_text(wanted.plan_hash), " (", begin_anew, ")");
  }
  if (begun.parts != wanted.parts || begun.blocks_nbytes != wanted.blocks_nbytes) {
    target.refuse("must be written in the ", begun.parts, " parts it was begun in, with ",
                  begun.blocks_nbytes, " bytes of temporary space, not in ", wanted.parts, " with ",
                  wanted.blocks_nbytes, " (", begin_anew, ")");
  }
  if (begun.name != wanted.name) {
    target.refuse("must have the name it was begun with, \"", begun.name, "\" (", begin_anew, ")");
  }
}

void ResumableOutput::State::begin(const JournalHeader& wanted, const Binding& binding, Resume resume) {
  task = binding.task;
  if (task) return begin_task(wanted, binding, resume);
  lock_journal(resume);
  check_no_task_runs();
  open_journal();
  if (resume != Resume::no) {
    const std::optional<JournalHeader> begun = journal->read_header();
    if (begun) {
      check_same(*begun, wanted, binding);
      records = journal->read_records(static_cast<std::size_t>(begun->parts));
      tasks.add_to(records, *begun);
      if (records.finished_count == records.finished.size() && was_committed(*begun)) {
        is_resumed = is_complete = true;
        is_open = false;
        remove_all();
        return;
      }
      is_resumed = open_earlier(*begun);
    }
    if (!is_resumed && resume == Resume::required) {
      target.refuse("must have been begun to be resumed (what is beside it is not whole)");
    }
  }
  if (is_resumed) return;
  try {
    create(wanted);
  } catch (...) {
    remove_all();
    throw;
  }
}

void ResumableOutput::State::create(const JournalHeader& header) {
  records = JournalRecords(static_cast<std::size_t>(header.parts));
  // First: what it says of the files that are there is no longer true.
  journal->clear();
  tasks.remove_all();
  create_part(header);
  // Last: a journal with a header says that the files are there.
  journal->create(header);
  target.flush_folder();
}

void ResumableOutput::State::check_all_finished() const {
  const std::size_t parts = records.finished.size();
  if (records.finished_count == parts) return;
  target.refuse("must have all ", parts, " parts finished to be committed, not ", records.finished_count);
}

std::optional<std::string> ResumableOutput::State::earlier_limits(const OutputTarget& target) {
  const std::string name = journal_name_of(target);
  const Descriptor file(openat(target.folder(), name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!file.is_open()) return std::nullopt;
  Journal journal(file.get(), read_boot_id(), [&target](int error) {
    target.refuse("must have a journal that can be read", system_reason(error));
  });
  const std::optional<JournalHeader> header = journal.read_header();
  if (!header) return std::nullopt;
  return header->limits;
}

void ResumableOutput::State::commit() {
  if (!is_open) target.refuse("is committed already");
  check_all_finished();
  take_name();
  remove_journal();
}

void ResumableOutput::State::remove_journal() noexcept {
  tasks.remove_all();
  unlinkat(target.folder(), journal_name.c_str(), 0);
  journal_file_.reset();
}

void ResumableOutput::State::remove_all() noexcept {
  remove_part();
  remove_journal();  // last: as long as its name is there, no second process begins
}

ResumableOutput::ResumableOutput(std::unique_ptr<State> state) : state_(std::move(state)) {}
ResumableOutput::~ResumableOutput() = default;

void ResumableOutput::remove_left_journals(const std::string& path, Overwrite overwrite,
                                           std::string_view operation) {
  const OutputTarget target(without_last_slash(path), overwrite, operation);
  const std::string name = journal_name_of(target);
  const Descriptor journal(openat(target.folder(), name.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  if (!journal.is_open() || flock(journal.get(), LOCK_EX | LOCK_NB) != 0) return;
  if (faccessat(target.folder(), part_name_of(target).c_str(), F_OK, AT_SYMLINK_NOFOLLOW) == 0) return;
  TaskJournals(target, name).remove_all();
  unlinkat(target.folder(), name.c_str(), 0);
}

const std::string& ResumableOutput::part_path() const noexcept {
  return state_->part_path;
}
const std::vector<bool>& ResumableOutput::finished() const noexcept {
  return state_->records.finished;
}
std::vector<bool> ResumableOutput::left_out() const {
  std::vector<bool> result = finished();
  for (std::size_t part = 0; part < state_->share.size(); ++part) {
    if (!state_->share[part]) result[part] = true;
  }
  return result;
}
std::uint64_t ResumableOutput::count_unfinished_tasks(const std::function<void()>& while_waiting) {
  return state_->task ? state_->count_unfinished_tasks(while_waiting) : 0;
}
Checksum ResumableOutput::checksum() const noexcept {
  return state_->records.sum.checksum;
}
std::uint64_t ResumableOutput::missing() const noexcept {
  return state_->records.sum.missing;
}
bool ResumableOutput::is_complete() const noexcept {
  return state_->is_complete;
}
bool ResumableOutput::is_resumed() const noexcept {
  return state_->is_resumed;
}

void ResumableOutput::finish(std::size_t part, const PartSum& sum) {
  State& state = *state_;
  if (part >= state.records.finished.size() || state.records.finished[part]) {
    state.target.refuse("has no unfinished part ", part, " (of ", state.records.finished.size(), ")");
  }
  state.written_journal().finish(part, sum);
  state.records.finish(part, sum);
}

void ResumableOutput::flush_parts() const {
  state_->flush_part();
}
void ResumableOutput::commit() {
  state_->commit();
}
void ResumableOutput::discard() noexcept {
  if (std::exchange(state_->is_open, false)) state_->remove_all();
}

void ResumableOutput::flushed() {
  state_->written_journal().flushed();
}

}  // namespace tenstride::io
