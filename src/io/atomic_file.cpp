// SPDX-License-Identifier: Apache-2.0
#include "tenstride/io/atomic_file.hpp"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "../message.hpp"

namespace tenstride::io {
namespace {

using tenstride::detail::message;

/// A name in a folder that is held open: it stays true when the process changes its folder.
struct Unfinished {
  enum State : int { free, claimed, listed };
  std::atomic<int> state{free};
  int folder = -1;
  std::array<char, 40> name{};
};
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler must not wait");

constexpr std::size_t max_unfinished = 64;
std::array<Unfinished, max_unfinished> unfinished_files;

/// Puts the name on the list of what a signal removes; null where the list is full.
Unfinished* list_unfinished(int folder, const std::array<char, 40>& name) {
  for (Unfinished& entry : unfinished_files) {
    int state = Unfinished::free;
    if (!entry.state.compare_exchange_strong(state, Unfinished::claimed)) continue;
    entry.folder = folder;
    entry.name = name;
    entry.state.store(Unfinished::listed);
    return &entry;
  }
  return nullptr;
}

/// `.tenstride-<16 hex digits>.tmp`, which nobody can foresee.
std::array<char, 40> random_name() {
  std::uint64_t number = 0;
  if (getrandom(&number, sizeof number, 0) != static_cast<ssize_t>(sizeof number)) {
    static std::atomic<std::uint64_t> counter{0};
    number = (static_cast<std::uint64_t>(getpid()) << 32) + counter.fetch_add(1);
  }
  std::array<char, 40> name{};
  std::snprintf(name.data(), name.size(), ".tenstride-%016llx.tmp", static_cast<unsigned long long>(number));
  return name;
}

std::string system_reason(int error) {
  return " (" + std::generic_category().message(error) + ")";
}

}  // namespace

struct AtomicFile::State {
  std::string path;
  std::string operation;
  Overwrite overwrite = Overwrite::refuse;
  std::string final_name;
  std::string temporary_path;
  std::array<char, 40> temporary_name{};
  int folder = -1;
  int file = -1;
  Unfinished* listed = nullptr;

  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    if (file >= 0) {
      close(file);
      unlinkat(folder, temporary_name.data(), 0);
    }
    unlist();
    if (folder >= 0) close(folder);
  }

  void unlist() {
    if (listed != nullptr) listed->state.store(Unfinished::free);
    listed = nullptr;
  }

  template <typename... Pieces>
  [[noreturn]] void refuse(const Pieces&... pieces) const {
    throw FileError(message(operation, ": \"", path, "\" ", pieces...), path);
  }
  void open_folder();
  /// The rights the new file gets.
  mode_t check_old_file() const;
  void create(mode_t mode);
  void rename_to_final();
};

void AtomicFile::State::open_folder() {
  std::filesystem::path target = path;
  std::error_code failed;
  if (overwrite == Overwrite::replace && std::filesystem::is_symlink(target, failed)) {
    const std::filesystem::path resolved = std::filesystem::canonical(target, failed);
    if (!failed) target = resolved;
  }
  final_name = target.filename().string();
  if (final_name.empty() || final_name == "." || final_name == "..") refuse("must name a file, not a folder");
  std::filesystem::path parent = target.parent_path();
  if (parent.empty()) parent = ".";
  folder = open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) refuse("must lie in a folder that can be opened", system_reason(errno));
  temporary_name = random_name();
  temporary_path = (parent / temporary_name.data()).string();
}

mode_t AtomicFile::State::check_old_file() const {
  constexpr mode_t usual = 0666;  // less what the process masks
  struct stat facts {};
  if (fstatat(folder, final_name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno == ENOENT) return usual;
    refuse("must be a name that a file can have", system_reason(errno));
  }
  if (overwrite == Overwrite::refuse) refuse("exists already and must not be replaced (Overwrite::refuse)");
  if (S_ISLNK(facts.st_mode)) return usual;
  if (!S_ISREG(facts.st_mode)) refuse("must be a regular file to be replaced");
  if (faccessat(folder, final_name.c_str(), W_OK, AT_EACCESS) != 0) {
    refuse("must be a file that may be written to", system_reason(errno));
  }
  return facts.st_mode & 0777;
}

void AtomicFile::State::create(mode_t mode) {
  // Listed before it is there: a signal that comes in between finds nothing to remove.
  listed = list_unfinished(folder, temporary_name);
  file = openat(folder, temporary_name.data(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
  if (file < 0) refuse("must lie in a folder that can be written to", system_reason(errno));
}

void AtomicFile::State::rename_to_final() {
  const char* const from = temporary_name.data();
  const char* const to = final_name.c_str();
  if (overwrite == Overwrite::replace) {
    if (renameat(folder, from, folder, to) != 0) refuse("must be a name to rename to", system_reason(errno));
    return;
  }
  if (renameat2(folder, from, folder, to, RENAME_NOREPLACE) == 0) return;
  if (errno == EINVAL || errno == ENOSYS) {
    // A file system without the flag: a second name cannot replace anything either.
    if (linkat(folder, from, folder, to, 0) == 0) {
      unlinkat(folder, from, 0);
      return;
    }
  }
  if (errno == EEXIST) refuse("exists by now and must not be replaced (Overwrite::refuse)");
  refuse("must be a name to rename to", system_reason(errno));
}

AtomicFile::AtomicFile(const std::string& path, Overwrite overwrite, std::string_view operation)
    : state_(std::make_unique<State>()) {
  state_->path = path;
  state_->operation = operation;
  state_->overwrite = overwrite;
  state_->open_folder();
  const mode_t mode = state_->check_old_file();
  state_->create(mode);
  struct stat facts {};
  // The mask of the process took rights away that the replaced file had; where that fails, fewer are left.
  if (mode != 0666 && fstat(state_->file, &facts) == 0 && (facts.st_mode & 0777) != mode) {
    static_cast<void>(fchmod(state_->file, mode));
  }
}

AtomicFile::~AtomicFile() = default;

void AtomicFile::reserve(std::size_t nbytes) {
  if (nbytes == 0) return;
  int error = nbytes > PTRDIFF_MAX ? EFBIG : EINTR;
  while (error == EINTR) error = posix_fallocate(state_->file, 0, static_cast<off_t>(nbytes));
  if (error == EOPNOTSUPP || error == EINVAL) {
    // Not every file system keeps room; the length alone is the best it has.
    error = ftruncate(state_->file, static_cast<off_t>(nbytes)) == 0 ? 0 : errno;
  }
  if (error != 0) state_->refuse("must have room for ", nbytes, " bytes", system_reason(error));
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(state_->file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) state_->refuse("must have room for ", bytes.size(), " more bytes", system_reason(errno));
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void AtomicFile::commit() {
  State& state = *state_;
  if (state.file < 0) state.refuse("is committed already");
  if (fsync(state.file) != 0) state.refuse("must be flushed to the disk", system_reason(errno));
  state.rename_to_final();
  state.unlist();
  close(state.file);
  state.file = -1;
  fsync(state.folder);  // the name, too, outlives a power cut; a folder that cannot be flushed is no error
}

const std::string& AtomicFile::path() const noexcept {
  return state_->path;
}
const std::string& AtomicFile::temporary_path() const noexcept {
  return state_->temporary_path;
}

void remove_unfinished_files() noexcept {
  const int kept = errno;
  for (Unfinished& entry : unfinished_files) {
    if (entry.state.load() == Unfinished::listed) unlinkat(entry.folder, entry.name.data(), 0);
  }
  errno = kept;
}

}  // namespace tenstride::io
