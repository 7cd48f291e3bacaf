// SPDX-License-Identifier: Apache-2.0
#include "io/image/mpo.hpp"

#include <algorithm>
#include <string_view>

#include "io/image/exif.hpp"

namespace tenstride::io {
namespace {

constexpr std::uint64_t directory_entry_nbytes = 12;
constexpr std::uint64_t picture_entry_nbytes = 16;
constexpr std::uint64_t pictures_tag = 0xB002;

/// The index is the first segment APP2 that begins with MPF; nothing where there is none. Gives where it
/// begins, behind that word.
std::optional<std::uint64_t> find_mpo_index(std::span<const std::byte> file) {
  constexpr std::string_view name("MPF\0", 4);
  constexpr unsigned app2 = 0xE2, start_of_scan = 0xDA, end_of_image = 0xD9;
  const auto byte = [&](std::size_t at) { return std::to_integer<unsigned>(file[at]); };
  std::size_t at = 2;
  while (at + 4 <= file.size() && byte(at) == 0xFF) {
    const unsigned marker = byte(at + 1);
    if (marker == start_of_scan || marker == end_of_image) break;
    if (marker == 0xFF) {  // a byte that fills
      ++at;
      continue;
    }
    const std::size_t length = byte(at + 2) << 8U | byte(at + 3);
    if (length < 2 || length > file.size() - at - 2) break;
    const std::string_view text(reinterpret_cast<const char*>(file.data() + at + 4), length - 2);
    if (marker == app2 && text.starts_with(name)) return at + 4 + name.size();
    at += 2 + length;
  }
  return std::nullopt;
}

}  // namespace

std::vector<PicturePart> mpo_pictures(std::span<const std::byte> file) {
  std::vector<PicturePart> pictures{{0, file.size()}};
  const std::optional<std::uint64_t> index = find_mpo_index(file);
  if (!index) return pictures;
  ExifBytes bytes(file.subspan(*index));
  if (!bytes.find_byte_order() || bytes.number(2, 2) != 42) return pictures;
  const std::uint64_t directory = bytes.number(4, 4).value_or(0);
  const std::uint64_t tags = bytes.number(directory, 2).value_or(0);
  for (std::uint64_t tag = 0; tag < tags; ++tag) {
    const std::uint64_t entry = directory + 2 + tag * directory_entry_nbytes;
    if (bytes.number(entry, 2) != pictures_tag) continue;
    // A segment has at most 65535 bytes, and so many entries of pictures.
    const std::uint64_t count =
        std::min<std::uint64_t>(bytes.number(entry + 4, 4).value_or(0) / picture_entry_nbytes, 4095);
    const std::uint64_t first = bytes.number(entry + 8, 4).value_or(0);
    for (std::uint64_t i = 1; i < count; ++i) {
      const std::uint64_t picture = first + i * picture_entry_nbytes;
      const std::optional<std::uint64_t> nbytes = bytes.number(picture + 4, 4);
      const std::optional<std::uint64_t> begin = bytes.number(picture + 8, 4);
      if (!nbytes || !begin) return pictures;
      pictures.push_back({*index + *begin, *nbytes});
    }
    break;
  }
  return pictures;
}

}  // namespace tenstride::io
