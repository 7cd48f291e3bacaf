// SPDX-License-Identifier: Apache-2.0
#include "io/tiff/packed_elements.hpp"

#include <cstring>

namespace tenstride::io {
namespace {

/// The bits of a row come one after the other, the highest of each element first.
template <typename Element>
void unpack_row(const std::byte* packed, std::size_t bits, std::size_t count, std::byte* elements) {
  std::uint64_t held = 0;
  std::size_t held_bits = 0;
  const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  for (std::size_t i = 0; i < count; ++i) {
    for (; held_bits < bits; held_bits += 8) held = held << 8 | std::to_integer<std::uint64_t>(*packed++);
    held_bits -= bits;
    const auto element = static_cast<Element>(held >> held_bits & mask);
    std::memcpy(elements + i * sizeof(Element), &element, sizeof(Element));
  }
}

template <typename Element>
void mask_as(std::size_t bits, std::span<std::byte> elements) {
  const auto mask = static_cast<Element>((std::uint64_t{1} << bits) - 1);
  for (std::size_t at = 0; at + sizeof(Element) <= elements.size(); at += sizeof(Element)) {
    Element element;
    std::memcpy(&element, elements.data() + at, sizeof element);
    element = static_cast<Element>(element & mask);
    std::memcpy(elements.data() + at, &element, sizeof element);
  }
}

/// Units of so many pixels across and down follow each other: the lightness of each pixel, then Cb and Cr.
void share_colours(const TiffFormat& format, Index rows, const std::byte* packed, std::byte* elements) {
  const Index across = format.shared_across;
  const Index down = format.shared_down;
  for (Index top = 0; top < rows; top += down) {
    for (Index left = 0; left < format.piece_width; left += across) {
      for (Index i = 0; i < across * down; ++i) {
        const Index y = top + i / across;
        const Index x = left + i % across;
        if (y >= rows || x >= format.piece_width) continue;
        std::byte* const pixel = elements + 3 * (y * format.piece_width + x);
        pixel[0] = packed[i];
        pixel[1] = packed[across * down];
        pixel[2] = packed[across * down + 1];
      }
      packed += across * down + 2;
    }
  }
}

}  // namespace

void unpack_elements(const TiffFormat& format, Index rows, std::span<const std::byte> packed,
                     std::span<std::byte> elements) {
  if (format.shares_colours()) return share_colours(format, rows, packed.data(), elements.data());
  const auto bits = static_cast<std::size_t>(format.bits);
  const auto count = static_cast<std::size_t>(format.piece_width * format.samples_together());
  const std::size_t packed_row = packed.size() / static_cast<std::size_t>(rows);
  const std::size_t item = item_size(format.dtype);
  for (std::size_t y = 0; y < static_cast<std::size_t>(rows); ++y) {
    const std::byte* const row = packed.data() + y * packed_row;
    std::byte* const to = elements.data() + y * count * item;
    if (item == 1) unpack_row<std::uint8_t>(row, bits, count, to);
    if (item == 2) unpack_row<std::uint16_t>(row, bits, count, to);
    if (item == 4) unpack_row<std::uint32_t>(row, bits, count, to);
  }
}

void mask_elements(const TiffFormat& format, std::span<std::byte> elements) {
  const auto bits = static_cast<std::size_t>(format.bits);
  const std::size_t item = item_size(format.dtype);
  if (item == 1) mask_as<std::uint8_t>(bits, elements);
  if (item == 2) mask_as<std::uint16_t>(bits, elements);
  if (item == 4) mask_as<std::uint32_t>(bits, elements);
}

}  // namespace tenstride::io
