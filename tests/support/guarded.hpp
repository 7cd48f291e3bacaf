// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <random>

namespace tenstride::testing {

/// Whole pages of memory between two pages that nobody may touch: whoever reads or writes one byte before
/// begin() or from end() on ends the program. Pages that nobody touches need no memory, however many.
class Guarded {
 public:
  explicit Guarded(std::size_t min_bytes) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    size_ = (min_bytes + page - 1) / page * page;
    whole_ = size_ + 2 * page;
    void* const memory = mmap(nullptr, whole_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    start_ = static_cast<std::byte*>(memory);
    begin_ = start_ + page;
    if (mprotect(begin_, size_, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
  }
  ~Guarded() { munmap(start_, whole_); }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;

  [[nodiscard]] std::byte* begin() const { return begin_; }
  [[nodiscard]] std::byte* end() const { return begin_ + size_; }
  [[nodiscard]] std::size_t size() const { return size_; }

  /// A place for so many bytes that begins `skew` bytes after the front guard.
  [[nodiscard]] std::byte* at_front(std::size_t skew = 0) const { return begin_ + skew; }
  /// A place for so many bytes that ends `skew` bytes before the guard behind.
  [[nodiscard]] std::byte* at_back(std::size_t bytes, std::size_t skew = 0) const {
    return begin_ + (size_ - bytes - skew);
  }
  void fill_randomly(unsigned seed) const {
    std::mt19937_64 random(seed);
    for (std::byte* at = begin_; at != end(); at += sizeof(std::uint64_t)) {
      const std::uint64_t bits = random();
      std::memcpy(at, &bits, sizeof bits);
    }
  }

 private:
  std::byte* start_ = nullptr;
  std::byte* begin_ = nullptr;
  std::size_t size_ = 0;
  std::size_t whole_ = 0;
};

}  // namespace tenstride::testing
