// SPDX-License-Identifier: Apache-2.0
#include "io/output/resumable_folder.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "io/output/resumable_state.hpp"

namespace tenstride::io {
namespace {

namespace fs = std::filesystem;

/// Tells a folder that is being written from the one it has replaced: they exchange their names.
std::string mark_of(const std::string& folder) {
  return (fs::path(folder) / ".tenstride-unfinished").string();
}

bool is_marked(const std::string& folder) {
  std::error_code ignored;
  return fs::exists(mark_of(folder), ignored);
}

/// Makes the parents of a folder, as `make` makes the part's, and returns its path without a last slash.
std::string with_parents(const std::string& path) {
  const std::string named = without_last_slash(path);
  std::error_code ignored;  // the target refuses what is not there
  if (fs::path(named).has_parent_path()) fs::create_directories(fs::path(named).parent_path(), ignored);
  return named;
}

void remove_begun_files(const std::string& folder) {
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(".tenstride-") && name.ends_with(".tmp")) fs::remove(entry.path());
  }
}

}  // namespace

class ResumableFolder::FolderState final : public ResumableOutput::State {
 public:
  using Make = std::function<void(const std::string& folder)>;

  // The link itself is the target: nothing of it is followed where nothing may be replaced.
  FolderState(const std::string& path, Overwrite overwrite, const AtomicFolder::MayReplace& may_replace,
              const Make& make_new, std::string_view operation)
      : State(with_parents(path), Overwrite::refuse, operation),
        folder(path, overwrite, may_replace, operation, PartFolder::kept),
        make(make_new) {
    part_path = folder.part_path();
  }

  // By a descriptor: another task that sees all parts finished may give the folder its name at any time.
  void flush_part() override {
    if (syncfs(part_.get()) != 0) target.refuse("must be flushed to the disk", system_reason(errno));
  }

  AtomicFolder folder;
  Make make;

 protected:
  void take_name() override {
    if (task) remove_begun_files(part_path);
    mark();
    static_cast<void>(folder.take_name());
    is_open = false;
    target.flush_folder();
    unlink(mark_of(folder.named_path()).c_str());
    folder.remove_old();
  }
  bool was_committed(const JournalHeader& /*header*/) override {
    std::error_code ignored;
    return fs::is_directory(folder.named_path(), ignored) &&
           (is_marked(folder.named_path()) || !is_marked(part_path));
  }
  bool open_earlier(const JournalHeader& /*header*/) override {
    if (!is_marked(part_path)) return false;
    // Other tasks may be writing theirs.
    if (!task) remove_begun_files(part_path);
    open_part();
    return true;
  }
  void create_part(const JournalHeader& /*header*/) override {
    folder.remove_part();
    // Of a run that ended between the exchange of names and its removal.
    unlink(mark_of(folder.named_path()).c_str());
    make(part_path);
    const Descriptor mark(open(mark_of(part_path).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
    if (!mark.is_open()) target.refuse("must lie in a folder that can be written to", system_reason(errno));
    folder.flush();
    open_part();
  }
  void remove_part() noexcept override {
    unlink(mark_of(folder.named_path()).c_str());
    try {
      folder.remove_part();
    } catch (...) {
      // It stays, and the next run removes it.
    }
  }

 private:
  void open_part() {
    part_ = Descriptor(open(part_path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!part_.is_open()) target.refuse("must lie in a folder that can be written to", system_reason(errno));
  }

  Descriptor part_;
};

ResumableFolder::ResumableFolder(const OutputRequest& request, const Binding& binding,
                                 const AtomicFolder::MayReplace& may_replace,
                                 const std::function<void(const std::string& folder)>& make)
    : ResumableOutput(std::make_unique<FolderState>(request.path, request.overwrite, may_replace, make,
                                                    request.operation)) {
  State& state = *state_;
  state.begin({binding.source_nbytes, binding.source_mtime_ns, binding.header_hash, binding.plan_hash, 0, 0,
               request.parts, state.target.name(), binding.limits},
              binding, request.resume);
}

std::optional<std::string> ResumableFolder::earlier_limits(const std::string& path,
                                                           std::string_view operation) {
  return FolderState::earlier_limits(OutputTarget(with_parents(path), Overwrite::refuse, operation));
}

}  // namespace tenstride::io
