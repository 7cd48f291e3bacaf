// SPDX-License-Identifier: Apache-2.0
// Offsets in cache lines. A streaming store writes a whole line without reading it first, so copies cut what
// they write where lines of the destination begin.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>

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

/// The number of strides after which an address has the same offset in its line again. Example: 4 for a
/// stride of 48 bytes.
inline Index strides_to_line(Index stride) {
  return static_cast<Index>(line_bytes) / std::gcd(static_cast<Index>(line_bytes), stride);
}

/// A run cut into pieces of which all but the first begin at the start of a line, so that no two threads
/// write to one line. All counts are in items.
class LinePieces {
 public:
  /// A piece has `piece` items, which are whole lines. `lead` is the number of items between the start of the
  /// run's first line and the run.
  LinePieces(Index extent, Index piece, Index lead) : extent_(extent), piece_(piece), lead_(lead) {}

  [[nodiscard]] Index count() const { return ceil_divide(extent_ + lead_, piece_); }
  [[nodiscard]] Index first(Index number) const { return std::max<Index>(number * piece_ - lead_, 0); }
  [[nodiscard]] Index last(Index number) const { return std::min((number + 1) * piece_ - lead_, extent_); }

 private:
  Index extent_;
  Index piece_;
  Index lead_;
};

}  // namespace tenstride::copy
