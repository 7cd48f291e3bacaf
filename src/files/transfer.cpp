// SPDX-License-Identifier: Apache-2.0
#include "files/transfer.hpp"

#include <unistd.h>

#include <cerrno>

namespace tenstride::io {

Transfer read_at(int file, std::span<std::byte> bytes, std::uint64_t begin) noexcept {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count =
        pread(file, bytes.data() + done, bytes.size() - done, static_cast<off_t>(begin + done));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return {done, count < 0 ? errno : 0};
    done += static_cast<std::size_t>(count);
  }
  return {done, 0};
}

Transfer write_at(int file, std::span<const std::byte> bytes, std::uint64_t begin) noexcept {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count =
        pwrite(file, bytes.data() + done, bytes.size() - done, static_cast<off_t>(begin + done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return {done, errno};
    done += static_cast<std::size_t>(count);
  }
  return {done, 0};
}

}  // namespace tenstride::io
