// SPDX-License-Identifier: Apache-2.0
#include "io/image/exif.hpp"

namespace tenstride::io {
namespace {

constexpr std::uint64_t entry_nbytes = 12;
constexpr std::uint64_t orientation_tag = 0x0112;
constexpr std::uint64_t type_short = 3;

}  // namespace

Orientation exif_orientation(std::span<const std::byte> exif) {
  ExifBytes bytes(exif);
  if (!bytes.find_byte_order() || bytes.number(2, 2) != 42) return Orientation::upright;
  const std::optional<std::uint64_t> directory = bytes.number(4, 4);
  if (!directory) return Orientation::upright;
  const std::uint64_t count = bytes.number(*directory, 2).value_or(0);
  for (std::uint64_t i = 0; i < count; ++i) {
    // Tag, type, number of values, and the value itself where it has at most 4 bytes.
    const std::uint64_t entry = *directory + 2 + i * entry_nbytes;
    const std::optional<std::uint64_t> tag = bytes.number(entry, 2);
    if (!tag) break;
    if (*tag != orientation_tag) continue;
    const std::optional<std::uint64_t> value = bytes.number(entry + 8, 2);
    const bool is_one_short = bytes.number(entry + 2, 2) == type_short && bytes.number(entry + 4, 4) == 1;
    if (!is_one_short || !value || *value < 1 || *value > 8) break;
    return static_cast<Orientation>(*value);
  }
  return Orientation::upright;
}

}  // namespace tenstride::io
