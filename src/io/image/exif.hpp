// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "tenstride/io/orientation.hpp"

namespace tenstride::io {

/// Numbers at any place; none outside of the bytes.
class ExifBytes {
 public:
  explicit ExifBytes(std::span<const std::byte> bytes) : bytes_(bytes) {}

  /// Finds the byte order by the first two bytes, "II" or "MM"; false where they are neither.
  bool find_byte_order() {
    const std::uint64_t mark = number(0, 2).value_or(0);
    is_big_endian_ = mark == 0x4D4D;
    return is_big_endian_ || mark == 0x4949;
  }

  [[nodiscard]] std::optional<std::uint64_t> number(std::uint64_t first, std::uint64_t width) const {
    if (first > bytes_.size() || width > bytes_.size() - first) return std::nullopt;
    std::uint64_t value = 0;
    for (std::uint64_t i = 0; i < width; ++i) {
      const std::uint64_t at = first + (is_big_endian_ ? i : width - 1 - i);
      value = value << 8 | std::to_integer<std::uint64_t>(bytes_[at]);
    }
    return value;
  }

 private:
  std::span<const std::byte> bytes_;
  bool is_big_endian_ = false;
};

/// The orientation in EXIF data, which begins with "II*\0" or "MM\0*": the tag 0x0112 of its first directory.
/// `upright` where that is missing, damaged, or lies outside of the bytes: a wrong note is no wrong picture.
Orientation exif_orientation(std::span<const std::byte> exif);

}  // namespace tenstride::io
