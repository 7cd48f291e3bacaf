// SPDX-License-Identifier: Apache-2.0
#include "files/output_target.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <filesystem>

namespace tenstride::io {

void ReplacedFile::give_to(int file) const {
  if (user == nobody) return;
  struct stat facts {};
  if (fstat(file, &facts) != 0) return;
  if (facts.st_uid != user || facts.st_gid != group) static_cast<void>(fchown(file, user, group));
  if ((facts.st_mode & 0777) != mode) static_cast<void>(fchmod(file, mode));
}

OutputTarget::OutputTarget(const std::string& path, Overwrite overwrite, std::string_view operation)
    : path_(path), operation_(operation), overwrite_(overwrite) {
  std::filesystem::path target = path;
  std::error_code failed;
  if (overwrite == Overwrite::replace && std::filesystem::is_symlink(target, failed)) {
    const std::filesystem::path resolved = std::filesystem::canonical(target, failed);
    if (!failed) target = resolved;
  }
  name_ = target.filename().string();
  if (name_.empty() || name_ == "." || name_ == "..") refuse("must name a file, not a folder");
  std::filesystem::path parent = target.parent_path();
  if (parent.empty()) parent = ".";
  parent_ = parent.string();
  folder_ = open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder_ < 0) refuse("must lie in a folder that can be opened", system_reason(errno));
}

OutputTarget::~OutputTarget() {
  if (folder_ >= 0) close(folder_);
}

std::string OutputTarget::beside(const std::string& name) const {
  return (std::filesystem::path(parent_) / name).string();
}

ReplacedFile OutputTarget::check_old_file() const {
  struct stat facts {};
  if (fstatat(folder_, name_.c_str(), &facts, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno == ENOENT) return {};
    refuse("must be a name that a file can have", system_reason(errno));
  }
  if (overwrite_ == Overwrite::refuse) refuse("exists already and must not be replaced (Overwrite::refuse)");
  if (S_ISLNK(facts.st_mode)) return {};
  if (!S_ISREG(facts.st_mode)) refuse("must be a regular file to be replaced");
  if (faccessat(folder_, name_.c_str(), W_OK, AT_EACCESS) != 0) {
    refuse("must be a file that may be written to", system_reason(errno));
  }
  return {facts.st_mode & 0777, facts.st_uid, facts.st_gid};
}

void OutputTarget::take(const char* from) const {
  rename(from);
  flush_folder();
}

void OutputTarget::flush_folder() const noexcept {
  fsync(folder_);
}

void OutputTarget::rename(const char* from) const {
  const char* const to = name_.c_str();
  if (overwrite_ == Overwrite::replace) {
    if (renameat(folder_, from, folder_, to) != 0)
      refuse("must be a name to rename to", system_reason(errno));
    return;
  }
  if (renameat2(folder_, from, folder_, to, RENAME_NOREPLACE) == 0) return;
  if (errno == EINVAL || errno == ENOSYS) {
    // A file system without the flag: a second name cannot replace anything either.
    if (linkat(folder_, from, folder_, to, 0) == 0) {
      unlinkat(folder_, from, 0);
      return;
    }
  }
  if (errno == EEXIST) refuse("exists by now and must not be replaced (Overwrite::refuse)");
  refuse("must be a name to rename to", system_reason(errno));
}

int take_room(int file, std::uint64_t nbytes) noexcept {
  if (nbytes == 0) return 0;
  if (nbytes > INT64_MAX) return EFBIG;
  const auto length = static_cast<off_t>(nbytes);
  int error = EINTR;
  while (error == EINTR) error = posix_fallocate(file, 0, length);
  if (error != EOPNOTSUPP && error != EINVAL) return error;
  return ftruncate(file, length) == 0 ? 0 : errno;
}

}  // namespace tenstride::io
