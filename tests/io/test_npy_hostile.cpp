// SPDX-License-Identifier: Apache-2.0
// Files that are damaged, or were made to do damage.
#include <gtest/gtest.h>

#include <span>

#include "support/refusal.hpp"
#include "support/scratch.hpp"
#include "support/test_data.hpp"
#include "tenstride/io/npy.hpp"
#include "tenstride/tensor/factory.hpp"

namespace tenstride::io {
namespace {

using testing::Dice;
using testing::from_hex;
using testing::recorded_lines;
using testing::refusal;
using testing::Scratch;

std::string recorded(const std::string& name) {
  static const auto lines = recorded_lines(testing::test_data("npy.txt"));
  return from_hex(lines.at(name).at(0));
}

NpyHeader parse(const std::string& file) {
  return parse_npy_header(std::as_bytes(std::span(file)), file.size(), "x");
}

/// What the parser says about a file, without the name that begins each message.
std::string refused(const std::string& file) {
  const std::string text = refusal<FileError>([&] { return parse(file); });
  return text.starts_with("npy: \"x\" ") ? text.substr(9) : text;
}

/// A file of version 1.0 with the header text as it is, followed by `count` zero bytes.
std::string with_header(const std::string& text, std::size_t count = 0) {
  std::string file("\x93NUMPY\x01\x00", 8);
  file += static_cast<char>(text.size() & 0xff);
  file += static_cast<char>(text.size() >> 8);
  return file + text + std::string(count, '\0');
}

/// The usual header with other values.
std::string with_values(const std::string& descr, const std::string& order, const std::string& shape,
                        std::size_t count = 0) {
  return with_header("{'descr': " + descr + ", 'fortran_order': " + order + ", 'shape': " + shape + ", }\n",
                     count);
}

TEST(NpyHostile, WhatIsNoNpyFile) {
  const std::string begins = "must begin with the bytes 93 4e 55 4d 50 59 of a .npy file, it begins with ";
  EXPECT_EQ(refused(""), begins + "nothing, it is empty");
  EXPECT_EQ(refused("hello"), begins + "the bytes 68 65 6c 6c 6f");
  EXPECT_EQ(refused("PK\x03\x04____"), begins + "the bytes 50 4b 03 04 5f 5f (a zip archive, as .npz is)");
  EXPECT_EQ(refused("\xff\xd8\xff\xe0____"), begins + "the bytes ff d8 ff e0 5f 5f (a JPEG image)");
  EXPECT_EQ(refused("\x93NUMPX\x01"), begins + "the bytes 93 4e 55 4d 50 58");
}

TEST(NpyHostile, VersionsAndLengths) {
  std::string file = recorded("version-1");
  file[6] = 4;
  EXPECT_EQ(refused(file), "has version 4.0 and must have 1.0, 2.0 or 3.0");
  file[6] = 0;
  EXPECT_EQ(refused(file), "has version 0.0 and must have 1.0, 2.0 or 3.0");
  file[6] = 1;
  file[7] = 1;
  EXPECT_EQ(refused(file), "has version 1.1 and must have 1.0, 2.0 or 3.0");
  file[7] = 0;
  file[8] = file[9] = '\xff';
  EXPECT_EQ(refused(file),
            "announces a header of 65535 bytes and must have them, but ends 142 bytes after byte 10");
  file = recorded("version-2");
  for (const std::size_t at : {8U, 9U, 10U, 11U}) file[at] = '\xff';
  EXPECT_EQ(refused(file),
            "announces a header of 4294967295 bytes and must have them, but ends 140 bytes after byte 12");
  file = recorded("version-3");
  file[10] = 1;
  EXPECT_EQ(refused(file + std::string(100000, ' ')),
            "announces a header of 65652 bytes, which must be at most 65536");
}

TEST(NpyHostile, HeadersThatAreNoDictionary) {
  const std::vector<std::pair<std::string, std::string>> table{
      {"", "header must have '{' at column 1, found its end"},
      {"hello", "header must have '{' at column 1, found 'h'"},
      {std::string(9, '\0'), "header must have '{' at column 1, found the byte 0"},
      {"{", "header must have a key in quotes at column 2, found its end"},
      {"{}", "header must have the key 'descr'"},
      {"{'descr'}", "header must have ':' after the key at column 9, found '}'"},
      {"{'descr': '<f4}", "header must have the closing quote of the string at column 16, found its end"},
      {"{'descr': '<\\x664'}", "header must have a plain character at column 13, found '\\'"},
      {"{'descr': '<f\xc3\xa4'}", "header must have a plain character at column 14, found the byte 195"},
      {"{'descr': <f4}", "header must have the element type in quotes at column 11, found '<'"},
      {"{'descr': '<f4' 'shape': ()}", "header must have ',' or '}' at column 17, found '''"},
      {"{'descr': '<f4', 'shape': ()}", "header must have the key 'fortran_order'"},
      {"{'descr': '<f4', 'fortran_order': False}", "header must have the key 'shape'"},
      {"{'descr': '<f4', 'descr': '<f4'}", "header has the key 'descr' twice, must have it once"},
      {"{'color': 1}", "header has the key 'color', which must be 'descr', 'fortran_order' or 'shape'"},
      {"{'fortran_order': 0}", "header must have True or False at column 19, found '0'"},
      {"{'fortran_order': Truely}", "header must have ',' or '}' at column 23, found 'l'"},
      {"{__import__('os').system('true')}", "header must have a key in quotes at column 2, found '_'"},
      {"{'shape': 3}", "header must have '(' of a tuple of sizes at column 11, found '3'"},
      {"{'shape': [3]}", "header must have '(' of a tuple of sizes at column 11, found '['"},
      {"{'shape': (3)}", "header must have ',' (a tuple of one has a comma) at column 13, found ')'"},
      {"{'shape': (,)}", "header must have a size at column 12, found ','"},
      {"{'shape': (3,,)}", "header must have a size at column 14, found ','"},
      {"{'shape': (3, 4", "header must have ',' or ')' at column 16, found its end"},
      {"{'shape': (3.5,)}", "header must have ',' (a tuple of one has a comma) at column 13, found '.'"},
      {"{'shape': (1_0,)}", "header must have ',' (a tuple of one has a comma) at column 13, found '_'"},
      {"{'shape': (True,)}", "header must have a size at column 12, found 'T'"},
      {"{'shape': (03,)}", "header must have a number without leading zeros at column 12, found '0'"},
      {"{'shape': (3, -4)}", "header has the size -4 for axis 1, which must not be negative"},
      {"{'shape': (9223372036854775808,)}",
       "header has the size 9223372036854775808 for axis 0, which must fit a signed 64-bit integer"},
      {"{'shape': (" + std::string(50, '9') + ",)}",
       "header has the size " + std::string(40, '9') +
           "… for axis 0, which must fit a signed 64-bit integer"},
      {"{'descr': [('x', '<f4')]}", "header must have the key 'fortran_order'"},
      {"{'descr': [('x)]', '<f4')",
       "header must have the closing ']' of the fields at column 26, found its end"},
      {"{'descr': [('x', '<f4')",
       "header must have the closing ']' of the fields at column 24, found its end"},
      {"{'descr': [('x', '<f4", "header must have the closing ']' of the fields at column 22, found its end"},
  };
  for (const auto& [text, message] : table) EXPECT_EQ(refused(with_header(text)), message) << text;
  std::string many = "(";
  for (int i = 0; i < 65; ++i) many += "1,";
  EXPECT_EQ(refused(with_values("'<f4'", "False", many + ")", 4)),
            "header has more sizes than 64, the largest rank");
  EXPECT_EQ(refused(with_header("{'descr': '<f4', 'fortran_order': False, 'shape': ()} x", 4)),
            "header must have nothing after '}' at column 55, found 'x'");
}

TEST(NpyHostile, ShapesThatAreTooMuch) {
  const std::string fit = "must fit a signed 64-bit integer";
  EXPECT_EQ(refused(with_values("'<f4'", "False", "(4611686018427387904, 2)")),
            "has the shape (4611686018427387904,2), whose elements " + fit);
  EXPECT_EQ(refused(with_values("'<f4'", "True", "(0, 4611686018427387904, 4, 4)")),
            "has the shape (0,4611686018427387904,4,4), whose elements " + fit);
  EXPECT_EQ(refused(with_values("'<c16'", "False", "(4611686018427387904,)")),
            "has the shape (4611686018427387904), whose bytes " + fit);
  EXPECT_EQ(refused(with_values("'<f4'", "False", "(1000000000000,)", 40)),
            "holds 40 bytes of elements and must hold 4000000000000 (shape (1000000000000), float32): "
            "3999999999960 "
            "are missing");
  EXPECT_EQ(refused(with_values("'<f4'", "False", "(2, 3)", 25)),
            "holds 25 bytes of elements and must hold 24 (shape (2,3), float32): 1 too many");
  EXPECT_EQ(refused(with_values("'<f4'", "False", "(0,)", 1)),
            "holds 1 bytes of elements and must hold 0 (shape (0), float32): 1 too many");
}

TEST(NpyHostile, TimesAreIntegersOfANumpyType) {
  const std::vector<std::pair<std::string, std::string>> table{
      {"<M8[ns]", "datetime64[ns]"}, {">m8[25s]", "timedelta64[25s]"}, {"<M8[D]", "datetime64[D]"},
      {"<m8", "timedelta64"},        {"<M8[us]", "datetime64[us]"},    {"<f4", ""}};
  for (const auto& [descr, numpy_dtype] : table) {
    const bool is_time = !numpy_dtype.empty();
    const NpyHeader header = parse(with_values("'" + descr + "'", "False", "(2,)", is_time ? 16 : 8));
    EXPECT_EQ(header.numpy_dtype, numpy_dtype);
    EXPECT_EQ(header.dtype, is_time ? DType::int64 : DType::float32) << descr;
    EXPECT_EQ(header.byte_order == ByteOrder::swapped, descr[0] == '>') << descr;
  }
  EXPECT_EQ(parse(recorded("stranger-date")).numpy_dtype, "datetime64[s]");
  EXPECT_EQ(parse(recorded("stranger-span")).numpy_dtype, "timedelta64[ms]");
}

TEST(NpyHostile, ElementsThatAreNoNumbers) {
  const std::string numbers = "must hold numbers, not ";
  const std::vector<std::pair<std::string, std::string>> table{
      {"object", numbers + "Python objects (descr '|O'); they are pickles, which are never read"},
      {"text", numbers + "text (descr '<U2'); save it as numbers"},
      {"bytes", numbers + "byte strings (descr '|S1'); save them with .view(numpy.uint8)"},
      {"raw", numbers + "raw bytes, as structures, bfloat16 and float8 are stored (descr '|V2'); "
                        "save them with .astype(numpy.float32), or as bits with .view(numpy.uint16)"},
      {"long", numbers + "long doubles (descr '<f16'); save them with .astype(numpy.float64)"},
      {"clong", numbers + "complex long doubles (descr '<c32'); save them with .astype(numpy.complex128)"},
      {"fields", numbers + "structures of several fields; save each field as an array"},
  };
  for (const auto& [name, message] : table) EXPECT_EQ(refused(recorded("stranger-" + name)), message) << name;
  const std::string known =
      "must have one of b1 u1 i1 u2 i2 u4 i4 u8 i8 f2 f4 f8 c8 c16 M8[unit] m8[unit] after '<', '>' or '|', "
      "not the descr '";
  for (const std::string descr : {"", "<", "f", "<i3", "<i16", "float32", "<<f4", "?", "<f4 ", "<M8[x]",
                                  "<M8[0s]", "<m8[s", "<M8[s/2]", "<M4[s]", "<m8[3000000000s]", "<M8[]"}) {
    EXPECT_EQ(refused(with_values("'" + descr + "'", "False", "()")), known + descr + "'");
  }
  EXPECT_EQ(refused(with_values("'|f4'", "False", "()", 4)),
            "must have a descr '|f4' that begins with '<' or '>'");
}

TEST(NpyHostile, OddButGoodHeadersAreRead) {
  const std::vector<std::string> good{
      "{'descr': '<f4', 'fortran_order': False, 'shape': (3L, 4L), }",
      "{\"shape\":(3,4),\"fortran_order\":False,\"descr\":\"<f4\"}",
      " \t{ 'descr' : '<f4' ,\n 'fortran_order' :\tFalse,\r\n'shape':( 3 , 4 , ) , } \n \f",
      "{'descr': 'f4', 'fortran_order': False, 'shape': (3, 4)}",
      "{'descr': '=f4', 'fortran_order': False, 'shape': (3, 4)}",
  };
  for (const std::string& text : good) {
    const NpyHeader header = parse(with_header(text, 48));
    EXPECT_EQ(header.layout, row_major({3, 4})) << text;
    EXPECT_EQ(header.dtype, DType::float32);
    EXPECT_EQ(header.data_begin, 10 + text.size());
  }
  for (const std::string descr : {"|u1", "<u1", ">u1", "=u1", "u1"}) {
    const NpyHeader header = parse(with_values("'" + descr + "'", "True", "(5L,)", 5));
    EXPECT_EQ(header.byte_order, ByteOrder::native) << descr;
    EXPECT_EQ(header.layout, row_major({5}));
  }
}

TEST(NpyHostile, EveryTruncationIsRefused) {
  const Scratch scratch;
  for (const std::string name : {"native-f4-C", "version-2", "swapped-c16-F"}) {
    const std::string whole = recorded(name);
    EXPECT_NO_THROW(parse(whole));
    for (std::size_t length = 0; length < whole.size(); ++length) {
      const std::string part = whole.substr(0, length);
      EXPECT_THROW(parse(part), FileError) << name << " " << length;
      // The length that is told, and what of it is there, are two things.
      EXPECT_THROW(parse_npy_header(std::as_bytes(std::span(whole)), length, "x"), FileError) << length;
      if (length % 16 == 0) {
        EXPECT_THROW(load_npy(scratch.file("x", part)), FileError);
      }
    }
    EXPECT_THROW(parse(whole + "\n"), FileError);
  }
}

TEST(NpyHostile, DamagedHeadersAreReadOrRefused) {
  const std::vector<std::string> wholes{recorded("native-f4-C"), recorded("version-3"),
                                        recorded("swapped-i2-F"), recorded("shape-2x2x2x2x2x2-C"),
                                        recorded("stranger-fields")};
  const std::string likely = "{}()[]'\",:<>|=-0123456789LTFabcdefghijklmnopqrstuvwxyz \n\\\xff";
  Dice dice(1);
  int refusals = 0;
  for (int round = 0; round < 30000; ++round) {
    std::string file = wholes[dice.roll(wholes.size())];
    for (std::size_t changes = 1 + dice.roll(4); changes > 0; --changes) {
      const std::size_t at = dice.roll(std::min<std::size_t>(file.size(), 90));
      switch (dice.roll(4)) {
        case 0:
          file[at] = static_cast<char>(dice.roll(256));
          break;
        case 1:
          file[at] = likely[dice.roll(likely.size())];
          break;
        case 2:
          file.erase(at, 1 + dice.roll(3));
          break;
        default:
          file.insert(at, 1, likely[dice.roll(likely.size())]);
      }
    }
    try {
      const NpyHeader header = parse(file);
      // What is accepted lies in the file to the byte.
      ASSERT_EQ(header.data_begin + header.nbytes, file.size());
      ASSERT_EQ(static_cast<std::size_t>(numel(header.layout)) * item_size(header.dtype), header.nbytes);
    } catch (const FileError& error) {
      ++refusals;
      ASSERT_TRUE(std::string(error.what()).starts_with("npy: \"x\" ")) << error.what();
    }
  }
  EXPECT_GT(refusals, 20000);
}

}  // namespace
}  // namespace tenstride::io
