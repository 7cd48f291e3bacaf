// SPDX-License-Identifier: Apache-2.0
// Files read and written at any position, many requests in flight, past the page cache where that is
// possible.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "tenstride/io/disk.hpp"

namespace tenstride::io {

/// An open regular file. Movable; closes its descriptor.
class DiskFile {
 public:
  /// Opens a file for reading. Throws FileError.
  static DiskFile open(const std::string& path, DiskAccess access, std::string_view operation);
  /// Opens a file that exists for reading and writing. Throws FileError.
  static DiskFile open_to_write(const std::string& path, DiskAccess access, std::string_view operation);

  /// Takes over a descriptor, also of a file without a name; `path` is for messages. Throws FileError, and
  /// the descriptor is closed then, too.
  static DiskFile adopt(int descriptor, const std::string& path, DiskAccess access,
                        std::string_view operation);

  DiskFile(DiskFile&& other) noexcept;
  DiskFile& operator=(DiskFile&& other) noexcept;
  ~DiskFile();

  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  [[nodiscard]] std::string_view operation() const noexcept { return operation_; }
  /// Bytes of the file when it was opened.
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  /// Offsets, lengths and addresses of requests are multiples of this: 1 through the page cache.
  [[nodiscard]] std::size_t page() const noexcept { return page_; }
  [[nodiscard]] bool is_direct() const noexcept { return page_ != 1; }
  /// The descriptor of the requests: O_DIRECT where is_direct().
  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }
  /// Throws FileError: the operation, the path, the rule that is broken.
  [[noreturn]] void refuse(std::string_view rule) const;
  /// One read that goes through no queue, of any offset and length, for headers and the like. Throws
  /// FileError where the file ends before.
  void read(std::uint64_t offset, std::span<std::byte> bytes);

 private:
  DiskFile() = default;
  std::string path_;
  std::string operation_;
  std::uint64_t size_ = 0;
  std::size_t page_ = 1;
  int descriptor_ = -1;
};

/// More bytes in flight make a disk no faster, and some slower (a virtio disk reads and writes by 256 KiB 3.3
/// GB/s with 8 MiB in flight each way, 2.5 with 16).
inline constexpr std::size_t bytes_at_once = std::size_t{8} << 20;

/// Requests in flight. Not for several threads at once; one queue a thread. Interrupted and short transfers
/// go on by themselves.
class DiskQueue {
 public:
  virtual ~DiskQueue() = default;

  /// `file` and `bytes` must stay until the request is done. A read may reach beyond the end of the file as
  /// long as its first `needed` bytes do not. Pre: in_flight() < depth(); offset, size and address are
  /// multiples of `file.page()`.
  virtual void read(const DiskFile& file, std::uint64_t offset, std::span<std::byte> bytes,
                    std::size_t needed, std::uint64_t tag) = 0;
  virtual void write(const DiskFile& file, std::uint64_t offset, std::span<const std::byte> bytes,
                     std::uint64_t tag) = 0;
  /// Waits for any one request and gives its tag. Pre: in_flight() > 0. Throws FileError: the file, the
  /// offset and what the system said; a file that ended early is "truncated" by that many bytes.
  virtual std::uint64_t wait() = 0;

  [[nodiscard]] virtual std::size_t in_flight() const noexcept = 0;
  [[nodiscard]] virtual std::size_t depth() const noexcept = 0;
  /// Whether a request of so many bytes should begin now: fewer than `depth()` are in flight, and with it at
  /// most `bytes_at_once`, or none are.
  [[nodiscard]] virtual bool has_room(std::size_t nbytes) const noexcept = 0;
  /// "io_uring" or "threads".
  [[nodiscard]] virtual std::string_view name() const noexcept = 0;
};

/// A queue over io_uring where the system has it and lets it be used, otherwise over `depth` threads that
/// pread and pwrite (at most 16). The environment variable TENSTRIDE_IO, "uring" or "threads", says
/// otherwise. The destructor waits for the transfers in flight; how far a request came that nobody waited
/// for is not known. Throws ValueError for a depth outside 1..4096.
std::unique_ptr<DiskQueue> make_disk_queue(std::size_t depth);

/// Memory at a multiple of `page` (of 64 at least), not touched before it is used.
class DiskBuffer {
 public:
  DiskBuffer() = default;
  /// Throws StorageError where it cannot be had.
  DiskBuffer(std::size_t nbytes, std::size_t page);
  DiskBuffer(DiskBuffer&& other) noexcept;
  DiskBuffer& operator=(DiskBuffer&& other) noexcept;
  ~DiskBuffer();
  [[nodiscard]] std::byte* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace tenstride::io
