// SPDX-License-Identifier: Apache-2.0
#include "files/atomic_folder.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "base/message.hpp"
#include "files/descriptor.hpp"
#include "files/system_reason.hpp"
#include "tenstride/base/error.hpp"

namespace tenstride::io {

namespace fs = std::filesystem;

std::string without_last_slash(const std::string& path) {
  const fs::path named = fs::path(path).lexically_normal();
  return (named.has_filename() ? named : named.parent_path()).string();
}

template <typename... Pieces>
void AtomicFolder::refuse(const Pieces&... pieces) const {
  throw FileError(tenstride::detail::message(operation_, ": \"", path_, "\" ", pieces...), path_);
}

AtomicFolder::AtomicFolder(const std::string& path, Overwrite overwrite, const MayReplace& may_replace,
                           std::string_view operation, PartFolder part)
    : path_(path),
      operation_(operation),
      overwrite_(overwrite),
      part_(part),
      named_path_(without_last_slash(path)) {
  const fs::path named = named_path_;
  part_path_ = (named.parent_path() / ("." + named.filename().string() + ".tenstride-part")).string();
  std::error_code error;
  const fs::file_status there = fs::status(named, error);
  if (fs::exists(there)) {
    if (overwrite == Overwrite::refuse) refuse("exists already and must not be replaced (Overwrite::refuse)");
    const bool is_folder = fs::is_directory(there);
    if (!is_folder || (!fs::is_empty(named, error) && !may_replace(named_path_))) {
      refuse("must be a folder of the same kind to be replaced");
    }
  }
  if (part == PartFolder::removed) remove_part();
}

AtomicFolder::~AtomicFolder() {
  if (part_ == PartFolder::kept) return;
  try {
    std::error_code ignored;
    fs::remove_all(part_path_, ignored);
  } catch (...) {
    // Without memory it stays, and the next run removes it.
  }
}

void AtomicFolder::remove_part() const {
  std::error_code error;
  fs::remove_all(part_path_, error);
  if (error) refuse("must lie in a folder that can be written to", system_reason(error.value()));
}

void AtomicFolder::flush() const {
  const Descriptor folder(open(part_path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // One call for all its files.
  if (!folder.is_open() || syncfs(folder.get()) != 0)
    refuse("must be flushed to the disk", system_reason(errno));
}

void AtomicFolder::exchange_by_renames() const {
  const std::string old_path = part_path_ + "-old";
  std::error_code ignored;
  fs::remove_all(old_path, ignored);
  if (std::rename(named_path_.c_str(), old_path.c_str()) != 0 ||
      std::rename(part_path_.c_str(), named_path_.c_str()) != 0) {
    const int reason = errno;
    std::rename(old_path.c_str(), named_path_.c_str());
    refuse("must be a folder that can be replaced", system_reason(reason));
  }
  std::rename(old_path.c_str(), part_path_.c_str());
}

void AtomicFolder::remove_old() const {
  std::error_code error;
  fs::remove_all(part_path_, error);
  if (error) {
    refuse("was written, and what it replaced must be a folder that can be removed (\"", part_path_, "\")",
           system_reason(error.value()));
  }
}

bool AtomicFolder::take_name() const {
  flush();
  const char* const from = part_path_.c_str();
  const char* const to = named_path_.c_str();
  if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0) return false;
  // A file system without the flag.
  const auto is_unknown = [](int error) { return error == EINVAL || error == ENOSYS; };
  std::error_code error;
  const bool is_taken =
      errno == EEXIST || errno == ENOTEMPTY || (is_unknown(errno) && fs::exists(named_path_, error));
  if (!is_taken && !is_unknown(errno)) {
    refuse("must lie in a folder that can be written to", system_reason(errno));
  }
  if (is_taken && overwrite_ == Overwrite::refuse) {
    refuse("exists already and must not be replaced (Overwrite::refuse)");
  }
  if (is_taken) {
    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_EXCHANGE) == 0) return true;
    if (!is_unknown(errno)) refuse("must be a folder that can be replaced", system_reason(errno));
    exchange_by_renames();
    return true;
  }
  if (std::rename(from, to) != 0) {
    refuse("must lie in a folder that can be written to", system_reason(errno));
  }
  return false;
}

void AtomicFolder::commit() {
  const bool has_replaced = take_name();
  part_ = PartFolder::kept;
  if (has_replaced) remove_old();
}

}  // namespace tenstride::io
