// SPDX-License-Identifier: Apache-2.0
#ifdef TENSTRIDE_HAS_ISAL
#include <isa-l/crc.h>
#endif

#include <algorithm>
#include <array>

#include "io/zarr/codecs.hpp"

namespace tenstride::io {

#ifdef TENSTRIDE_HAS_ISAL

std::uint32_t crc32c(std::span<const std::byte> bytes) {
  std::uint32_t state = 0xffffffffU;
  while (!bytes.empty()) {
    constexpr std::size_t max_run = std::size_t{1} << 30;  // the library counts in int
    const std::size_t count = std::min(bytes.size(), max_run);
    // It reads only, though it takes a pointer to what may be written.
    auto* const first = reinterpret_cast<unsigned char*>(const_cast<std::byte*>(bytes.data()));
    state = crc32_iscsi(first, static_cast<int>(count), state);
    bytes = bytes.subspan(count);
  }
  return ~state;
}

#else

namespace {

constexpr std::array<std::uint32_t, 256> crc32c_table = [] {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    table[i] = i;
    for (int bit = 0; bit < 8; ++bit) table[i] = (table[i] >> 1) ^ ((table[i] & 1U) * 0x82f63b78U);
  }
  return table;
}();

}  // namespace

std::uint32_t crc32c(std::span<const std::byte> bytes) {
  std::uint32_t state = 0xffffffffU;
  for (const std::byte byte : bytes) {
    state = crc32c_table[(state ^ std::to_integer<std::uint32_t>(byte)) & 0xffU] ^ (state >> 8);
  }
  return ~state;
}

#endif

}  // namespace tenstride::io
