// SPDX-License-Identifier: Apache-2.0
#include "tenstride/files/atomic_file.hpp"

#include <fcntl.h>
#include <sys/random.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>

#include "files/output_target.hpp"

namespace tenstride::io {

/// A name in a folder that is held open: it stays true when the process changes its folder.
struct Unfinished {
  enum State : int { free, claimed, listed };
  std::atomic<int> state{free};
  int folder = -1;
  std::array<char, 40> name{};
};
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler must not wait");

namespace {

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

}  // namespace

struct AtomicFile::State {
  OutputTarget target;
  std::array<char, 40> temporary_name = random_name();
  std::string temporary_path = target.beside(temporary_name.data());
  int file = -1;
  Unfinished* listed = nullptr;

  State(const std::string& path, Overwrite overwrite, std::string_view operation)
      : target(path, overwrite, operation) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    if (file >= 0) {
      close(file);
      unlinkat(target.folder(), temporary_name.data(), 0);
    }
    unlist();
  }

  void unlist() {
    if (listed != nullptr) listed->state.store(Unfinished::free);
    listed = nullptr;
  }
  void create(mode_t mode);
};

void AtomicFile::State::create(mode_t mode) {
  // Listed before it is there: a signal that comes in between finds nothing to remove.
  listed = list_unfinished(target.folder(), temporary_name);
  file = openat(target.folder(), temporary_name.data(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
                mode);
  if (file < 0) target.refuse("must lie in a folder that can be written to", system_reason(errno));
}

AtomicFile::AtomicFile(const std::string& path, Overwrite overwrite, std::string_view operation)
    : state_(std::make_unique<State>(path, overwrite, operation)) {
  const ReplacedFile old = state_->target.check_old_file();
  state_->create(old.mode);
  // The mask of the process took rights away that the replaced file had.
  old.give_to(state_->file);
}

AtomicFile::~AtomicFile() = default;

void AtomicFile::reserve(std::size_t nbytes) {
  const int error = take_room(state_->file, nbytes);
  if (error != 0) state_->target.refuse("must have room for ", nbytes, " bytes", system_reason(error));
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(state_->file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0)
      state_->target.refuse("must have room for ", bytes.size(), " more bytes", system_reason(errno));
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void AtomicFile::commit() {
  State& state = *state_;
  if (state.file < 0) state.target.refuse("is committed already");
  if (fsync(state.file) != 0) state.target.refuse("must be flushed to the disk", system_reason(errno));
  state.target.take(state.temporary_name.data());
  state.unlist();
  close(state.file);
  state.file = -1;
}

const std::string& AtomicFile::path() const noexcept {
  return state_->target.path();
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
