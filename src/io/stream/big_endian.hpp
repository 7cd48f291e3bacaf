// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace tenstride::io {

/// The number whose bytes are given, the highest first. Pre: at most 8 of them.
constexpr std::uint64_t big_endian(std::span<const std::byte> bytes) {
  std::uint64_t value = 0;
  for (const std::byte byte : bytes) value = value << 8 | std::to_integer<std::uint64_t>(byte);
  return value;
}

}  // namespace tenstride::io
