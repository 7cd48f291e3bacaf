// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace tenstride::io {

/// How far a transfer came: `nbytes` were moved, and where that is not all, `error` is the `errno`, or 0 for
/// a file that ends before.
struct Transfer {
  std::size_t nbytes = 0;
  int error = 0;
};

/// Fills the bytes from a byte of an open file on. Interrupted and short transfers go on by themselves.
Transfer read_at(int file, std::span<std::byte> bytes, std::uint64_t begin) noexcept;
/// Writes the bytes from a byte of an open file on.
Transfer write_at(int file, std::span<const std::byte> bytes, std::uint64_t begin) noexcept;

}  // namespace tenstride::io
