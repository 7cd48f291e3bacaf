// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "tenstride/base/dtype.hpp"

namespace tenstride::bench {

/// Memory for one side of all copies: on huge pages, written once, and reused by all cases.
class Arena {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena();

  /// Makes room for `bytes`. If the arena has to grow, its contents are lost. Throws std::bad_alloc.
  void require(std::size_t bytes);
  /// Writes the test pattern into the first `elements` elements, unless it is there already.
  void fill(DType type, std::size_t elements, std::uint32_t mask);
  /// Makes the next `fill` write the pattern again.
  void forget() noexcept { filled_bytes_ = 0; }

  [[nodiscard]] std::byte* data() const noexcept { return data_; }

 private:
  void release() noexcept;

  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  DType filled_type_ = DType::uint8;
  std::uint32_t filled_mask_ = 0;
  std::size_t filled_bytes_ = 0;
};

/// The number that element `position` of a source holds: irregular, so that a wrong stride reads wrong
/// numbers.
constexpr std::uint32_t pattern(std::size_t position, std::uint32_t mask) {
  return static_cast<std::uint32_t>(position * std::size_t{0x9E3779B97F4A7C15U} >> 40U) & mask;
}

/// A mask that keeps the numbers exact in both types, so that conversions do not depend on rounding.
std::uint32_t exact_mask(DType from, DType to);

/// Bytes of memory that are available.
std::size_t available_memory();

}  // namespace tenstride::bench
