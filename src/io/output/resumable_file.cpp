// SPDX-License-Identifier: Apache-2.0
#include "io/output/resumable_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "files/free_room.hpp"
#include "io/output/resumable_state.hpp"

namespace tenstride::io {

class ResumableFile::FileState final : public ResumableOutput::State {
 public:
  FileState(const std::string& path, Overwrite overwrite, std::string_view operation)
      : State(path, overwrite, operation),
        old(target.check_old_file()),
        blocks_name("." + target.name() + ".tenstride-blocks"),
        blocks_path(target.beside(blocks_name)) {}

  void flush_part() override;
  void take_name() override;
  void remove(const std::string& name) const noexcept { unlinkat(target.folder(), name.c_str(), 0); }

  ReplacedFile old;
  std::string blocks_name;
  std::string blocks_path;
  Descriptor part_file;
  /// Until the blocks are dropped.
  Descriptor blocks_file;
  std::uint64_t blocks_nbytes = 0;
  std::uint64_t later_nbytes = 0;

 protected:
  bool was_committed(const JournalHeader& header) override;
  bool open_earlier(const JournalHeader& header) override;
  void create_part(const JournalHeader& header) override;
  void remove_part() noexcept override {
    part_file.reset();
    remove(part_name);
    remove(blocks_name);
  }

 private:
  [[nodiscard]] Descriptor create_file(const std::string& name, mode_t mode) const;
};

bool ResumableFile::FileState::was_committed(const JournalHeader& header) {
  struct stat part {};
  struct stat result {};
  const bool has_part = fstatat(target.folder(), part_name.c_str(), &part, AT_SYMLINK_NOFOLLOW) == 0;
  if (has_part || fstatat(target.folder(), target.name().c_str(), &result, AT_SYMLINK_NOFOLLOW) != 0)
    return false;
  return S_ISREG(result.st_mode) && static_cast<std::uint64_t>(result.st_size) == header.nbytes;
}

bool ResumableFile::FileState::open_earlier(const JournalHeader& header) {
  const auto is_whole = [&](const std::string& name, std::uint64_t nbytes) {
    struct stat facts {};
    return fstatat(target.folder(), name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) == 0 &&
           S_ISREG(facts.st_mode) &&
           static_cast<std::uint64_t>(facts.st_size) >= nbytes;  // its last page may be whole
  };
  if (!is_whole(part_name, header.nbytes)) return false;
  // Blocks are dropped when all parts are finished and on the disk; any other way they are needed.
  const bool needs_blocks = header.blocks_nbytes > 0 && !records.has_dropped_blocks;
  if (needs_blocks && !is_whole(blocks_name, header.blocks_nbytes)) return false;
  const auto open_file = [&](const std::string& name) {
    Descriptor file(openat(target.folder(), name.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
    if (!file.is_open()) {
      target.refuse("must be resumed in a file that can be written, \"", target.beside(name), "\"",
                    system_reason(errno));
    }
    return file;
  };
  part_file = open_file(part_name);
  if (needs_blocks) blocks_file = open_file(blocks_name);
  return true;
}

Descriptor ResumableFile::FileState::create_file(const std::string& name, mode_t mode) const {
  remove(name);
  Descriptor file(
      openat(target.folder(), name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode));
  if (!file.is_open()) target.refuse("must lie in a folder that can be written to", system_reason(errno));
  return file;
}

void ResumableFile::FileState::create_part(const JournalHeader& header) {
  remove_part();
  const std::uint64_t needed = header.nbytes + std::max(header.blocks_nbytes, later_nbytes);
  const std::string free = of_which_free(target.folder());
  const auto refuse = [&](int error) {
    target.refuse("must have room for ", needed, " bytes", free, system_reason(error));
  };
  if (needed < header.nbytes) refuse(EFBIG);
  if (needed > free_room(target.folder()).value_or(needed)) refuse(ENOSPC);
  // Its owner can open it again even where the replaced file's rights would not let him.
  part_file = create_file(part_name, old.mode | 0600);
  if (const int error = take_room(part_file.get(), header.nbytes)) refuse(error);
  if (header.blocks_nbytes > 0) {
    blocks_file = create_file(blocks_name, 0600);
    if (const int error = take_room(blocks_file.get(), header.blocks_nbytes)) refuse(error);
  }
}

ResumableFile::FileState& ResumableFile::file_state() const noexcept {
  return static_cast<FileState&>(*state_);
}

ResumableFile::ResumableFile(const OutputRequest& request, const Binding& binding, std::uint64_t nbytes,
                             std::uint64_t blocks_nbytes, std::uint64_t later_nbytes)
    : ResumableOutput(std::make_unique<FileState>(request.path, request.overwrite, request.operation)) {
  FileState& state = file_state();
  state.blocks_nbytes = blocks_nbytes;
  state.later_nbytes = later_nbytes;
  state.begin({binding.source_nbytes, binding.source_mtime_ns, binding.header_hash, binding.plan_hash, nbytes,
               blocks_nbytes, request.parts, state.target.name(), binding.limits},
              binding, request.resume);
}

std::optional<std::string> ResumableFile::earlier_limits(const std::string& path,
                                                         std::string_view operation) {
  return FileState::earlier_limits(OutputTarget(path, Overwrite::replace, operation));
}

const std::string& ResumableFile::blocks_path() const noexcept {
  return file_state().blocks_path;
}

void ResumableFile::FileState::flush_part() {
  const auto flush = [](const Descriptor& file) { return !file.is_open() || fsync(file.get()) == 0; };
  if (!flush(part_file) || !flush(blocks_file))
    target.refuse("must be flushed to the disk", system_reason(errno));
}

void ResumableFile::FileState::take_name() {
  old.give_to(part_file.get());
  mark();
  flush_part();
  target.take(part_name.c_str());
  is_open = false;
  part_file.reset();
  remove(blocks_name);
}

void ResumableFile::drop_blocks() {
  FileState& state = file_state();
  if (state.blocks_nbytes == 0 || state.records.has_dropped_blocks) return;
  state.blocks_file.reset();
  // No part is made from the blocks again: all must be on the disk before they are gone.
  flush_parts();
  state.journal->drop_blocks();
  state.records.has_dropped_blocks = true;
  state.remove(state.blocks_name);
}

}  // namespace tenstride::io
