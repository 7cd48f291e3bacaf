// SPDX-License-Identifier: Apache-2.0
#include "io/tiff/directory.hpp"

#include <algorithm>
#include <bit>

#include "io/input.hpp"

namespace tenstride::io {
namespace {

constexpr std::uint16_t tiff_type_rational = 5;
constexpr std::uint16_t tiff_type_float32 = 11;
constexpr std::uint16_t tiff_type_float64 = 12;

/// Bytes of one value; 0 for a type that TIFF does not have.
std::uint64_t tiff_type_width(std::uint16_t type) {
  constexpr std::array<std::uint8_t, 19> widths{0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8, 8};
  return type < widths.size() ? widths[type] : 0;
}

/// BYTE, SHORT, LONG, IFD, LONG8 and IFD8.
bool is_tiff_integer(std::uint16_t type) {
  return type == 1 || type == 3 || type == 4 || type == 13 || type == 16 || type == 18;
}

}  // namespace

const TiffTag* TiffDirectory::find(std::uint16_t tag) const {
  const auto found =
      std::find_if(tags.begin(), tags.end(), [&](const TiffTag& one) { return one.tag == tag; });
  return found == tags.end() ? nullptr : &*found;
}

TiffReader::TiffReader(const TiffFile& file) : numbers_(file) {
  std::array<std::byte, 16> start{};
  const std::span<const std::byte> held(start.data(), file.try_read(0, start));
  const auto is_mark = [&](char c) {
    return held.size() >= 2 && held[0] == static_cast<std::byte>(c) && held[1] == static_cast<std::byte>(c);
  };
  numbers_.set_big_endian(is_mark('M'));
  if ((is_mark('I') || is_mark('M')) && held.size() < 8) {
    file.refuse("ends after ", held.size(), " bytes and must have at least 8, the start of a TIFF file");
  }
  const std::uint64_t version =
      (is_mark('I') || is_mark('M')) && held.size() >= 8 ? numbers_.number(2, 2) : 0;
  if (version != 42 && version != 43) {
    file.refuse("must begin as TIFF, with II or MM and 42 or 43 in 2 bytes, it begins with ",
                describe_start(held));
  }
  is_big_tiff_ = version == 43;
  if (is_big_tiff_ && (numbers_.number(4, 2) != 8 || numbers_.number(6, 2) != 0)) {
    file.refuse("is a BigTIFF with offsets of ", numbers_.number(4, 2), " bytes, which must be 8");
  }
  first_directory_ = is_big_tiff_ ? numbers_.number(8, 8) : numbers_.number(4, 4);
  if (first_directory_ == 0) file.refuse("must have at least one page, it has none");
}

void TiffReader::read_directory(std::uint64_t begin, TiffDirectory& directory) {
  const std::uint64_t offset_width = is_big_tiff_ ? 8 : 4;
  const std::uint64_t count_width = is_big_tiff_ ? 8 : 2;
  const std::uint64_t entry_width = is_big_tiff_ ? 20 : 12;
  const auto require = [&](std::uint64_t nbytes) {
    if (begin <= file().size() && nbytes <= file().size() - begin) return;
    file().refuse("has a directory at byte ", begin, " of at least ", nbytes,
                  " bytes, which must lie in the file of ", file().size());
  };
  require(count_width);
  const std::uint64_t count = numbers_.number(begin, count_width);
  constexpr std::uint64_t max_tags = 65535;
  if (count < 1 || count > max_tags) {
    file().refuse("has a directory at byte ", begin, " with ", count, " tags, which must be 1 to ", max_tags);
  }
  require(count_width + count * entry_width + offset_width);
  tags_ += count;
  if (tags_ > max_tiff_tags) file().refuse("has directories of more tags than ", max_tiff_tags);
  const std::uint64_t entries = begin + count_width;
  directory.next = numbers_.number(entries + count * entry_width, offset_width);
  directory.begin = begin;
  directory.tags.clear();
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t entry = entries + i * entry_width;
    TiffTag tag;
    tag.tag = static_cast<std::uint16_t>(numbers_.number(entry, 2));
    tag.type = static_cast<std::uint16_t>(numbers_.number(entry + 2, 2));
    tag.count = numbers_.number(entry + 4, offset_width);
    const std::uint64_t width = tiff_type_width(tag.type);
    if (width == 0) continue;
    tag.begin = entry + 4 + offset_width;
    if (tag.count > offset_width / width) tag.begin = numbers_.number(tag.begin, offset_width);
    directory.tags.push_back(tag);
  }
}

std::uint64_t TiffReader::integer(const TiffTag& tag, std::uint64_t i) {
  if (!is_tiff_integer(tag.type)) {
    file().refuse("has the tag ", tag.tag, " of type ", tag.type, ", which must be one of integers");
  }
  if (i >= tag.count) {
    file().refuse("has the tag ", tag.tag, " with ", tag.count, " values and must have at least ", i + 1);
  }
  const std::uint64_t width = tiff_type_width(tag.type);
  const std::uint64_t size = file().size();
  if (tag.begin > size || i >= (size - tag.begin) / width) {
    file().refuse("has the tag ", tag.tag, " with ", tag.count, " values from byte ", tag.begin,
                  " on, which must lie in the file of ", size, " bytes");
  }
  return numbers_.number(tag.begin + i * width, width);
}

std::uint64_t TiffReader::integer(const TiffDirectory& page, std::uint16_t tag, std::uint64_t otherwise) {
  const TiffTag* const found = page.find(tag);
  return found == nullptr ? otherwise : integer(*found);
}

std::optional<std::string> TiffReader::text(const TiffDirectory& page, std::uint16_t tag) {
  const TiffTag* const found = page.find(tag);
  if (found == nullptr || tiff_type_width(found->type) != 1 || found->count > max_tiff_text) {
    return std::nullopt;
  }
  if (found->begin > file().size() || found->count > file().size() - found->begin) return std::nullopt;
  if (!may_read(found->count)) return std::nullopt;
  std::string text(found->count, '\0');
  file().read(found->begin, std::as_writable_bytes(std::span(text)));
  text.resize(std::min(text.size(), text.find('\0')));
  return text;
}

bool TiffReader::text_begins(const TiffDirectory& page, std::uint16_t tag, std::string_view start) {
  const TiffTag* const found = page.find(tag);
  if (found == nullptr || tiff_type_width(found->type) != 1 || found->count < start.size()) return false;
  if (found->begin > file().size() || start.size() > file().size() - found->begin) return false;
  for (std::size_t i = 0; i < start.size(); ++i) {
    if (static_cast<char>(numbers_.number(found->begin + i, 1)) != start[i]) return false;
  }
  return true;
}

bool TiffReader::may_read(std::uint64_t nbytes) {
  value_nbytes_ += std::min(nbytes, max_tiff_values);
  return value_nbytes_ <= max_tiff_values;
}

std::optional<double> TiffReader::rational(const TiffDirectory& page, std::uint16_t tag) {
  const TiffTag* const found = page.find(tag);
  if (found == nullptr || found->type != tiff_type_rational || found->count != 1) return std::nullopt;
  if (found->begin > file().size() || file().size() - found->begin < 8) return std::nullopt;
  const auto above = static_cast<double>(numbers_.number(found->begin, 4));
  const auto below = static_cast<double>(numbers_.number(found->begin + 4, 4));
  if (below == 0) return std::nullopt;
  return above / below;
}

std::optional<std::vector<double>> TiffReader::numbers(const TiffTag& tag) {
  const bool is_floating = tag.type == tiff_type_float32 || tag.type == tiff_type_float64;
  if (!is_floating && !is_tiff_integer(tag.type)) return std::nullopt;
  const std::uint64_t width = tiff_type_width(tag.type);
  if (tag.begin > file().size() || tag.count > (file().size() - tag.begin) / width) return std::nullopt;
  if (!may_read(tag.count * width)) return std::nullopt;
  std::vector<double> values;
  for (std::uint64_t i = 0; i < tag.count; ++i) {
    const std::uint64_t bits = numbers_.number(tag.begin + i * width, width);
    values.push_back(tag.type == tiff_type_float64   ? std::bit_cast<double>(bits)
                     : tag.type == tiff_type_float32 ? std::bit_cast<float>(static_cast<std::uint32_t>(bits))
                                                     : static_cast<double>(bits));
  }
  return values;
}

}  // namespace tenstride::io
