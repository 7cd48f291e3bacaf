// SPDX-License-Identifier: Apache-2.0
#include "files/free_room.hpp"

#include <sys/statvfs.h>

namespace tenstride::io {

std::optional<std::uint64_t> free_room(int file) noexcept {
  struct statvfs disk {};
  if (fstatvfs(file, &disk) != 0) return std::nullopt;
  return std::uint64_t{disk.f_bavail} * disk.f_frsize;
}

std::string of_which_free(int file) {
  const std::optional<std::uint64_t> free = free_room(file);
  return free ? ", of which " + std::to_string(*free) + " are free" : std::string();
}

}  // namespace tenstride::io
