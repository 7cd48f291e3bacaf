// SPDX-License-Identifier: Apache-2.0
// Headers that are damaged, or were made to do damage.
#include <gtest/gtest.h>

#include <span>

#include "io/safetensors/header.hpp"
#include "io/safetensors/index.hpp"
#include "support/refusal.hpp"
#include "support/safetensors.hpp"
#include "support/scratch.hpp"

namespace tenstride::io {
namespace {

using testing::Dice;
using testing::lowest_first;
using testing::refusal;
using testing::safetensors_entry;
using testing::safetensors_file;

SafetensorsHeader parse(const std::string& file) {
  return parse_safetensors_header(std::as_bytes(std::span(file)), file.size(), "m");
}

std::string without_name(const std::string& text) {
  return text.starts_with("safetensors: \"m\" ") ? text.substr(17) : text;
}

/// What the parser says about a file, without the name that begins each message.
std::string refused(const std::string& file) {
  return without_name(refusal<FileError>([&] { return parse(file); }));
}

std::string refused_index(const std::string& text) {
  return without_name(refusal<FileError>([&] { return parse_safetensors_index(text, "m"); }));
}

/// A header of one tensor "w".
std::string one(const std::string& dtype, const std::string& shape, const std::string& offsets) {
  return '{' + safetensors_entry("w", dtype, shape, offsets) + '}';
}

using Table = std::vector<std::pair<std::string, std::string>>;

TEST(SafetensorsHostile, LengthOfTheHeader) {
  EXPECT_EQ(refused(""), "ends after 0 bytes and must have at least 8");
  EXPECT_EQ(refused(std::string(7, '\0')), "ends after 7 bytes and must have at least 8");
  EXPECT_EQ(refused(std::string(8, '\0')), "has a header which must begin with {");
  EXPECT_EQ(refused(lowest_first(3, 8) + "{}"),
            "announces a header of 3 bytes and must have them, but ends 2 bytes after byte 8");
  EXPECT_EQ(refused(lowest_first(100'000'000, 8) + "{}"),
            "announces a header of 100000000 bytes and must have them, but ends 2 bytes after byte 8");
  EXPECT_EQ(refused(lowest_first(100'000'001, 8) + "{}"),
            "announces a header of 100000001 bytes, which must be at most 100000000");
  EXPECT_EQ(refused(std::string(8, '\xff') + "{}"),
            "announces a header of 18446744073709551615 bytes, which must be at most 100000000");
  EXPECT_EQ(refused(safetensors_file(" {}")), "has a header which must begin with {");
  EXPECT_EQ(refused(safetensors_file("[{}]")), "has a header which must begin with {");
}

TEST(SafetensorsHostile, HeadersThatAreNoJson) {
  // The byte is that behind the last one that was read, of the whole file.
  const Table table{
      {"{", "10"},
      {"{}{}", "11"},
      {"{}x", "11"},
      {"{} }", "12"},
      {"{,}", "10"},
      {R"({"a" :})", "15"},
      {R"({'a':{}})", "10"},
      {R"({"a)", "12"},
      {"{\"a\xff\":{}}", "12"},
      {"{\"a\n\":{}}", "12"},
      {R"({"a":{"shape":[01]}})", "25"},
      {R"({"a":{"shape":[1,]}})", "26"},
      {R"({"a":{"shape":[+1]}})", "24"},
      {R"({"a":{"shape":[NaN]}})", "24"},
      {R"({"a":{"shape":[1}})", "25"},
      {R"({"a":{/* */}})", "15"},
      {std::string("{}\0", 3), "11"},
      {std::string("{\0}", 3), "10"},
  };
  for (const auto& [header, position] : table) {
    const std::string text = refused(safetensors_file(header));
    EXPECT_EQ(text, "has a header which must be JSON; it is not at byte " + position) << header;
  }
}

TEST(SafetensorsHostile, ValuesOfAnotherKind) {
  const Table table{
      {R"({"w":1})", "the number 1 in its header for \"w\", where must be an object"},
      {R"({"w":-1})", "the number -1 in its header for \"w\", where must be an object"},
      {R"({"w":"text"})", "the text \"text\" in its header for \"w\", where must be an object"},
      {R"({"w":null})", "null in its header for \"w\", where must be an object"},
      {R"({"w":[]})", "an array in its header for \"w\", where must be an object"},
      {R"({"__metadata__":1})", "the number 1 in its header for \"__metadata__\", where must be an object"},
      {R"({"__metadata__":{"a":1}})",
       "the number 1 in its header for \"a\" of __metadata__, where must be a text"},
      {R"({"__metadata__":{"a":null}})",
       "null in its header for \"a\" of __metadata__, where must be a text"},
      {R"({"__metadata__":{"a":{}}})",
       "an object in its header for \"a\" of __metadata__, where must be a text"},
      {R"({"__metadata__":{"a":["b"]}})",
       "an array in its header for \"a\" of __metadata__, where must be a text"},
      {R"({"w":{"dtype":1}})", "the number 1 in its header for dtype of \"w\", where must be a text"},
      {R"({"w":{"dtype":["U8"]}})", "an array in its header for dtype of \"w\", where must be a text"},
      {R"({"w":{"dtype":{}}})", "an object in its header for dtype of \"w\", where must be a text"},
      {R"({"w":{"shape":3}})",
       "the number 3 in its header for shape of \"w\", where must be an array of numbers"},
      {R"({"w":{"shape":"3"}})",
       "the text \"3\" in its header for shape of \"w\", where must be an array of numbers"},
      {R"({"w":{"shape":{}}})",
       "an object in its header for shape of \"w\", where must be an array of numbers"},
      {R"({"w":{"shape":null}})", "null in its header for shape of \"w\", where must be an array of numbers"},
      {R"({"w":{"shape":[[3]]}})",
       "an array in its header for shape of \"w\", where must be numbers of at least 0"},
      {R"({"w":{"shape":[{}]}})",
       "an object in its header for shape of \"w\", where must be numbers of at least 0"},
      {R"({"w":{"shape":["3"]}})",
       "the text \"3\" in its header for shape of \"w\", where must be numbers of at least 0"},
      {R"({"w":{"shape":[true]}})",
       "true or false in its header for shape of \"w\", where must be numbers of at least 0"},
      {R"({"w":{"shape":[-1]}})",
       "the number -1 in its header for shape of \"w\", where must be numbers of at least 0"},
      {R"({"w":{"shape":[3.0]}})",
       "the number 3.0 in its header for shape of \"w\", where must be numbers of at least 0"},
      {R"({"w":{"shape":[3e0]}})",
       "the number 3e0 in its header for shape of \"w\", where must be numbers of at least 0"},
      {R"({"w":{"shape":[18446744073709551616]}})",
       "the number 18446744073709551616 in its header for shape of \"w\", where must be numbers of at least "
       "0"},
      {R"({"w":{"data_offsets":[-1,0]}})",
       "the number -1 in its header for data_offsets of \"w\", where must be numbers of at least 0"},
      {R"({"w":{"data_offsets":[0.5,1]}})",
       "the number 0.5 in its header for data_offsets of \"w\", where must be numbers of at least 0"},
      {R"({"w":{"data_offsets":[null,1]}})",
       "null in its header for data_offsets of \"w\", where must be numbers of at least 0"},
      {R"({"w":{"data_offsets":"0,1"}})",
       "the text \"0,1\" in its header for data_offsets of \"w\", where must be an array of numbers"},
  };
  for (const auto& [header, message] : table) {
    EXPECT_EQ(refused(safetensors_file(header)), "has " + message) << header;
  }
}

TEST(SafetensorsHostile, KeysThatAreMissingTwiceOrUnknown) {
  const std::string w = safetensors_entry("w", "U8", "[0]", "[0,0]");
  const Table table{
      {R"({"w":{}})", "must say the dtype of \"w\""},
      {R"({"w":{"shape":[0],"data_offsets":[0,0]}})", "must say the dtype of \"w\""},
      {R"({"w":{"dtype":"U8","data_offsets":[0,0]}})", "must say the shape of \"w\""},
      {R"({"w":{"dtype":"U8","shape":[0]}})", "must say the data_offsets of \"w\""},
      {R"({"w":{"dtype":"U8","shape":[0],"data_offsets":[]}})", "must say the data_offsets of \"w\""},
      {R"({"w":{"dtype":"U8","shape":[0],"data_offsets":[0]}})",
       "has one data_offset of \"w\", 0, which must be [begin, end]"},
      {R"({"w":{"dtype":"U8","shape":[0],"data_offsets":[0,0,0]}})",
       "has more than two data_offsets of \"w\", which must be [begin, end]"},
      {R"({"w":{"dtype":"U8","dtype":"U8","shape":[0],"data_offsets":[0,0]}})",
       "has the key \"dtype\" of \"w\" twice, which must stand once"},
      {R"({"w":{"dtype":"U8","shape":[0],"shape":[0],"data_offsets":[0,0]}})",
       "has the key \"shape\" of \"w\" twice, which must stand once"},
      {R"({"w":{"dtype":"U8","data_offsets":[0,0],"shape":[0],"data_offsets":[0,0]}})",
       "has the key \"data_offsets\" of \"w\" twice, which must stand once"},
      {R"({"w":{"dtype":"U8","shape":[0],"data_offsets":[0,0],"strides":[1]}})",
       "has the key \"strides\" of \"w\", which must be dtype, shape or data_offsets"},
      {'{' + w + ',' + w + '}', "has the name \"w\" twice, which must stand once"},
      {'{' + w + R"(,"a\u0062":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},)" +
           safetensors_entry("ab", "U8", "[0]", "[0,0]") + '}',
       "has the name \"ab\" twice, which must stand once"},
      {R"({"__metadata__":{},"__metadata__":{}})",
       "has the name \"__metadata__\" twice, which must stand once"},
      {R"({"__metadata__":{"a":"1","a":"2"}})", "has the name \"a\" twice, which must stand once"},
  };
  for (const auto& [header, message] : table) EXPECT_EQ(refused(safetensors_file(header)), message) << header;
}

TEST(SafetensorsHostile, TypesAndShapes) {
  EXPECT_EQ(refused(safetensors_file(one("F33", "[0]", "[0,0]"))),
            "has the dtype \"F33\" of \"w\", which must be one that the format knows (F32, BF16, I64, …)");
  EXPECT_EQ(refused(safetensors_file(one("f32", "[0]", "[0,0]"))),
            "has the dtype \"f32\" of \"w\", which must be one that the format knows (F32, BF16, I64, …)");
  EXPECT_EQ(refused(safetensors_file(one(std::string(1000, 'F'), "[0]", "[0,0]"))),
            "has the dtype \"" + std::string(40, 'F') +
                "\" of \"w\", which must be one that the format knows (F32, BF16, I64, …)");
  EXPECT_EQ(refused(safetensors_file(one("U8", "[9223372036854775808]", "[0,0]"))),
            "has the size 9223372036854775808 in the shape of \"w\", which must fit a signed 64-bit integer");
  std::string ones = "[1";
  for (int i = 1; i < 64; ++i) ones += ",1";
  EXPECT_EQ(parse(safetensors_file(one("U8", ones + ']', "[0,1]"), "x")).entries.at(0).shape.size(), 64U);
  EXPECT_EQ(refused(safetensors_file(one("U8", ones + ",1]", "[0,1]"), "x")),
            "has more than 64 axes in the shape of \"w\", which must be at most that many");
}

TEST(SafetensorsHostile, BytesThatAreNotThoseOfTheShape) {
  const std::string whole = "a number of whole bytes that fits 63 bits";
  const std::vector<std::tuple<std::string, std::string, std::string, std::string>> table{
      {"F32", "[2]", "[0,4]", "has 4 bytes for \"w\", which must have 8 (shape (2), F32)"},
      {"F32", "[]", "[0,0]", "has 0 bytes for \"w\", which must have 4 (shape (), F32)"},
      {"F32", "[0]", "[0,4]", "has 4 bytes for \"w\", which must have 0 (shape (0), F32)"},
      {"U8", "[9223372036854775807,2]", "[0,4]",
       "has 4 bytes for \"w\", which must have " + whole + " (shape (9223372036854775807,2), U8)"},
      // 2^32 * 2^32 is 0 in 64 bits.
      {"U8", "[4294967296,4294967296]", "[0,0]",
       "has 0 bytes for \"w\", which must have " + whole + " (shape (4294967296,4294967296), U8)"},
      {"F64", "[2305843009213693952]", "[0,0]",
       "has 0 bytes for \"w\", which must have " + whole + " (shape (2305843009213693952), F64)"},
      {"F4", "[3]", "[0,2]", "has 2 bytes for \"w\", which must have " + whole + " (shape (3), F4)"},
      {"F6_E2M3", "[2]", "[0,2]",
       "has 2 bytes for \"w\", which must have " + whole + " (shape (2), F6_E2M3)"},
      {"F8_E8M0", "[2]", "[0,4]", "has 4 bytes for \"w\", which must have 2 (shape (2), F8_E8M0)"},
  };
  for (const auto& [dtype, shape, offsets, message] : table) {
    EXPECT_EQ(refused(safetensors_file(one(dtype, shape, offsets), "1234")), message);
  }
}

TEST(SafetensorsHostile, RangesThatDoNotCoverTheFile) {
  const auto two = [](const std::string& a, const std::string& b) {
    return '{' + safetensors_entry("a", "U8", "[4]", a) + ',' + safetensors_entry("b", "U8", "[4]", b) + '}';
  };
  const std::string bytes(8, 'x');
  const auto outside = [](const std::string& range, int nbytes) {
    return "has the data_offsets " + range + " of \"w\", which must be in rising order and within the " +
           std::to_string(nbytes) + " bytes behind the header";
  };
  EXPECT_EQ(
      refused(safetensors_file(two("[0,4]", "[2,6]"), bytes)),
      "has \"b\" begin at byte 2 of its elements, which must be 4: the ranges of tensors must follow each "
      "other without overlap");
  EXPECT_EQ(
      refused(safetensors_file(two("[0,4]", "[0,4]"), bytes)),
      "has \"b\" begin at byte 0 of its elements, which must be 4: the ranges of tensors must follow each "
      "other without overlap");
  EXPECT_EQ(
      refused(safetensors_file(two("[0,4]", "[5,9]"), bytes + 'x')),
      "has \"b\" begin at byte 5 of its elements, which must be 4: the ranges of tensors must follow each "
      "other without gap");
  EXPECT_EQ(
      refused(safetensors_file(two("[5,9]", "[1,5]"), bytes + 'x')),
      "has \"b\" begin at byte 1 of its elements, which must be 0: the ranges of tensors must follow each "
      "other without gap");
  EXPECT_EQ(refused(safetensors_file(two("[0,4]", "[4,8]"), bytes + "yz")),
            "has 10 bytes behind its header, which must all belong to tensors; 2 do not");
  EXPECT_EQ(refused(safetensors_file("{}", "x")),
            "has 1 bytes behind its header, which must all belong to tensors; 1 do not");
  EXPECT_EQ(refused(safetensors_file(one("U8", "[4]", "[4,0]"), "1234")), outside("[4, 0]", 4));
  EXPECT_EQ(refused(safetensors_file(one("U8", "[4]", "[0,4]"), "123")), outside("[0, 4]", 3));
  EXPECT_EQ(refused(safetensors_file(one("U8", "[0]", "[9,9]"), "123")), outside("[9, 9]", 3));
  EXPECT_EQ(refused(safetensors_file(one("U8", "[4]", "[18446744073709551612,0]"), "1234")),
            outside("[18446744073709551612, 0]", 4));
  EXPECT_EQ(
      refused(safetensors_file(one("U8", "[0]", "[1,1]"), "1")),
      "has \"w\" begin at byte 1 of its elements, which must be 0: the ranges of tensors must follow each "
      "other without gap");
  // A tensor without elements in the middle of another.
  EXPECT_EQ(
      refused(safetensors_file('{' + safetensors_entry("w", "U8", "[4]", "[0,4]") + ',' +
                                   safetensors_entry("e", "U8", "[0]", "[2,2]") + '}',
                               "1234")),
      "has \"e\" begin at byte 2 of its elements, which must be 4: the ranges of tensors must follow each "
      "other without overlap");
}

TEST(SafetensorsHostile, Indexes) {
  const std::string weights = "must have an object \"weight_map\" that names the file of each tensor";
  const Table table{
      {"", "must be JSON, which it is not at byte 1"},
      {"{", "must be JSON, which it is not at byte 2"},
      {"[]", "must be a JSON object"},
      {"\"text\"", "must be a JSON object"},
      {"{} x", "must be JSON, which it is not at byte 4"},
      {std::string("{\"weight_map\":{}}\0x", 19), "must be JSON, which it is not at byte 18"},
      {"{\"a\":\"\xff\"}", "must be JSON, which it is not at byte 7"},
      {"{}", weights},
      {R"({"weight_map":[]})", weights},
      {R"({"weight_map":null})", weights},
      {R"({"weight_map":{"a":1}})", "has a number for \"a\", which must be the name of a file"},
      {R"({"weight_map":{"a":null}})", "has null for \"a\", which must be the name of a file"},
      {R"({"weight_map":{"a":"m","a":"m"}})", "has the name \"a\" twice, which must stand once"},
      {R"({"weight_map":{"a":"m"},"weight_map":{"b":"m"}})",
       "has the name \"weight_map\" twice, which must stand once"},
      {R"({"metadata":{"a":1,"a":2},"weight_map":{}})", "has the name \"a\" twice, which must stand once"},
  };
  for (const auto& [text, message] : table) EXPECT_EQ(refused_index(text), message) << text;
  for (const std::string file : {"", ".", "..", "../x", "/etc/passwd", "a/b", "a/../../b"}) {
    EXPECT_EQ(refused_index(R"({"weight_map":{"a":")" + file + "\"}}"),
              "has the file \"" + file + "\" for \"a\", which must lie beside the index");
  }
}

TEST(SafetensorsHostile, NestingTakesNoMemory) {
  const std::size_t depth = 1'000'000;
  EXPECT_EQ(refused(safetensors_file(R"({"w":)" + std::string(depth, '[') + std::string(depth, ']') + '}')),
            "has an array in its header for \"w\", where must be an object");
  const std::string nested = std::string(depth, '[') + std::string(depth, ']');
  EXPECT_EQ(
      parse_safetensors_index(R"({"deep":)" + nested + R"(,"weight_map":{"a":"m"}})", "m").entries.size(),
      1U);
}

/// Every byte of a good file replaced at random: it is read or refused, never anything else.
TEST(SafetensorsHostile, DamagedBytesAreReadOrRefused) {
  const std::string good = safetensors_file(R"({"__metadata__":{"format":"pt"},)" +
                                                safetensors_entry("a", "F32", "[2,3]", "[0,24]") + ',' +
                                                safetensors_entry("b", "I8", "[4]", "[24,28]") + '}',
                                            std::string(28, '\1'));
  Dice dice(7);
  int refusals = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string file = good;
    const std::size_t changes = 1 + dice.roll(3);
    for (std::size_t i = 0; i < changes; ++i)
      file[dice.roll(file.size())] = static_cast<char>(dice.roll(256));
    if (dice.roll(4) == 0) file.resize(dice.roll(file.size()));
    try {
      for (const SafetensorsEntry& entry : parse(file).entries) EXPECT_LE(entry.end, 28U);
    } catch (const FileError&) {
      ++refusals;
    }
  }
  EXPECT_GT(refusals, 10'000);
}

}  // namespace
}  // namespace tenstride::io
