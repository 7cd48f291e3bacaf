// SPDX-License-Identifier: Apache-2.0
#include "tenstride/io/orientation.hpp"

#include <gtest/gtest.h>

#include <array>

#include "io/image/exif.hpp"
#include "support/refusal.hpp"
#include "support/scratch.hpp"
#include "support/test_data.hpp"
#include "tenstride/copy/copy.hpp"
#include "tenstride/io/file.hpp"
#include "tenstride/io/image.hpp"
#include "tenstride/layout/text.hpp"
#include "tenstride/tensor/factory.hpp"

namespace tenstride::io {
namespace {

using testing::Dice;
using testing::refusal;
using testing::Scratch;

/// Digits of a number, the most significant first where `big`.
std::string digits(std::uint64_t value, std::size_t width, bool big) {
  std::string text;
  for (std::size_t i = 0; i < width; ++i)
    text += static_cast<char>(value >> (8 * (big ? width - 1 - i : i)) & 0xFF);
  return text;
}

struct Entry {
  std::uint64_t tag = 0x0112;
  std::uint64_t type = 3;
  std::uint64_t count = 1;
  std::uint64_t value = 6;
};

/// EXIF data with one directory of these entries at byte 8.
std::string exif(bool big, const std::vector<Entry>& entries) {
  std::string text = (big ? "MM" : "II") + digits(42, 2, big) + digits(8, 4, big);
  text += digits(entries.size(), 2, big);
  for (const Entry& entry : entries) {
    text += digits(entry.tag, 2, big) + digits(entry.type, 2, big) + digits(entry.count, 4, big);
    text += entry.type == 3 ? digits(entry.value, 2, big) + digits(0, 2, big) : digits(entry.value, 4, big);
  }
  return text + digits(0, 4, big);
}

int orientation_of(const std::string& bytes) {
  return static_cast<int>(exif_orientation(std::as_bytes(std::span(bytes))));
}

TEST(Exif, BothByteOrdersAndAllValues) {
  for (const bool big : {false, true}) {
    for (std::uint64_t value = 1; value <= 8; ++value) {
      const Entry maker{0x010F, 2, 40, 26}, density{0x011A, 5, 1, 26};
      EXPECT_EQ(orientation_of(exif(big, {maker, {.value = value}, density})), static_cast<int>(value));
    }
  }
}

TEST(Exif, WhatIsWrongIsUpright) {
  for (const bool big : {false, true}) {
    for (const Entry& entry : {Entry{.value = 0}, Entry{.value = 9}, Entry{.value = 0x600}, Entry{.type = 4},
                               Entry{.type = 2}, Entry{.count = 0}, Entry{.count = 2}, Entry{.tag = 0x1201}})
      EXPECT_EQ(orientation_of(exif(big, {entry})), 1);
    const std::string whole = exif(big, {{}});
    ASSERT_EQ(orientation_of(whole), 6);
    // The two bytes of the value's padding and the place of the next directory are not needed.
    for (std::size_t length = 0; length < whole.size() - 6; ++length)
      EXPECT_EQ(orientation_of(whole.substr(0, length)), 1) << length;
    std::string other = whole;
    other.replace(0, 2, big ? "II" : "MM");
    EXPECT_EQ(orientation_of(other), 1);
    for (const std::uint64_t place : {0xFFFFFFFFU, 0xFFFFFFFEU, 0x7FFFFFFFU, 27U, 0U}) {
      std::string moved = whole;
      moved.replace(4, 4, digits(place, 4, big));
      EXPECT_EQ(orientation_of(moved), 1) << place;
    }
    std::string many = whole;  // 65535 entries are announced, none is the one
    many.replace(8, 4, digits(0xFFFF, 2, big) + digits(0x010F, 2, big));
    EXPECT_EQ(orientation_of(many), 1);
  }
  EXPECT_EQ(orientation_of(""), 1);
  EXPECT_EQ(orientation_of("GIF89a"), 1);
}

TEST(Exif, DamagedBytesGiveAnOrientation) {
  Dice dice(5);
  for (int round = 0; round < 20000; ++round) {
    std::string bytes = exif(round % 2 == 0, {Entry{.tag = 0x0100}, Entry{}});
    bytes.resize(dice.roll(bytes.size() + 1));
    for (std::size_t changes = dice.roll(4); changes > 0 && !bytes.empty(); --changes)
      bytes[dice.roll(bytes.size())] = static_cast<char>(dice.roll(256));
    const std::vector<char> exact(bytes.begin(), bytes.end());  // a byte behind it would be found by asan
    const int found = static_cast<int>(exif_orientation(std::as_bytes(std::span(exact))));
    EXPECT_TRUE(found >= 1 && found <= 8);
  }
}

/// By the definition of each value: which side of the picture the stored row 0 and column 0 are.
std::array<Index, 2> stored_at(int orientation, Index y, Index x, Index height, Index width) {
  switch (orientation) {  // (y, x) of the picture as it was taken; height and width as stored
    case 1:               // row 0 is the top, column 0 the left side
      return {y, x};
    case 2:  // top, right
      return {y, width - 1 - x};
    case 3:  // bottom, right
      return {height - 1 - y, width - 1 - x};
    case 4:  // bottom, left
      return {height - 1 - y, x};
    case 5:  // left, top
      return {x, y};
    case 6:  // right, top
      return {height - 1 - x, y};
    case 7:  // right, bottom
      return {height - 1 - x, width - 1 - y};
    default:  // left, bottom
      return {x, width - 1 - y};
  }
}

TEST(Orientation, UprightIsTheDefinitionAndMovesNothing) {
  const Tensor stored = arange(4 * 5 * 3).view({4, 5, 3});
  for (int value = 1; value <= 8; ++value) {
    const auto orientation = static_cast<Orientation>(value);
    const Tensor seen = upright(stored, orientation);
    EXPECT_EQ(seen.shape(), value < 5 ? (Dims{4, 5, 3}) : (Dims{5, 4, 3}));
    EXPECT_EQ(seen.storage().data(), stored.storage().data());
    for (Index y = 0; y < seen.size(0); ++y) {
      for (Index x = 0; x < seen.size(1); ++x) {
        const auto [row, column] = stored_at(value, y, x, 4, 5);
        EXPECT_TRUE(seen.select(0, y).select(0, x).equal(stored.select(0, row).select(0, column)));
      }
    }
  }
  EXPECT_EQ(to_string(upright(row_major({2, 3, 1}), Orientation::rotated_counterclockwise)),
            "(3,2,1):(1,-3,1)+3");
  EXPECT_EQ(description(Orientation::rotated_counterclockwise), "rotated by 90 degrees counterclockwise");
  EXPECT_EQ(refusal<ShapeError>([] { return upright(row_major({4}), Orientation::mirrored); }),
            "upright: shape (4) must be (h,w) or (h,w,c)");
}

#ifdef TENSTRIDE_WITH_IMAGES

std::string jpeg() {
  for (const auto& [name, words] : testing::recorded_lines(testing::test_data("images.txt"))) {
    if (name == "jpeg-gray") return testing::from_hex(words.at(3));
  }
  return {};
}

/// The segment APP1 behind the first marker.
std::string jpeg_with(const std::string& segment) {
  const std::string file = jpeg();
  return file.substr(0, 2) + "\xff\xe1" + digits(segment.size() + 2, 2, true) + segment + file.substr(2);
}

const std::string exif_name("Exif\0\0", 6);

int orientation_in(const std::string& file) {
  const Scratch scratch;
  const std::string path = scratch.file("x", file);
  EXPECT_EQ(read_image(path).shape(), (Dims{9, 11, 1}));  // as it is stored
  return static_cast<int>(read_file_info(path).orientation);
}

TEST(Orientation, IsReadFromJpeg) {
  EXPECT_EQ(orientation_in(jpeg()), 1);
  for (const bool big : {false, true})
    EXPECT_EQ(orientation_in(jpeg_with(exif_name + exif(big, {{.value = 8}}))), 8);
  EXPECT_EQ(orientation_in(jpeg_with("http://ns.adobe.com/xap/1.0/")), 1);
  EXPECT_EQ(orientation_in(jpeg_with("")), 1);
  EXPECT_EQ(orientation_in(jpeg_with("Exif")), 1);
  EXPECT_EQ(orientation_in(jpeg_with(exif_name)), 1);
  EXPECT_EQ(orientation_in(jpeg_with(exif_name + exif(true, {{}}).substr(0, 19))), 1);
  const std::string large = exif_name + exif(true, {{.value = 3}}) + std::string(65000, 'x');
  EXPECT_EQ(orientation_in(jpeg_with(large)), 3);
}

/// Of a PNG's chunk.
std::uint32_t crc(const std::string& text) {
  std::uint32_t sum = 0xFFFFFFFFU;
  for (const char c : text) {
    sum ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) sum = (sum >> 1) ^ ((sum & 1U) != 0 ? 0xEDB88320U : 0U);
  }
  return ~sum;
}

TEST(Orientation, IsReadFromPng) {
  const Scratch scratch;
  const std::string path = scratch.path("x.png");
  write_png(path, arange(99).to(DType::uint8).view({9, 11}));
  const std::string file = testing::read_bytes(path);
  const auto with = [&](const std::string& data) {
    const std::string chunk = "eXIf" + data;
    return file.substr(0, 33) + digits(data.size(), 4, true) + chunk + digits(crc(chunk), 4, true) +
           file.substr(33);
  };
  EXPECT_EQ(orientation_in(with(exif(false, {{.value = 5}}))), 5);
  EXPECT_EQ(orientation_in(with(exif(true, {{.value = 7}}))), 7);
  EXPECT_EQ(orientation_in(with(exif(true, {{}}).substr(0, 19))), 1);
  EXPECT_EQ(orientation_in(with("")), 1);
}

#endif

}  // namespace
}  // namespace tenstride::io
