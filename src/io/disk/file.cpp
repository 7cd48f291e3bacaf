// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/message.hpp"
#include "io/disk/request.hpp"

namespace tenstride::io {
namespace {

using tenstride::detail::message;

/// What direct requests are multiples of; 0 where the file system says that it takes none.
std::size_t direct_page(int descriptor) {
  // A disk may take 512, but a file system zeroes and serializes what is less than one of its blocks, and
  // before Linux 6.1 nothing says what is taken.
  constexpr std::uint32_t usual = 4096;
  struct statx facts {};
  if (statx(descriptor, "", AT_EMPTY_PATH, STATX_DIOALIGN, &facts) != 0) return usual;
  if ((facts.stx_mask & STATX_DIOALIGN) == 0) return usual;
  if (facts.stx_dio_offset_align == 0) return 0;
  return std::max({facts.stx_dio_offset_align, facts.stx_dio_mem_align, usual});
}

/// Switches the page cache off; false, with errno, where that cannot be, then it stays on.
bool set_direct(int descriptor, std::size_t page) {
  const int flags = fcntl(descriptor, F_GETFL);
  if (page == 0) errno = EINVAL;
  if (page == 0 || flags < 0 || fcntl(descriptor, F_SETFL, flags | O_DIRECT) != 0) return false;
  // Some file systems take the flag and refuse the first request.
  const DiskBuffer probe(page, page);
  ssize_t count = 0;
  do count = pread(descriptor, probe.data(), page, 0);
  while (count < 0 && errno == EINTR);
  if (count >= 0 || errno != EINVAL) return true;  // what else is wrong is said by the request that meets it
  fcntl(descriptor, F_SETFL, flags);
  errno = EINVAL;
  return false;
}

int open_plain(const std::string& path, int mode, std::string_view operation, std::string_view what) {
  // O_NONBLOCK: not to wait for the other end of a pipe.
  const int descriptor = ::open(path.c_str(), mode | O_CLOEXEC | O_NONBLOCK);
  if (descriptor >= 0) return descriptor;
  throw FileError(
      message(operation, ": \"", path, "\" must be a file that can be ", what, system_reason(errno)), path);
}

}  // namespace

DiskFile DiskFile::open(const std::string& path, DiskAccess access, std::string_view operation) {
  return adopt(open_plain(path, O_RDONLY, operation, "opened"), path, access, operation);
}

DiskFile DiskFile::open_to_write(const std::string& path, DiskAccess access, std::string_view operation) {
  return adopt(open_plain(path, O_RDWR, operation, "written to"), path, access, operation);
}

DiskFile DiskFile::adopt(int descriptor, const std::string& path, DiskAccess access,
                         std::string_view operation) {
  DiskFile file;
  file.descriptor_ = descriptor;
  file.path_ = path;
  file.operation_ = operation;
  struct stat facts {};
  if (fstat(descriptor, &facts) != 0) {
    file.refuse("must be a file that can be opened" + system_reason(errno));
  }
  if (!S_ISREG(facts.st_mode)) file.refuse("must be a regular file");
  // Left on, io_uring would answer EAGAIN, again and again, on file systems where requests have to wait.
  fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK);
  file.size_ = static_cast<std::uint64_t>(facts.st_size);
  if (access != DiskAccess::buffered) {
    const std::size_t page = direct_page(descriptor);
    if (set_direct(descriptor, page)) {
      file.page_ = page;
      return file;
    }
    if (access == DiskAccess::direct) {
      file.refuse("must be on a file system that can go past the page cache (O_DIRECT)" +
                  system_reason(errno));
    }
  }
  // Requests are as large as they should be: what the system would read ahead is not wanted. Only advice.
  static_cast<void>(posix_fadvise(descriptor, 0, 0, POSIX_FADV_RANDOM));
  return file;
}

void DiskFile::refuse(std::string_view rule) const {
  throw FileError(message(operation_, ": \"", path_, "\" ", rule), path_);
}

DiskFile::DiskFile(DiskFile&& other) noexcept
    : path_(std::move(other.path_)),
      operation_(std::move(other.operation_)),
      size_(other.size_),
      page_(other.page_),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

DiskFile& DiskFile::operator=(DiskFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(operation_, other.operation_);
  std::swap(size_, other.size_);
  std::swap(page_, other.page_);
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

DiskFile::~DiskFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

void DiskFile::read(std::uint64_t offset, std::span<std::byte> bytes) {
  // By whole pages through a buffer: headers begin and end anywhere.
  constexpr std::uint64_t max_piece = std::uint64_t{1} << 20;
  const std::uint64_t piece = std::max<std::uint64_t>(max_piece / page_, 1) * page_;
  const std::uint64_t last = offset + bytes.size();
  std::uint64_t first = offset / page_ * page_;
  const std::uint64_t pages = (last - first + page_ - 1) / page_;
  const DiskBuffer buffer(static_cast<std::size_t>(std::min(piece, pages * page_)), page_);
  while (!bytes.empty()) {
    const std::size_t skipped = static_cast<std::size_t>(offset - first);
    const std::size_t count = std::min(bytes.size(), buffer.size() - skipped);
    DiskRequest request =
        DiskRequest::reading(*this, first, {buffer.data(), buffer.size()}, skipped + count, 0);
    while (request.advance(request.perform()) == DiskRequest::Next::again) continue;
    std::memcpy(bytes.data(), buffer.data() + skipped, count);
    bytes = bytes.subspan(count);
    offset += count;
    first += buffer.size();
  }
}

}  // namespace tenstride::io
