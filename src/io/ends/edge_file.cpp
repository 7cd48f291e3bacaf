// SPDX-License-Identifier: Apache-2.0
#include "io/ends/edge_file.hpp"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>

#include "base/message.hpp"
#include "files/free_room.hpp"
#include "files/system_reason.hpp"
#include "files/transfer.hpp"
#include "tenstride/files/atomic_file.hpp"

namespace tenstride::io {
namespace {

/// A client of NFS that knows a whole page sends all of it, with what other clients have replaced meanwhile,
/// unless writes are synchronous (nfs_can_extend_write in Linux's fs/nfs/write.c).
int flags_for(const std::string& path) {
  struct statfs facts {};
  const bool is_nfs = statfs(path.c_str(), &facts) == 0 && facts.f_type == NFS_SUPER_MAGIC;
  return O_WRONLY | O_CLOEXEC | (is_nfs ? O_DSYNC : 0);
}

}  // namespace

EdgeFile::EdgeFile(const std::string& path, std::string_view operation)
    : path_(path),
      operation_(operation),
      file_(open(path.c_str(), flags_for(path))),
      page_(static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE))) {
  if (!file_.is_open()) refuse(errno);
}

void EdgeFile::write(std::uint64_t begin, std::span<const std::byte> bytes) const {
  const Transfer written = write_at(file_.get(), bytes, begin);
  if (written.nbytes < bytes.size()) refuse(written.error);
}

void EdgeFile::refuse(int error) const {
  throw FileError(tenstride::detail::message(
                      operation_, ": \"", path_, "\" must be a file that can be written",
                      file_.is_open() ? of_which_free(file_.get()) : std::string(), system_reason(error)),
                  path_);
}

}  // namespace tenstride::io
