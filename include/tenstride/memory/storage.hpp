// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "tenstride/base/export.hpp"
#include "tenstride/memory/device.hpp"

#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#endif

namespace tenstride {

/// Whether the library may write through a storage.
enum class Access : unsigned char { read_write, read_only };

/// How a file is mapped. `copy_on_write` may be written to, and the file never sees it.
enum class MapMode : unsigned char { read_only, copy_on_write, read_write };

namespace detail {
/// The shared state behind Storage handles. Its own rung only: others go through Storage.
struct StorageBlock {
  std::atomic<std::size_t> references{1};
  std::byte* data = nullptr;
  /// The length in bytes, of 64 bits everywhere: what has no memory may be longer than addresses reach.
  std::uint64_t nbytes = 0;
  Device device = Device::cpu;
  Access access = Access::read_write;
  bool is_pinned = false;
  /// Gives back the bytes and the block itself.
  void (*release)(StorageBlock*) = nullptr;
  /// Gives the block at least `nbytes` bytes, keeping those it has; null where it cannot grow.
  void (*grow)(StorageBlock*, std::uint64_t nbytes) = nullptr;
};

/// Counting with a locked instruction costs more than the rest of a view; as long as the process has one
/// thread (glibc keeps the flag, libstdc++'s shared_ptr relies on it too) plain loads and stores do.
inline bool has_one_thread() noexcept {
#if __has_include(<sys/single_threaded.h>)
  return __libc_single_threaded != 0;
#else
  return false;
#endif
}
inline void add_reference(std::atomic<std::size_t>& references) noexcept {
  if (has_one_thread()) {
    references.store(references.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  } else {
    references.fetch_add(1, std::memory_order_relaxed);
  }
}
/// True for the last one.
inline bool drop_reference(std::atomic<std::size_t>& references) noexcept {
  if (!has_one_thread()) return references.fetch_sub(1, std::memory_order_acq_rel) == 1;
  const std::size_t left = references.load(std::memory_order_relaxed) - 1;
  references.store(left, std::memory_order_relaxed);
  return left == 0;
}
}  // namespace detail

/// A flat run of bytes shared by reference count; counting is thread-safe, the bytes are not guarded. Copies
/// of the handle are the same storage. Bytes of a fresh storage are not initialised.
class TENSTRIDE_API Storage {
 public:
  /// No storage at all: 0 bytes, on the cpu.
  constexpr Storage() noexcept = default;

  /// Fresh memory at a multiple of 64 bytes; huge pages are asked for where it is large. Throws StorageError
  /// where it cannot be had.
  static Storage allocate(std::uint64_t nbytes);
  /// Memory of the caller's: `deleter(data)` runs once, when the last handle goes; it must not throw.
  static Storage adopt(void* data, std::uint64_t nbytes, std::function<void(void*)> deleter,
                       Access access = Access::read_write);
  /// `nbytes` of a file from byte `offset` on, without reading it. Throws FileError where the file is absent
  /// or shorter. Example: `Storage::map_file("x.npy", MapMode::read_only, 128, 4096)`.
  static Storage map_file(const std::string& path, MapMode mode, std::uint64_t offset, std::uint64_t nbytes);
  /// A size without memory, on `Device::meta`.
  static Storage meta(std::uint64_t nbytes) { return on(Device::meta, nbytes); }
  /// Fresh memory on the cpu; on any other device a size without memory.
  static Storage on(Device device, std::uint64_t nbytes);

  /// As many bytes that are not there: on meta for the cpu, else on the same device; pinned where these are.
  [[nodiscard]] Storage without_memory() const;

  constexpr Storage(const Storage& other) noexcept : block_(other.block_) { retain(); }
  constexpr Storage(Storage&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
  constexpr Storage& operator=(const Storage& other) noexcept {
    Storage copy(other);
    std::swap(block_, copy.block_);
    return *this;
  }
  constexpr Storage& operator=(Storage&& other) noexcept {
    std::swap(block_, other.block_);
    return *this;
  }
  constexpr ~Storage() {
    if (block_ != nullptr) drop();
  }

  [[nodiscard]] std::uint64_t nbytes() const noexcept { return block_ == nullptr ? 0 : block_->nbytes; }
  [[nodiscard]] Device device() const noexcept { return block_ == nullptr ? Device::cpu : block_->device; }
  [[nodiscard]] bool has_memory() const noexcept { return device().has_memory(); }
  /// Whether the bytes were requested in page-locked memory, which a device reads directly. Used for
  /// forecasts only: this build locks no pages.
  [[nodiscard]] bool is_pinned() const noexcept { return block_ != nullptr && block_->is_pinned; }
  /// Nothing happens to no storage.
  void set_pinned() noexcept {
    if (block_ != nullptr) block_->is_pinned = true;
  }
  [[nodiscard]] bool is_read_only() const noexcept {
    return block_ != nullptr && block_->access == Access::read_only;
  }
  /// How many handles share the bytes. 0 for no storage.
  [[nodiscard]] std::size_t use_count() const noexcept {
    return block_ == nullptr ? 0 : block_->references.load(std::memory_order_relaxed);
  }
  /// The first byte; null on meta and for no storage.
  [[nodiscard]] const std::byte* data() const noexcept { return block_ == nullptr ? nullptr : block_->data; }
  /// The first byte, to be written to. Throws StorageError on a read-only storage.
  [[nodiscard]] std::byte* mutable_data() const {
    if (is_read_only()) throw_read_only();
    return block_ == nullptr ? nullptr : block_->data;
  }
  /// The same value for all handles on the same bytes, another for any other storage; null for no storage.
  [[nodiscard]] const void* id() const noexcept { return block_; }
  /// Makes the storage at least `nbytes` long, for all who share it; the bytes it has are kept, new ones are
  /// not initialised. Throws StorageError on adopted and mapped ones, which cannot grow.
  void grow(std::uint64_t nbytes);

  /// Whether both handles share the same bytes (not: whether the bytes are equal).
  friend constexpr bool operator==(const Storage& a, const Storage& b) noexcept {
    return a.block_ == b.block_;
  }

 private:
  explicit Storage(detail::StorageBlock* block) noexcept : block_(block) {}
  constexpr void retain() const noexcept {
    if (block_ != nullptr) detail::add_reference(block_->references);
  }
  void drop() noexcept {
    if (detail::drop_reference(block_->references)) block_->release(block_);
  }
  [[noreturn]] static void throw_read_only();

  detail::StorageBlock* block_ = nullptr;
};

}  // namespace tenstride
