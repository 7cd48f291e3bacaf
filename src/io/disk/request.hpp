// SPDX-License-Identifier: Apache-2.0
// What both kinds of queue share: what follows from what the system says of a transfer.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "files/system_reason.hpp"
#include "io/disk/disk.hpp"

namespace tenstride::io {

/// One request, which may take several transfers.
class DiskRequest {
 public:
  DiskRequest() = default;
  static DiskRequest reading(const DiskFile& file, std::uint64_t offset, std::span<std::byte> bytes,
                             std::size_t needed, std::uint64_t tag);
  static DiskRequest writing(const DiskFile& file, std::uint64_t offset, std::span<const std::byte> bytes,
                             std::uint64_t tag);

  /// The next transfer.
  [[nodiscard]] bool is_read() const noexcept { return source_ == nullptr; }
  [[nodiscard]] int descriptor() const noexcept { return file_->descriptor(); }
  [[nodiscard]] std::uint64_t offset() const noexcept { return offset_ + done_; }
  /// Where a reading request puts bytes.
  [[nodiscard]] std::byte* destination() const noexcept { return destination_ + done_; }
  /// Where a writing request takes bytes.
  [[nodiscard]] const std::byte* source() const noexcept { return source_ + done_; }
  /// The bytes of the next transfer: at most 2^30, as no system takes more than 2^31 at once.
  [[nodiscard]] std::size_t nbytes() const noexcept;
  [[nodiscard]] std::uint64_t tag() const noexcept { return tag_; }
  /// The bytes of all transfers together.
  [[nodiscard]] std::size_t size() const noexcept { return nbytes_; }

  /// Carries the next transfer out by pread or pwrite: the bytes moved, or -errno.
  [[nodiscard]] std::int64_t perform() const noexcept;

  enum class Next : unsigned char { finished, again };
  /// Takes what the system said of a transfer: the bytes moved, or -errno. Interrupted and short transfers
  /// are to be done again, from the last whole page on. Throws FileError.
  Next advance(std::int64_t result);
  /// Throws FileError for an errno.
  [[noreturn]] void refuse(int error) const;

 private:
  [[noreturn]] void refuse_end(std::size_t reached) const;

  const DiskFile* file_ = nullptr;
  std::uint64_t offset_ = 0;
  std::byte* destination_ = nullptr;
  const std::byte* source_ = nullptr;
  std::size_t nbytes_ = 0;
  std::size_t needed_ = 0;
  std::size_t done_ = 0;
  /// Transfers since `done_` grew.
  int stalled_ = 0;
  std::uint64_t tag_ = 0;
};

/// A queue over any means to carry out single transfers.
class RequestQueue : public DiskQueue {
 public:
  explicit RequestQueue(std::size_t depth);
  void read(const DiskFile& file, std::uint64_t offset, std::span<std::byte> bytes, std::size_t needed,
            std::uint64_t tag) final;
  void write(const DiskFile& file, std::uint64_t offset, std::span<const std::byte> bytes,
             std::uint64_t tag) final;
  std::uint64_t wait() final;
  [[nodiscard]] std::size_t in_flight() const noexcept final { return slots_.size() - free_.size(); }
  [[nodiscard]] std::size_t depth() const noexcept final { return slots_.size(); }
  [[nodiscard]] bool has_room(std::size_t nbytes) const noexcept final {
    return !free_.empty() && (in_flight() == 0 || bytes_in_flight_ + nbytes <= bytes_at_once);
  }

 protected:
  struct Result {
    std::size_t slot = 0;
    std::int64_t value = 0;  ///< the bytes moved, or -errno
  };
  [[nodiscard]] const DiskRequest& request(std::size_t slot) const noexcept { return slots_[slot]; }
  /// Waits until no transfer is in flight and forgets the results. For the destructors of the kinds of queue,
  /// before what they need for it goes away.
  void finish() noexcept;

 private:
  /// Begins the next transfer of the slot's request. Throws FileError where that cannot be.
  virtual void start(std::size_t slot) = 0;
  /// Waits for any transfer.
  virtual Result next_result() = 0;

  void enqueue(const DiskRequest& request);
  void release(std::size_t slot);

  std::vector<DiskRequest> slots_;
  std::vector<std::size_t> free_;
  std::size_t bytes_in_flight_ = 0;
};

/// A queue over at most 16 threads that pread and pwrite. Throws StorageError where none can be had.
std::unique_ptr<DiskQueue> make_thread_queue(std::size_t depth);
/// A queue over io_uring; null where the system refuses it.
std::unique_ptr<DiskQueue> make_uring_queue(std::size_t depth);

}  // namespace tenstride::io
