// SPDX-License-Identifier: Apache-2.0
#include "io/large/resumable_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>

#include "files/descriptor.hpp"
#include "files/output_target.hpp"
#include "io/large/journal.hpp"

namespace tenstride::io {
namespace {

constexpr const char* begin_anew = "without resuming it begins anew";

std::string hexadecimal(std::uint64_t number) {
  std::string text(16, '0');
  for (std::size_t i = text.size(); i-- > 0; number >>= 4) text[i] = "0123456789abcdef"[number & 15U];
  return text;
}

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

}  // namespace

struct ResumableFile::State {
  OutputTarget target;
  ReplacedFile old;
  std::string part_name;
  std::string blocks_name;
  std::string journal_name;
  std::string part_path;
  std::string blocks_path;
  Descriptor journal_file;
  Descriptor part_file;
  std::optional<Journal> journal;
  std::uint64_t blocks_nbytes = 0;
  JournalRecords records;
  std::size_t finished_count = 0;
  bool is_resumed = false;
  bool is_complete = false;

  State(const std::string& path, Overwrite overwrite, std::string_view operation);

  void lock_journal(Resume resume);
  void check_same(const JournalHeader& begun, const JournalHeader& wanted, const Binding& binding) const;
  /// Whether an earlier run was ended between giving the result its name and removing the journal.
  bool was_committed(const JournalHeader& header);
  /// Whether the files of an earlier run are there, whole.
  bool open_earlier(const JournalHeader& header);
  void create(const JournalHeader& header);
  [[nodiscard]] Descriptor create_file(const std::string& name, mode_t mode) const;
  void remove_all() noexcept;
  void remove(const std::string& name) const noexcept { unlinkat(target.folder(), name.c_str(), 0); }
  void flush_part() const;
};

ResumableFile::State::State(const std::string& path, Overwrite overwrite, std::string_view operation)
    : target(path, overwrite, operation), old(target.check_old_file()) {
  const std::string& name = target.name();
  part_name = "." + name + ".tenstride-part";
  blocks_name = "." + name + ".tenstride-blocks";
  journal_name = "." + name + ".tenstride-journal";
  const long max_name = fpathconf(target.folder(), _PC_NAME_MAX);
  const auto added = static_cast<long>(journal_name.size() - name.size());
  if (max_name > 0 && static_cast<long>(name.size()) > max_name - added) {
    target.refuse("must have a name of at most ", max_name - added, " bytes, not ", name.size(),
                  " (the longest name beside it has ", added, " more)");
  }
  part_path = target.beside(part_name);
  blocks_path = target.beside(blocks_name);
}

void ResumableFile::State::lock_journal(Resume resume) {
  const char* const name = journal_name.c_str();
  const int how = O_RDWR | O_CLOEXEC | O_NOFOLLOW | (resume == Resume::required ? 0 : O_CREAT);
  for (;;) {
    journal_file = Descriptor(openat(target.folder(), name, how, 0666));
    if (!journal_file.is_open()) {
      if (errno == ENOENT && resume == Resume::required) {
        target.refuse("must have been begun to be resumed (there is no \"", target.beside(journal_name),
                      "\")");
      }
      target.refuse("must lie in a folder that can be written to", system_reason(errno));
    }
    if (flock(journal_file.get(), LOCK_EX | LOCK_NB) != 0) {
      if (errno == EINTR) continue;
      if (errno == EWOULDBLOCK) {
        target.refuse("must not be written by two processes at once (\"", target.beside(journal_name),
                      "\" is locked)");
      }
      target.refuse("must lie in a folder whose files can be locked", system_reason(errno));
    }
    struct stat opened {};
    struct stat named {};
    if (fstat(journal_file.get(), &opened) != 0 || !S_ISREG(opened.st_mode)) {
      target.refuse("must have a regular file as its journal (\"", target.beside(journal_name), "\")");
    }
    // Another process may have committed and removed the journal between the opening and the lock.
    if (fstatat(target.folder(), name, &named, AT_SYMLINK_NOFOLLOW) == 0 && named.st_ino == opened.st_ino)
      return;
  }
}

void ResumableFile::State::check_same(const JournalHeader& begun, const JournalHeader& wanted,
                                      const Binding& binding) const {
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
    refuse_source("its header has the hash ", hexadecimal(wanted.header_hash), " and had ",
                  hexadecimal(begun.header_hash));
  }
  if (begun.nbytes != wanted.nbytes) {
    target.refuse("must have the ", begun.nbytes, " bytes it was begun with, not ", wanted.nbytes, " (",
                  begin_anew, ")");
  }
  if (begun.plan_hash != wanted.plan_hash) {
    target.refuse("must be written by the plan it was begun by, whose hash is ", hexadecimal(begun.plan_hash),
                  ", not ", hexadecimal(wanted.plan_hash), " (", begin_anew, ")");
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

bool ResumableFile::State::was_committed(const JournalHeader& header) {
  struct stat part {};
  struct stat result {};
  const bool has_part = fstatat(target.folder(), part_name.c_str(), &part, AT_SYMLINK_NOFOLLOW) == 0;
  if (has_part || fstatat(target.folder(), target.name().c_str(), &result, AT_SYMLINK_NOFOLLOW) != 0)
    return false;
  if (!S_ISREG(result.st_mode) || static_cast<std::uint64_t>(result.st_size) != header.nbytes) return false;
  JournalRecords found = journal->read_records(static_cast<std::size_t>(header.parts));
  if (std::find(found.finished.begin(), found.finished.end(), false) != found.finished.end()) return false;
  records = std::move(found);
  return true;
}

bool ResumableFile::State::open_earlier(const JournalHeader& header) {
  const auto is_whole = [&](const std::string& name, std::uint64_t nbytes) {
    struct stat facts {};
    return fstatat(target.folder(), name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) == 0 &&
           S_ISREG(facts.st_mode) &&
           static_cast<std::uint64_t>(facts.st_size) >= nbytes;  // its last page may be whole
  };
  if (!is_whole(part_name, header.nbytes)) return false;
  records = journal->read_records(static_cast<std::size_t>(header.parts));
  const auto& finished = records.finished;
  finished_count = static_cast<std::size_t>(std::count(finished.begin(), finished.end(), true));
  // Blocks are dropped when all parts are finished and on the disk; any other way they are needed.
  const bool needs_blocks = header.blocks_nbytes > 0 && !records.has_dropped_blocks;
  if (needs_blocks && !is_whole(blocks_name, header.blocks_nbytes)) return false;
  part_file = Descriptor(openat(target.folder(), part_name.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  if (!part_file.is_open()) {
    target.refuse("must be resumed in a file that can be written, \"", part_path, "\"", system_reason(errno));
  }
  return true;
}

Descriptor ResumableFile::State::create_file(const std::string& name, mode_t mode) const {
  remove(name);
  Descriptor file(
      openat(target.folder(), name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode));
  if (!file.is_open()) target.refuse("must lie in a folder that can be written to", system_reason(errno));
  return file;
}

void ResumableFile::State::create(const JournalHeader& header) {
  records = JournalRecords{std::vector<bool>(static_cast<std::size_t>(header.parts)), {}, false};
  // First: what it says of the files that are there is no longer true.
  journal->clear();
  remove(part_name);
  remove(blocks_name);
  const std::uint64_t needed = header.nbytes + header.blocks_nbytes;
  struct statvfs disk {};
  const bool is_known = fstatvfs(target.folder(), &disk) == 0;
  const std::uint64_t free = is_known ? std::uint64_t{disk.f_bavail} * disk.f_frsize : 0;
  const auto refuse = [&](int error) {
    if (!is_known) target.refuse("must have room for ", needed, " bytes", system_reason(error));
    target.refuse("must have room for ", needed, " bytes, of which ", free, " are free",
                  system_reason(error));
  };
  if (needed < header.nbytes) refuse(EFBIG);
  if (is_known && needed > free) refuse(ENOSPC);
  // Its owner can open it again even where the replaced file's rights would not let him.
  part_file = create_file(part_name, old.mode | 0600);
  if (const int error = take_room(part_file.get(), header.nbytes)) refuse(error);
  if (header.blocks_nbytes > 0) {
    const Descriptor blocks = create_file(blocks_name, 0600);
    if (const int error = take_room(blocks.get(), header.blocks_nbytes)) refuse(error);
  }
  // Last: a journal with a header says that the files are there.
  journal->create(header);
  target.flush_folder();
}

void ResumableFile::State::remove_all() noexcept {
  remove(part_name);
  remove(blocks_name);
  remove(journal_name);  // last: as long as its name is there, no second process begins
}

void ResumableFile::State::flush_part() const {
  if (fsync(part_file.get()) != 0) target.refuse("must be flushed to the disk", system_reason(errno));
}

ResumableFile::ResumableFile(const std::string& path, std::uint64_t nbytes, std::uint64_t blocks_nbytes,
                             std::size_t parts, const Binding& binding, Overwrite overwrite, Resume resume,
                             std::string_view operation)
    : state_(std::make_unique<State>(path, overwrite, operation)) {
  State& state = *state_;
  state.blocks_nbytes = blocks_nbytes;
  state.lock_journal(resume);
  state.journal.emplace(state.journal_file.get(), read_boot_id(), [&state](int error) {
    state.target.refuse("must have a journal that can be written, \"",
                        state.target.beside(state.journal_name), "\"", system_reason(error));
  });
  const JournalHeader wanted{binding.source_nbytes,
                             binding.source_mtime_ns,
                             binding.header_hash,
                             binding.plan_hash,
                             nbytes,
                             blocks_nbytes,
                             parts,
                             state.target.name(),
                             binding.limits};
  if (resume != Resume::no) {
    const std::optional<JournalHeader> begun = state.journal->read_header();
    if (begun) state.check_same(*begun, wanted, binding);
    if (begun && state.was_committed(*begun)) {
      state.is_resumed = state.is_complete = true;
      state.remove_all();
      return;
    }
    state.is_resumed = begun && state.open_earlier(*begun);
    if (!state.is_resumed && resume == Resume::required) {
      state.target.refuse("must have been begun to be resumed (what is beside it is not whole)");
    }
  }
  if (state.is_resumed) return;
  try {
    state.create(wanted);
  } catch (...) {
    state.remove_all();
    throw;
  }
}

std::optional<std::string> ResumableFile::earlier_limits(const std::string& path,
                                                         std::string_view operation) {
  const State state(path, Overwrite::replace, operation);
  const Descriptor file(
      openat(state.target.folder(), state.journal_name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!file.is_open()) return std::nullopt;
  Journal journal(file.get(), read_boot_id(), [&state](int error) {
    state.target.refuse("must have a journal that can be read", system_reason(error));
  });
  const std::optional<JournalHeader> header = journal.read_header();
  if (!header) return std::nullopt;
  return header->limits;
}

ResumableFile::~ResumableFile() = default;

const std::string& ResumableFile::part_path() const noexcept {
  return state_->part_path;
}
const std::string& ResumableFile::blocks_path() const noexcept {
  return state_->blocks_path;
}
const std::vector<bool>& ResumableFile::finished() const noexcept {
  return state_->records.finished;
}
Checksum ResumableFile::checksum() const noexcept {
  return state_->records.checksum;
}
bool ResumableFile::is_complete() const noexcept {
  return state_->is_complete;
}
bool ResumableFile::is_resumed() const noexcept {
  return state_->is_resumed;
}

void ResumableFile::finish(std::size_t part, const Checksum& checksum) {
  State& state = *state_;
  if (part >= state.records.finished.size() || state.records.finished[part]) {
    state.target.refuse("has no unfinished part ", part, " (of ", state.records.finished.size(), ")");
  }
  state.journal->finish(part, checksum);
  state.records.finished[part] = true;
  state.records.checksum += checksum;
  ++state.finished_count;
}

void ResumableFile::flushed() {
  state_->journal->flushed();
}

void ResumableFile::drop_blocks() {
  State& state = *state_;
  if (state.blocks_nbytes == 0 || state.records.has_dropped_blocks) return;
  // No part is made from the blocks again: all must be on the disk before they are gone.
  state.flush_part();
  state.journal->drop_blocks();
  state.records.has_dropped_blocks = true;
  state.remove(state.blocks_name);
}

void ResumableFile::commit() {
  State& state = *state_;
  if (!state.part_file.is_open()) state.target.refuse("is committed already");
  const std::size_t parts = state.records.finished.size();
  if (state.finished_count != parts) {
    state.target.refuse("must have all ", parts, " parts finished to be committed, not ",
                        state.finished_count);
  }
  state.old.give_to(state.part_file.get());
  state.flush_part();
  state.target.take(state.part_name.c_str());
  state.part_file.reset();
  state.remove(state.blocks_name);
  state.remove(state.journal_name);
  state.journal_file.reset();
}

void ResumableFile::discard() noexcept {
  State& state = *state_;
  if (!state.part_file.is_open()) return;
  state.remove_all();
  state.part_file.reset();
  state.journal_file.reset();
}

}  // namespace tenstride::io
