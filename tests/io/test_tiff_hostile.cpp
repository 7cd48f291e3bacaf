// SPDX-License-Identifier: Apache-2.0
// TIFF files that are damaged, or were made to do damage; and those that others write.
#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <map>
#include <vector>

#include "io/tiff/tiff_source.hpp"
#include "support/refusal.hpp"
#include "support/scratch.hpp"

namespace tenstride::io {
namespace {

using testing::refusal;
using testing::Scratch;

/// A little-endian TIFF, made tag by tag.
class HandMadeTiff {
 public:
  using Tags = std::map<int, std::vector<std::uint32_t>>;

  /// A page of 4×6 pixels of uint8 in two strips, with other tags in place of the usual ones.
  static Tags page(std::uint32_t data, const Tags& other = {}) {
    Tags tags{{256, {6}},     {257, {4}}, {258, {8}}, {259, {1}},
              {262, {1}},     {277, {1}}, {278, {2}}, {273, {data, data + 12}},
              {279, {12, 12}}};
    for (const auto& [tag, values] : other) {
      if (values.empty()) {
        tags.erase(tag);
      } else {
        tags[tag] = values;
      }
    }
    return tags;
  }

  /// Appends bytes and gives where they begin.
  std::uint32_t data(const std::string& bytes) {
    const auto begin = static_cast<std::uint32_t>(bytes_.size());
    bytes_ += bytes;
    if (bytes_.size() % 2 != 0) bytes_ += '\0';
    return begin;
  }
  /// Appends a directory that the one before names as the next; a text is the tag 270.
  std::uint32_t directory(const Tags& tags, const std::string& text = "") {
    std::string entries;
    std::string values;
    const std::size_t count = tags.size() + (text.empty() ? 0 : 1);
    const auto begin = static_cast<std::uint32_t>(bytes_.size());
    const auto values_begin = begin + static_cast<std::uint32_t>(2 + 12 * count + 4);
    const auto add = [&](int tag, std::uint16_t type, std::size_t number, std::string bytes) {
      entries += number_text(static_cast<std::uint32_t>(tag), 2) + number_text(type, 2) +
                 number_text(static_cast<std::uint32_t>(number), 4);
      bytes.resize(std::max<std::size_t>(bytes.size(), 4), '\0');
      if (bytes.size() == 4) {
        entries += bytes;
      } else {
        entries += number_text(values_begin + static_cast<std::uint32_t>(values.size()), 4);
        values += bytes;
      }
    };
    bool has_text = text.empty();
    for (const auto& [tag, numbers] : tags) {
      if (!has_text && tag > 270) {
        add(270, 2, text.size() + 1, text + '\0');
        has_text = true;
      }
      std::string bytes;
      for (const std::uint32_t number : numbers) bytes += number_text(number, 4);
      add(tag, 4, numbers.size(), bytes);
    }
    link(begin);
    next_ = begin + 2 + static_cast<std::uint32_t>(12 * count);
    bytes_ += number_text(static_cast<std::uint32_t>(count), 2) + entries + number_text(0, 4) + values;
    return begin;
  }
  /// Makes the last directory name another as the next one.
  void link(std::uint32_t begin) { bytes_.replace(next_, 4, number_text(begin, 4)); }

  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  static std::string number_text(std::uint32_t number, int width) {
    std::string text;
    for (int i = 0; i < width; ++i) text += static_cast<char>(number >> (8 * i) & 0xFF);
    return text;
  }
  std::string bytes_ = std::string("II*\0\0\0\0\0", 8);
  std::size_t next_ = 4;
};

using Tags = HandMadeTiff::Tags;
using Texts = std::vector<std::string>;

/// 24 bytes of a page: 0, 1, 2, …
std::string counted_bytes() {
  std::string bytes;
  for (char c = 0; c < 24; ++c) bytes += c;
  return bytes;
}

/// A file of one page.
std::string one_page(const Tags& other = {}, const std::string& text = "") {
  HandMadeTiff file;
  const std::uint32_t data = file.data(counted_bytes());
  file.directory(HandMadeTiff::page(data, other), text);
  return file.bytes();
}

class TiffHostile : public ::testing::Test {
 protected:
  TiffStack open(const std::string& bytes) { return open_tiff_stack(scratch_.file("x.tif", bytes)); }
  /// All chunks of a file, one behind the other.
  std::string chunks(const std::string& bytes) {
    TiffStack stack = open(bytes);
    const TiffSource source(std::move(stack));
    std::vector<std::byte> chunk(static_cast<std::size_t>(count_elements(source.grid().chunk)) *
                                 item_size(source.dtype()));
    std::string result;
    const Dims counts = source.grid().counts();
    for (Index c = 0; c < count_elements(counts); ++c) {
      source.read(unravel(c, counts), chunk);
      result.append(reinterpret_cast<const char*>(chunk.data()), chunk.size());
    }
    return result;
  }
  /// What is said of each tensor; nothing of those that can be read.
  Texts obstacles(const std::string& bytes) {
    Texts result;
    for (const TiffStack& stack : list_tiff_stacks(scratch_.file("x.tif", bytes)))
      result.push_back(stack.obstacle);
    return result;
  }
  /// What is said about the file, without the name that begins each message.
  std::string refused(const std::string& bytes) {
    const std::string text = refusal<FileError>([&] { return chunks(bytes); });
    const std::string start = "tiff: \"" + scratch_.path("x.tif") + "\" ";
    return text.starts_with(start) ? text.substr(start.size()) : text;
  }
  Scratch scratch_;
};

TEST_F(TiffHostile, TheHandMadeFileIsFine) {
  const TiffStack stack = open(one_page());
  EXPECT_EQ(stack.shape, (Dims{4, 6}));
  EXPECT_EQ(stack.flat->begin, 8U);
  EXPECT_EQ(stack.stored_nbytes, 24U);
  EXPECT_EQ(stack.attributes, R"({"photometric":"black is 0","compression":"none"})");
  EXPECT_EQ(chunks(one_page()), counted_bytes());
}

TEST_F(TiffHostile, WhatIsNoTiff) {
  const std::string begins = "must begin as TIFF, with II or MM and 42 or 43 in 2 bytes, it begins with ";
  EXPECT_EQ(refused(""), begins + "nothing, it is empty");
  EXPECT_EQ(refused("II*"), "ends after 3 bytes and must have at least 8, the start of a TIFF file");
  EXPECT_EQ(refused("IIX_____"), begins + "the bytes 49 49 58 5f 5f 5f");
  EXPECT_EQ(refused(std::string("II*\0\0\0\0\0", 8)), "must have at least one page, it has none");
  EXPECT_EQ(refused(std::string("II+\0\4\0\0\0", 8)),
            "is a BigTIFF with offsets of 4 bytes, which must be 8");
  EXPECT_EQ(refused(std::string("II+\0\10\0\0\0", 8)),
            "ends after 8 bytes and must have a number of 8 bytes at byte 8");
}

TEST_F(TiffHostile, TruncatedFiles) {
  EXPECT_EQ(refused(std::string("II*\0\350\3\0\0", 8)),
            "has a directory at byte 1000 of at least 2 bytes, which must lie in the file of 8");
  const std::string whole = one_page();
  EXPECT_EQ(refused(whole.substr(0, 100)),
            "has a directory at byte 32 of at least 114 bytes, which must lie in the file of 100");
  for (std::size_t length = 8; length < whole.size(); ++length) {
    EXPECT_NE(refused(whole.substr(0, length)), "not refused") << length;
  }
  // The elements at the end, one byte short: the page is not flat, and its strip lies outside.
  HandMadeTiff file;
  file.directory(HandMadeTiff::page(200));
  std::string bytes = file.bytes();
  bytes.resize(223);
#ifdef TENSTRIDE_HAS_TIFF
  EXPECT_EQ(refused(bytes),
            "page 0, strip 1 has 12 bytes from byte 212 on, which must lie in the file of 223 bytes");
#endif
  bytes.resize(224);
  EXPECT_EQ(refused(bytes), "not refused");
}

TEST_F(TiffHostile, LoopsOfPages) {
  HandMadeTiff file;
  const std::uint32_t data = file.data(counted_bytes());
  const std::uint32_t first = file.directory(HandMadeTiff::page(data));
  file.directory(HandMadeTiff::page(data));
  file.link(first);
  EXPECT_EQ(open(file.bytes()).shape, (Dims{2, 4, 6}));
  EXPECT_EQ(obstacles(file.bytes()),
            Texts({"", "has a loop of pages: behind page 1 follows the directory at byte 32 again"}));
  HandMadeTiff self;
  const std::uint32_t only = self.directory(HandMadeTiff::page(8));
  self.link(only);
  EXPECT_EQ(obstacles(self.bytes()),
            Texts({"", "has a loop of pages: behind page 0 follows the directory at byte 8 again"}));
  HandMadeTiff outside;
  outside.directory(HandMadeTiff::page(8));
  outside.link(1000);
  EXPECT_EQ(
      obstacles(outside.bytes()),
      Texts({"", "has a directory at byte 1000 of at least 2 bytes, which must lie in the file of 138"}));
}

TEST_F(TiffHostile, SizesThatCannotBe) {
  EXPECT_EQ(refused(one_page({{256, {0}}})),
            "page 0 has the width 0 (tag 256), which must be 1 to 4294967295");
  EXPECT_EQ(refused(one_page({{257, {}}})),
            "page 0 has the height 0 (tag 257), which must be 1 to 4294967295");
  EXPECT_EQ(refused(one_page({{277, {0}}})), "page 0 has 0 samples per pixel, which must be 1 to 65535");
  EXPECT_EQ(refused(one_page({{278, {0}}})), "page 0 has 0 rows per strip, which must be at least 1");
  EXPECT_EQ(refused(one_page({{32997, {2}}})),
            "page 0 has the depth 2 (tag 32997) and must be in tiles: strips have 1");
  EXPECT_EQ(refused(one_page({{277, {3}}, {284, {3}}})),
            "page 0 has the planar configuration 3, which must be 1 or 2");
  EXPECT_EQ(refused(one_page({{284, {3}}})), "not refused");  // of one sample it says nothing
  EXPECT_EQ(refused(one_page({{322, {0}}, {323, {16}}})),
            "page 0 has the tile width 0 (tag 322), which must be 1 to 4294967295");
  EXPECT_EQ(refused(one_page({{256, {0xFFFFFFFF}}, {257, {0xFFFFFFFF}}, {277, {3}}})),
            "page 0 has 4294967295 x 4294967295 pixels of 3 samples, whose bytes must fit a signed 64-bit "
            "integer");
  EXPECT_EQ(refused(one_page({{256, {60000}}, {257, {60000}}, {278, {60000}}})),
            "has strips of 60000 x 60000 pixels of 1 sample (uint8), whose bytes must be at most 2147483648");
  EXPECT_EQ(
      refused(one_page({{322, {0xFFFFFFF0}}, {323, {0xFFFFFFF0}}, {277, {60000}}})),
      "has tiles of 4294967280 x 4294967280 pixels of 60000 samples (uint8), whose bytes must be at most "
      "2147483648");
}

TEST_F(TiffHostile, ElementsWithoutAType) {
  const auto says = [](const std::string& what) {
    return "page 0 has elements of " + what +
           " and must have unsigned integers of 1 to 32 or 64 bits, signed ones of 8, 16, 32 or 64, floats "
           "of "
           "16, 32 or 64, or complex floats of 64 or 128";
  };
  EXPECT_EQ(refused(one_page({{258, {33}}})), says("33 bits (unsigned integers, SampleFormat 1)"));
  EXPECT_EQ(refused(one_page({{258, {24}}, {339, {3}}})), says("24 bits (floats, SampleFormat 3)"));
  EXPECT_EQ(refused(one_page({{258, {32}}, {339, {5}}})), says("32 bits (complex integers, SampleFormat 5)"));
  EXPECT_EQ(refused(one_page({{339, {9}}})), says("8 bits (unknown, SampleFormat 9)"));
  EXPECT_EQ(refused(one_page({{258, {8, 16, 8}}, {277, {3}}})),
            "page 0 has samples of different kinds (tag 258: 8 and 16) and must have samples of one type");
}

TEST_F(TiffHostile, ColoursThatAreNotRead) {
  EXPECT_EQ(refused(one_page({{259, {6}}})),
            "page 0 is compressed with old-style JPEG (6), whose files cannot be relied on; convert it with "
            "another program");
  EXPECT_EQ(
      refused(one_page({{262, {6}}, {277, {3}}, {530, {2, 3}}})),
      "page 0 has YCbCr pixels of 8 bits with one colour for each 2 x 3 of them and must have 8 bits and a "
      "colour for 1, 2 or 4 pixels across and down");
  EXPECT_EQ(refused(one_page({{262, {32845}}})), "page 0 has colours as LogLuv and must have plain numbers");
  EXPECT_EQ(open(one_page({{262, {0}}})).note, "0 is white");
  EXPECT_EQ(open(one_page({{262, {3}}})).note, "elements are indices of a palette, which is not applied");
  EXPECT_EQ(open(one_page({{274, {6}}})).note, "the orientation 6 is not applied");
}

TEST_F(TiffHostile, PagesOfOtherFormats) {
  HandMadeTiff file;
  const std::uint32_t data = file.data(counted_bytes() + counted_bytes());
  file.directory(HandMadeTiff::page(data));
  file.directory(HandMadeTiff::page(data, {{254, {1}}, {256, {3}}}));
  file.directory(HandMadeTiff::page(data + 24));
  file.directory(HandMadeTiff::page(data, {{258, {33}}}));
  file.directory(HandMadeTiff::page(data));
  const TiffStack stack = open(file.bytes());
  EXPECT_EQ(stack.shape, (Dims{2, 4, 6}));
  EXPECT_EQ(stack.axis_names, (Texts{"page", "y", "x"}));
  EXPECT_EQ(*stack.flat->layout, row_major({2, 4, 6}));
  std::string said;
  for (const TiffStack& one : list_tiff_stacks(scratch_.path("x.tif"))) {
    said += one.name + " " + tenstride::detail::to_text(one.shape) + one.obstacle + ";";
  }
  EXPECT_EQ(
      said,
      "0 (2,4,6);0.1 (4,3);1 ()page 3 has elements of 33 bits (unsigned integers, SampleFormat 1) and must "
      "have unsigned integers of 1 to 32 or 64 bits, signed ones of 8, 16, 32 or 64, floats of 16, 32 or "
      "64, or complex floats of 64 or 128;2 (4,6);");
  EXPECT_EQ(refusal<FileError>([&] { return open_tiff_stack(scratch_.path("x.tif"), "tiff", "3"); }),
            "tiff: \"" + scratch_.path("x.tif") + "\" must still have a tensor \"3\"");
}

TEST_F(TiffHostile, PagesBelowCopiesStandBelowTheTensor) {
  HandMadeTiff file;
  const std::uint32_t data = file.data(counted_bytes());
  const std::uint32_t below = file.directory(HandMadeTiff::page(data, {{256, {2}}}));
  const std::uint32_t first = file.directory(HandMadeTiff::page(data));
  file.directory(HandMadeTiff::page(data, {{254, {1}}, {256, {3}}, {330, {below}}}));
  std::string bytes = file.bytes();
  bytes[4] = static_cast<char>(first & 0xFF);
  bytes[5] = static_cast<char>(first >> 8);
  EXPECT_EQ(obstacles(bytes), Texts({"", "", ""}));
  EXPECT_EQ(list_tiff_stacks(scratch_.path("x.tif"))[2].name, "0.2");
  EXPECT_EQ(list_tiff_stacks(scratch_.path("x.tif"))[2].shape, (Dims{4, 2}));
}

TEST_F(TiffHostile, PagesBelowPages) {
  HandMadeTiff file;
  const std::uint32_t data = file.data(counted_bytes() + counted_bytes());
  const std::uint32_t copy = file.directory(HandMadeTiff::page(data, {{256, {3}}}));
  // The same twice, one behind the file, and behind the copy its own page.
  const std::uint32_t first = file.directory(HandMadeTiff::page(data, {{330, {copy, copy, 100000}}}));
  std::string bytes = file.bytes();
  bytes[4] = static_cast<char>(first & 0xFF);
  bytes[5] = static_cast<char>(first >> 8);
  EXPECT_EQ(obstacles(bytes),
            Texts({"", "",
                   "has a directory at byte 100000 of at least 2 bytes, which must lie in the file of " +
                       std::to_string(bytes.size())}));
  EXPECT_EQ(list_tiff_stacks(scratch_.path("x.tif"))[1].shape, (Dims{4, 3}));
  EXPECT_EQ(open(bytes).name, "0");
}

TEST_F(TiffHostile, DescriptionsThatSpeakOfMorePages) {
  // The directory comes first and two pages follow it, as ImageJ writes stacks above 4 GB.
  HandMadeTiff file;
  file.directory(HandMadeTiff::page(300), "ImageJ=1.53\nimages=2\nslices=2\n");
  std::string bytes = file.bytes();
  bytes.resize(300, '\0');
  bytes += counted_bytes() + std::string(23, 'x');
  EXPECT_EQ(open(bytes).shape, (Dims{4, 6}));
  EXPECT_EQ(open(bytes).note, "the description speaks of 2 pages, the file has 1");
  bytes += 'x';
  const TiffStack stack = open(bytes);
  EXPECT_EQ(stack.shape, (Dims{2, 4, 6}));
  EXPECT_EQ(stack.axis_names, (std::vector<std::string>{"z", "y", "x"}));
  EXPECT_EQ(stack.stored_nbytes, 48U);
  EXPECT_EQ(chunks(bytes), counted_bytes() + std::string(24, 'x'));
  // Bytes of the directory are no page, though there are enough of them.
  EXPECT_EQ(open(one_page({}, "ImageJ=1.53\nimages=2\nslices=2\n")).shape, (Dims{4, 6}));
}

TEST_F(TiffHostile, PagesThatAreNotFlat) {
  EXPECT_FALSE(open(one_page({{273, {20, 8}}})).flat.has_value());   // strips in another order
  EXPECT_FALSE(open(one_page({{279, {12, 11}}})).flat.has_value());  // too short
  EXPECT_FALSE(open(one_page({{266, {2}}})).flat.has_value());       // bits are reversed
  EXPECT_FALSE(open(one_page({{273, {8, 0x7FFFFFFF}}})).flat.has_value());
}

TEST_F(TiffHostile, StripsAndTilesThatAreMissing) {
  EXPECT_EQ(refused(one_page({{273, {8}}})),
            "page 0 has the tag 273 with 1 value and must have 2, one for each strip");
  EXPECT_EQ(refused(one_page({{279, {}}})),
            "page 0 has the tag 279 with 0 values and must have 2, one for each strip");
  EXPECT_EQ(refused(one_page({{322, {16}}, {323, {2}}, {324, {8}}, {325, {12, 12}}})),
            "page 0 has the tag 324 with 1 value and must have 2, one for each tile");
}

#ifdef TENSTRIDE_HAS_TIFF
TEST_F(TiffHostile, StripsThatCannotBeDecoded) {
  EXPECT_EQ(refused(one_page({{279, {12, 11}}})),
            "page 0, strip 1 has 11 bytes, uncompressed, and must have 12");
  EXPECT_EQ(chunks(one_page({{273, {20, 8}}})), counted_bytes().substr(12) + counted_bytes().substr(0, 12));
  EXPECT_EQ(chunks(one_page({{279, {12, 0}}})), counted_bytes().substr(0, 12) + std::string(12, '\0'));
  EXPECT_EQ(refused(one_page({{273, {8, 0x7FFFFFFF}}})),
            "page 0, strip 1 has 12 bytes from byte 2147483647 on, which must lie in the file of 162 bytes");
  EXPECT_EQ(refused(one_page({{279, {12, 0xFFFFFFFF}}, {259, {8}}})).substr(0, 43),
            "page 0, strip 0 cannot be decoded: its defl");
  EXPECT_EQ(refused(one_page({{259, {33003}}})),
            "is compressed with JPEG 2000 of YCbCr (scheme 33003), which must be one that libtiff of this "
            "machine can decode");
  EXPECT_EQ(refused(one_page({{259, {34933}}})),
            "page 0, strip 0 must be a PNG image that can be read: Not a PNG file");
  EXPECT_EQ(refused(one_page({{259, {777}}})),
            "is compressed with 777 (scheme 777), which must be one that libtiff of this machine can decode");
}
#endif

}  // namespace
}  // namespace tenstride::io
