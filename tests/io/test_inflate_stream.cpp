// SPDX-License-Identifier: Apache-2.0
#include "io/stream/inflate_stream.hpp"

#include <gtest/gtest.h>

#include <span>

#include "support/refusal.hpp"
#include "support/scratch.hpp"
#include "support/zip.hpp"

namespace tenstride::io {
namespace {

using testing::deflated;
using testing::Dice;
using testing::gzipped;
using testing::refusal;
using testing::Scratch;

/// Text that neither repeats at once nor is random.
std::string text_of(std::size_t nbytes) {
  Dice dice(3);
  std::string text;
  while (text.size() < nbytes) text += std::string(1 + dice.roll(9), static_cast<char>('a' + dice.roll(6)));
  text.resize(nbytes);
  return text;
}

/// All that a stream gives, at most `step` bytes at a time.
std::string unpacked(InflateStream& stream, std::size_t step) {
  std::string result;
  std::vector<std::byte> buffer(step);
  for (;;) {
    const std::size_t count = stream.read(buffer);
    result.append(reinterpret_cast<const char*>(buffer.data()), count);
    if (count < step) return result;
  }
}

class InflateStreams : public ::testing::Test {
 protected:
  /// The bytes of a whole file called x.gz.
  std::string gunzipped(const std::string& bytes, std::size_t step = 1000) const {
    const std::string path = scratch.file("x.gz", bytes);
    InflateStream stream(path, {0, bytes.size()}, "gzip", "load");
    return unpacked(stream, step);
  }
  std::string refused(const std::string& bytes, std::size_t step = 1000) const {
    const std::string text = refusal<FileError>([&] { return gunzipped(bytes, step); });
    const std::string begin = "load: \"" + scratch.path("x.gz") + "\" ";
    return text.starts_with(begin) ? text.substr(begin.size()) : text;
  }
  Scratch scratch;
};

TEST_F(InflateStreams, StepsOfAnySizeGiveTheSameBytes) {
  for (const std::size_t nbytes : {0U, 1U, 2U, 100U, 32768U, 300'000U}) {
    const std::string text = text_of(nbytes);
    for (const std::size_t step : {1U, 2U, 3U, 7U, 64U, 1000U, 32768U, 1'000'000U}) {
      if (nbytes / step > 50'000) continue;
      EXPECT_TRUE(gunzipped(gzipped(text), step) == text) << nbytes << " by " << step;
    }
  }
}

TEST_F(InflateStreams, NothingFollowsTheEnd) {
  const std::string bytes = gzipped("text");
  InflateStream stream(scratch.file("x.gz", bytes), {0, bytes.size()}, "gzip", "load");
  EXPECT_EQ(unpacked(stream, 4), "text");
  std::byte more{};
  EXPECT_EQ(stream.read({&more, 1}), 0U);
  EXPECT_EQ(stream.read({&more, 1}), 0U);
}

TEST_F(InflateStreams, MembersFollowEachOther) {
  const std::string a = text_of(5000), b = text_of(70'000);
  for (const std::size_t step : {1U, 999U, 5000U, 100'000U}) {
    EXPECT_TRUE(gunzipped(gzipped(a) + gzipped(b), step) == a + b) << step;
    EXPECT_TRUE(gunzipped(gzipped(a) + gzipped("") + gzipped(b) + gzipped(""), step) == a + b) << step;
  }
}

TEST_F(InflateStreams, ZerosMayFollow) {
  const std::string a = text_of(5000);
  for (const std::size_t zeros : {1U, 2U, 512U, 100'000U}) {
    EXPECT_TRUE(gunzipped(gzipped(a) + std::string(zeros, '\0')) == a) << zeros;
    EXPECT_TRUE(gunzipped(gzipped(a) + gzipped(a) + std::string(zeros, '\0')) == a + a) << zeros;
  }
}

TEST_F(InflateStreams, NothingElseMayFollow) {
  const std::string message = "has bytes behind its gzip stream, which must be another one or zeros";
  const std::string a = gzipped(text_of(5000));
  for (const std::string& garbage : {std::string("x"), std::string("\x1f"), std::string("\0\0x", 3),
                                     std::string("\0", 1) + a, std::string("\x1f\x8a\x08")}) {
    EXPECT_EQ(refused(a + garbage), message);
    EXPECT_EQ(refused(a + garbage, 1), message);
  }
}

TEST_F(InflateStreams, FieldsOfAGzipHeaderAreSkipped) {
  const std::string plain = gzipped("text");
  const std::string extra = std::string("\x03\0abc", 5), name = std::string("n.nii\0", 6);
  std::string named = plain.substr(0, 10) + extra + name + std::string("comment\0", 8) + plain.substr(10);
  named[3] = 4 | 8 | 16;
  EXPECT_EQ(gunzipped(named), "text");
}

TEST_F(InflateStreams, StreamsThatEndEarly) {
  const std::string text = text_of(20'000), whole = gzipped(text);
  for (const std::size_t nbytes : {0U, 1U, 2U, 9U, 10U, 11U, 500U}) {
    EXPECT_EQ(refused(whole.substr(0, nbytes)),
              "has a compressed part that ends early, after " + std::to_string(nbytes) + " bytes");
  }
  for (std::size_t missing = 1; missing <= 9; ++missing) {
    EXPECT_EQ(
        refused(whole.substr(0, whole.size() - missing)),
        "has a compressed part that ends early, after " + std::to_string(whole.size() - missing) + " bytes");
  }
  EXPECT_EQ(refused(whole + whole.substr(0, 30)),
            "has a compressed part that ends early, after " + std::to_string(whole.size() + 30) + " bytes");
}

TEST_F(InflateStreams, ChecksumAndLengthOfAGzipMember) {
  const std::string whole = gzipped(text_of(20'000));
  const std::string message = "has a damaged gzip stream: its CRC-32 must be that of its content";
  for (std::size_t from_end = 1; from_end <= 8; ++from_end) {
    std::string damaged = whole;
    char& byte = damaged[damaged.size() - from_end];
    byte = static_cast<char>(byte ^ 4);
    EXPECT_EQ(refused(damaged), message) << from_end;
    EXPECT_EQ(refused(damaged, 1), message) << from_end;
    EXPECT_EQ(refused(damaged + whole), message) << from_end;
  }
}

TEST_F(InflateStreams, WhatIsNoStream) {
  EXPECT_TRUE(refused("This is no gzip file at all")
                  .starts_with("has a damaged compressed part, which must be a deflate stream (byte "));
  std::string method = gzipped("text");
  method[2] = 7;
  EXPECT_TRUE(
      refused(method).starts_with("has a damaged compressed part, which must be a deflate stream (byte "));
  std::string block = gzipped(text_of(3000));
  block[10] = static_cast<char>(block[10] | 6);  // no such kind of block
  EXPECT_TRUE(
      refused(block).starts_with("has a damaged compressed part, which must be a deflate stream (byte "));
}

TEST_F(InflateStreams, ABareStreamInTheMiddleOfAFile) {
  const std::string text = text_of(40'000), bytes = deflated(text);
  const std::string path = scratch.file("x", "before" + bytes + "behind");
  const CompressedStream place{6, bytes.size(), text.size(), testing::crc_of(text)};
  for (const std::size_t step : {1U, 1000U, 100'000U}) {
    InflateStream stream(path, place, "deflate", "load");
    EXPECT_TRUE(unpacked(stream, step) == text) << step;
  }
  const auto refused_at = [&](const CompressedStream& other) {
    return refusal<FileError>([&] {
      InflateStream stream(path, other, "deflate", "load");
      return unpacked(stream, 1000);
    });
  };
  const std::string begin = "load: \"" + path + "\" has a ";
  EXPECT_EQ(refused_at({6, bytes.size(), text.size() - 1, {}}),
            begin + "compressed part of 40000 bytes, which must be 39999 as its directory says");
  EXPECT_EQ(refused_at({6, bytes.size(), text.size() + 1, {}}),
            begin + "compressed part of 40000 bytes, which must be 40001 as its directory says");
  EXPECT_EQ(refused_at({6, bytes.size(), {}, testing::crc_of(text) + 1}),
            begin + "damaged compressed part: its CRC-32 must be that of the directory");
  EXPECT_EQ(refused_at({6, bytes.size() - 1, {}, {}}),
            begin + "compressed part that ends early, after " + std::to_string(bytes.size() - 1) + " bytes");
  EXPECT_EQ(refused_at({6, bytes.size() + 7, {}, {}}),
            begin + "compressed part from byte 6 on of " + std::to_string(bytes.size() + 7) +
                " bytes, which must lie in the file of " + std::to_string(bytes.size() + 12));
  EXPECT_EQ(
      refused_at({UINT64_MAX, 2, {}, {}}),
      begin + "compressed part from byte 18446744073709551615 on of 2 bytes, which must lie in the file of " +
          std::to_string(bytes.size() + 12));
}

}  // namespace
}  // namespace tenstride::io
