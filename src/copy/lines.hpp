// SPDX-License-Identifier: Apache-2.0
// How memory falls on cache lines. A line that is written whole past the cache is not read first, so what a
// copy writes is cut where lines of the destination begin.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>

#include "tenstride/index.hpp"

namespace tenstride::copy {

inline constexpr std::size_t line_bytes = 64;

/// Bytes from the start of the line that `at` lies in.
inline std::size_t place_in_line(const std::byte* at) {
  return reinterpret_cast<std::uintptr_t>(at) % line_bytes;
}

/// Bytes up to the next line's start: 0 where `at` is one.
inline std::size_t bytes_to_line(const std::byte* at) {
  return (0 - reinterpret_cast<std::uintptr_t>(at)) % line_bytes;
}

/// So many bytes or more that are an odd number of lines: rows of a buffer so far apart fall into different
/// sets of the cache.
constexpr std::size_t odd_lines(std::size_t bytes) {
  return ((bytes + line_bytes - 1) / line_bytes | 1U) * line_bytes;
}

/// After so many steps of `stride` bytes the place within a line is the same again.
inline Index steps_to_line(Index stride) {
  return static_cast<Index>(line_bytes) / std::gcd(static_cast<Index>(line_bytes), stride);
}

/// A run in pieces that begin where lines do, all but the first: no two of them write to one line. In items.
class LinePieces {
 public:
  /// `lead` items would go before the run into the line that it begins in; a piece of whole lines has
  /// `piece`.
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
