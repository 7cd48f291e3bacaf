// SPDX-License-Identifier: Apache-2.0
#include "files/atomic_folder.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "base/message.hpp"
#include "files/system_reason.hpp"
#include "tenstride/error.hpp"

namespace tenstride::io {
namespace {

namespace fs = std::filesystem;

/// The path without a slash at its end, so that it has a last name.
fs::path named_path(const std::string& path) {
  fs::path named = fs::path(path).lexically_normal();
  return named.has_filename() ? named : named.parent_path();
}

/// All writes to the file system are on the disk afterwards; false where that cannot be told.
bool flush_file_system(const std::string& folder) {
  const int opened = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (opened < 0) return false;
  const bool is_flushed = syncfs(opened) == 0;
  const int kept = errno;
  close(opened);
  errno = kept;
  return is_flushed;
}

}  // namespace

template <typename... Pieces>
void AtomicFolder::refuse(const Pieces&... pieces) const {
  throw FileError(tenstride::detail::message(operation_, ": \"", path_, "\" ", pieces...), path_);
}

AtomicFolder::AtomicFolder(const std::string& path, Overwrite overwrite, MayReplace may_replace,
                           std::string_view operation)
    : path_(path), operation_(operation), overwrite_(overwrite) {
  const fs::path named = named_path(path);
  part_path_ = (named.parent_path() / ("." + named.filename().string() + ".tenstride-part")).string();
  std::error_code error;
  const fs::file_status there = fs::status(named, error);
  if (fs::exists(there)) {
    if (overwrite == Overwrite::refuse) refuse("exists already and must not be replaced (Overwrite::refuse)");
    const bool is_folder = fs::is_directory(there);
    if (!is_folder || (!fs::is_empty(named, error) && !may_replace(named.string()))) {
      refuse("must be a folder of the same kind to be replaced");
    }
  }
  fs::remove_all(part_path_, error);
  if (error) refuse("must lie in a folder that can be written to", system_reason(error.value()));
}

AtomicFolder::~AtomicFolder() {
  if (is_committed_) return;
  try {
    std::error_code ignored;
    fs::remove_all(part_path_, ignored);
  } catch (...) {
    // Without memory it stays, and the next run removes it.
  }
}

void AtomicFolder::replace(const std::string& named) {
  std::string old_path = part_path_;
  if (renameat2(AT_FDCWD, part_path_.c_str(), AT_FDCWD, named.c_str(), RENAME_EXCHANGE) != 0) {
    // File systems that cannot exchange two names: between the two renames both folders are whole.
    old_path = part_path_ + "-old";
    std::error_code ignored;
    fs::remove_all(old_path, ignored);
    if (std::rename(named.c_str(), old_path.c_str()) != 0 ||
        std::rename(part_path_.c_str(), named.c_str()) != 0) {
      const int reason = errno;
      std::rename(old_path.c_str(), named.c_str());
      refuse("must be a folder that can be replaced", system_reason(reason));
    }
  }
  is_committed_ = true;
  std::error_code error;
  fs::remove_all(old_path, error);
  if (error) {
    refuse("was written, and what it replaced must be a folder that can be removed (\"", old_path, "\")",
           system_reason(error.value()));
  }
}

void AtomicFolder::commit() {
  if (!flush_file_system(part_path_)) refuse("must be flushed to the disk", system_reason(errno));
  const std::string named = named_path(path_).string();
  if (renameat2(AT_FDCWD, part_path_.c_str(), AT_FDCWD, named.c_str(), RENAME_NOREPLACE) != 0) {
    // Some file systems do not know this rename, and say so whether the name is taken or not.
    std::error_code ignored;
    const bool is_taken = fs::exists(fs::symlink_status(named, ignored));
    if (is_taken && overwrite_ == Overwrite::refuse) {
      refuse("exists already and must not be replaced (Overwrite::refuse)");
    }
    if (is_taken) {
      replace(named);
    } else if (std::rename(part_path_.c_str(), named.c_str()) != 0) {
      refuse("must lie in a folder that can be written to", system_reason(errno));
    }
  }
  is_committed_ = true;
}

}  // namespace tenstride::io
