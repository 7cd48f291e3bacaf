// SPDX-License-Identifier: Apache-2.0
// Offsets in cache lines. A streaming store writes a whole line without reading it first, so copies cut what
// they write where lines of the destination begin.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/cache_line.hpp"
#include "tenstride/base/index.hpp"

namespace tenstride::copy {

inline constexpr auto line_bytes = static_cast<std::size_t>(detail::line_bytes);

/// Offset of an address in its cache line, in bytes.
inline std::size_t line_offset(const std::byte* address) {
  return reinterpret_cast<std::uintptr_t>(address) % line_bytes;
}

/// Bytes from an address to the next start of a line; 0 where a line starts there.
inline std::size_t bytes_to_line(const std::byte* address) {
  return (0 - reinterpret_cast<std::uintptr_t>(address)) % line_bytes;
}

/// `bytes` rounded up to an odd number of lines: buffer rows with such a pitch fall into different sets of a
/// cache. Example: 130 bytes to 192.
constexpr std::size_t odd_lines(std::size_t bytes) {
  return ((bytes + line_bytes - 1) / line_bytes | 1U) * line_bytes;
}

}  // namespace tenstride::copy
