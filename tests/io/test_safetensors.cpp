// SPDX-License-Identifier: Apache-2.0
// Headers by their definition, and what a new file looks like.
#include <gtest/gtest.h>

#include <span>

#include "io/safetensors/header.hpp"
#include "io/safetensors/index.hpp"
#include "support/refusal.hpp"
#include "support/safetensors.hpp"
#include "tenstride/layout/text.hpp"

namespace tenstride::io {
namespace {

using testing::lowest_first;
using testing::refusal;
using testing::safetensors_entry;
using testing::safetensors_file;

SafetensorsHeader parse(const std::string& file) {
  return parse_safetensors_header(std::as_bytes(std::span(file)), file.size(), "m");
}

/// A header with two tensors of one byte each.
const std::string two_bytes = '{' + safetensors_entry("a", "U8", "[1]", "[0,1]") + ',' +
                              safetensors_entry("b", "I8", "[1]", "[1,2]") + '}';

TEST(Safetensors, HeaderOfTheFormatsExample) {
  const std::string text = R"({"TENSOR_NAME":{"dtype":"F16","shape":[1,16,256],"data_offsets":[0,8192]}})";
  const SafetensorsHeader header = parse(safetensors_file(text, std::string(8192, '\0')));
  ASSERT_EQ(header.entries.size(), 1U);
  EXPECT_EQ(header.entries[0].name, "TENSOR_NAME");
  EXPECT_EQ(header.entries[0].type, "F16");
  EXPECT_EQ(header.entries[0].dtype, DType::float16);
  EXPECT_EQ(header.entries[0].shape, (Dims{1, 16, 256}));
  EXPECT_EQ(header.entries[0].begin, 0U);
  EXPECT_EQ(header.entries[0].end, 8192U);
  EXPECT_EQ(header.data_begin, 8 + text.size());
  EXPECT_TRUE(header.metadata.empty());
}

TEST(Safetensors, EveryTypeHasItsName) {
  const std::vector<std::tuple<std::string, DType, int>> types{{"BOOL", DType::bool_, 1},
                                                               {"U8", DType::uint8, 1},
                                                               {"I8", DType::int8, 1},
                                                               {"F8_E4M3", DType::float8_e4m3fn, 1},
                                                               {"F8_E5M2", DType::float8_e5m2, 1},
                                                               {"U16", DType::uint16, 2},
                                                               {"I16", DType::int16, 2},
                                                               {"F16", DType::float16, 2},
                                                               {"BF16", DType::bfloat16, 2},
                                                               {"U32", DType::uint32, 4},
                                                               {"I32", DType::int32, 4},
                                                               {"F32", DType::float32, 4},
                                                               {"U64", DType::uint64, 8},
                                                               {"I64", DType::int64, 8},
                                                               {"F64", DType::float64, 8},
                                                               {"C64", DType::complex64, 8}};
  for (const auto& [name, dtype, nbytes] : types) {
    const std::string range = "[0," + std::to_string(3 * nbytes) + ']';
    const std::string text = '{' + safetensors_entry("x", name, "[3]", range) + '}';
    const SafetensorsHeader header =
        parse(safetensors_file(text, std::string(3 * static_cast<std::size_t>(nbytes), '\0')));
    EXPECT_EQ(header.entries.at(0).dtype, dtype) << name;
    const FlatFile plan = plan_safetensors({{.name = "x", .shape = {3}, .dtype = dtype}}, {}, "save");
    EXPECT_NE(plan.head.find("\"dtype\":\"" + name + '"'), std::string::npos) << plan.head;
  }
}

TEST(Safetensors, SpacesMayFollowTheHeader) {
  for (const std::size_t count : {1U, 7U, 100U}) {
    const SafetensorsHeader header = parse(safetensors_file(two_bytes + std::string(count, ' '), "xy"));
    EXPECT_EQ(header.entries.size(), 2U);
    EXPECT_EQ(header.data_begin, 8 + two_bytes.size() + count);
  }
}

TEST(Safetensors, ScalarsAndTensorsWithoutElements) {
  const std::string text = '{' + safetensors_entry("scalar", "U8", "[]", "[0,1]") + ',' +
                           safetensors_entry("first", "F32", "[0]", "[0,0]") + ',' +
                           safetensors_entry("last", "F64", "[3,0,2]", "[1,1]") + '}';
  const SafetensorsHeader header = parse(safetensors_file(text, "x"));
  ASSERT_EQ(header.entries.size(), 3U);
  EXPECT_EQ(header.entries[0].name, "first");
  EXPECT_EQ(header.entries[1].name, "scalar");
  EXPECT_EQ(header.entries[1].shape, Dims{});
  EXPECT_EQ(header.entries[2].name, "last");
  EXPECT_EQ(header.entries[2].shape, (Dims{3, 0, 2}));
  EXPECT_TRUE(parse(safetensors_file("{}")).entries.empty());
  EXPECT_TRUE(parse(safetensors_file(R"({"__metadata__":{}})")).entries.empty());
}

TEST(Safetensors, EntriesComeInTheOrderOfTheirBytes) {
  const std::string text = '{' + safetensors_entry("c", "U8", "[2]", "[3,5]") + ',' +
                           safetensors_entry("a", "U8", "[1]", "[2,3]") + ',' +
                           safetensors_entry("b", "U8", "[2,1]", "[0,2]") + '}';
  const SafetensorsHeader header = parse(safetensors_file(text, "12345"));
  std::string names;
  for (const SafetensorsEntry& entry : header.entries) names += entry.name;
  EXPECT_EQ(names, "bac");
}

TEST(Safetensors, MetadataStayInTheOrderOfTheFile) {
  const std::string text =
      R"({"__metadata__":{"format":"pt","a \"name\"":"\u00e4","":""},)" + two_bytes.substr(1);
  const SafetensorsHeader header = parse(safetensors_file(text, "xy"));
  EXPECT_EQ(header.metadata, (std::vector<std::pair<std::string, std::string>>{
                                 {"format", "pt"}, {"a \"name\"", "\xc3\xa4"}, {"", ""}}));
  EXPECT_EQ(header.entries.size(), 2U);
}

TEST(Safetensors, KeysOfAnEntryMayComeInAnyOrderWithSpaces) {
  const SafetensorsHeader header = parse(safetensors_file(
      "{ \"a\" : { \"data_offsets\" : [ 0 , 2 ] ,\n \"shape\" : [ 2 ] ,\t\"dtype\" : \"U8\" } }", "xy"));
  EXPECT_EQ(header.entries.at(0).end, 2U);
}

TEST(Safetensors, TypesThatTenstrideLacksAreCountedInBits) {
  const std::vector<std::tuple<std::string, std::string, int>> types{
      {"F4", "[3,2]", 3}, {"F6_E2M3", "[4]", 3}, {"F6_E3M2", "[8]", 6}, {"F8_E8M0", "[5]", 5}};
  for (const auto& [type, shape, nbytes] : types) {
    const std::string text =
        '{' + safetensors_entry("x", type, shape, "[0," + std::to_string(nbytes) + ']') + '}';
    const SafetensorsHeader header =
        parse(safetensors_file(text, std::string(static_cast<std::size_t>(nbytes), '\0')));
    EXPECT_EQ(header.entries.at(0).type, type);
    EXPECT_FALSE(header.entries.at(0).dtype.has_value());
  }
}

TEST(SafetensorsPlan, LargeElementsFirstThenNames) {
  const std::vector<NewTensor> tensors{{.name = "b8", .shape = {3}, .dtype = DType::uint8},
                                       {.name = "z64", .shape = {2}, .dtype = DType::float64},
                                       {.name = "a16", .shape = {1}, .dtype = DType::bfloat16},
                                       {.name = "c64", .shape = {1}, .dtype = DType::complex64},
                                       {.name = "a64", .shape = {1}, .dtype = DType::int64},
                                       {.name = "a8", .shape = {0}, .dtype = DType::bool_}};
  const FlatFile plan = plan_safetensors(tensors, {}, "save");
  // complex64 is two numbers of four bytes.
  const std::string text =
      "{\"a64\":{\"dtype\":\"I64\",\"shape\":[1],\"data_offsets\":[0,8]},"
      "\"z64\":{\"dtype\":\"F64\",\"shape\":[2],\"data_offsets\":[8,24]},"
      "\"c64\":{\"dtype\":\"C64\",\"shape\":[1],\"data_offsets\":[24,32]},"
      "\"a16\":{\"dtype\":\"BF16\",\"shape\":[1],\"data_offsets\":[32,34]},"
      "\"a8\":{\"dtype\":\"BOOL\",\"shape\":[0],\"data_offsets\":[34,34]},"
      "\"b8\":{\"dtype\":\"U8\",\"shape\":[3],\"data_offsets\":[34,37]}}";
  const std::size_t padded = (text.size() + 7) / 8 * 8;
  EXPECT_EQ(plan.head, lowest_first(padded, 8) + text + std::string(padded - text.size(), ' '));
  EXPECT_EQ(plan.nbytes, plan.head.size() + 37);
  ASSERT_EQ(plan.parts.size(), tensors.size());
  const std::vector<std::uint64_t> begins{34, 8, 32, 24, 0, 34};
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    EXPECT_EQ(plan.parts[i].begin, plan.head.size() + begins[i]) << tensors[i].name;
    EXPECT_EQ(plan.parts[i].layout, row_major(tensors[i].shape)) << tensors[i].name;
    if (numel(plan.parts[i].layout) == 0) continue;
    EXPECT_EQ(plan.parts[i].begin % item_size(component_type(tensors[i].dtype)), 0U) << tensors[i].name;
  }
}

TEST(SafetensorsPlan, HeadersAreAMultipleOfEight) {
  for (std::size_t length = 1; length <= 16; ++length) {
    const FlatFile plan = plan_safetensors({{.name = std::string(length, 'n'), .shape = {1}}}, {}, "save");
    EXPECT_EQ(plan.head.size() % 8, 0U);
    EXPECT_EQ(parse(plan.head + "abcd").data_begin, plan.head.size());
  }
  EXPECT_EQ(plan_safetensors({}, {}, "save").head, lowest_first(8, 8) + "{}      ");
}

TEST(SafetensorsPlan, MetadataAndNamesAreQuoted) {
  const FlatFile plan = plan_safetensors({{.name = "a\"\n\xc3\xa4", .shape = {}, .dtype = DType::uint8}},
                                         {{"k\\", "v\t"}, {"", ""}}, "save");
  const std::string start = R"({"__metadata__":{"k\\":"v\t","":""},"a\"\n)"
                            "\xc3\xa4"
                            R"(":{"dtype":"U8","shape":[],"data_offsets":[0,1]}})";
  EXPECT_TRUE(plan.head.substr(8).starts_with(start)) << plan.head;
  const SafetensorsHeader header = parse(plan.head + "x");
  EXPECT_EQ(header.entries.at(0).name, "a\"\n\xc3\xa4");
  EXPECT_EQ(header.metadata.at(0), (std::pair<std::string, std::string>("k\\", "v\t")));
}

TEST(SafetensorsPlan, SaysWhatAFileCannotHold) {
  const auto plan = [](const std::vector<NewTensor>& tensors) {
    return plan_safetensors(tensors, {}, "save");
  };
  EXPECT_EQ(refusal<ValueError>([&] { return plan({{.name = "", .shape = {1}}}); }),
            "save: the name \"\" of a tensor must be one, and not __metadata__");
  EXPECT_EQ(refusal<ValueError>([&] { return plan({{.name = "__metadata__", .shape = {1}}}); }),
            "save: the name \"__metadata__\" of a tensor must be one, and not __metadata__");
  EXPECT_EQ(refusal<ValueError>([&] {
              return plan({{.name = "a", .shape = {1}}, {.name = "a", .shape = {2}}});
            }),
            "save: the name \"a\" must stand once in a file");
  EXPECT_EQ(refusal<ValueError>([&] { return plan({{.name = "\xff", .shape = {1}}}); }),
            "save: the names and texts of a safetensors file must be UTF-8");
  EXPECT_EQ(
      refusal<TypeError>([&] { return plan({{.name = "z", .shape = {1}, .dtype = DType::complex128}}); }),
      "save: elements of complex128 (\"z\") must be of a type that safetensors has; use .to(complex64)");
}

TEST(SafetensorsIndex, NamesTheFileOfEachTensor) {
  const SafetensorsIndex index = parse_safetensors_index(
      R"({"metadata":{"total_size":12},"weight_map":{"b":"m-2.safetensors","a":"m-1.safetensors"}})", "i");
  ASSERT_EQ(index.entries.size(), 2U);
  EXPECT_EQ(index.entries[0].name, "b");
  EXPECT_EQ(index.entries[0].file, "m-2.safetensors");
  EXPECT_EQ(index.entries[1].name, "a");
  EXPECT_EQ(index.metadata, R"({"total_size":12})");
  EXPECT_EQ(parse_safetensors_index(R"({"weight_map":{}})", "i").metadata, "");
}

TEST(SafetensorsIndex, ATensorMayBeCalledAsAKeyOfTheMetadata) {
  const SafetensorsIndex index = parse_safetensors_index(
      R"({"metadata":{"total_size":1,"metadata":"x"},"weight_map":{"total_size":"m","metadata":"m","weight_map":"m"}})",
      "i");
  EXPECT_EQ(index.entries.size(), 3U);
}

TEST(SafetensorsIndex, TextIsSortedByName) {
  EXPECT_EQ(safetensors_index_text({{{"b", "m-2"}, {"a", "m-1"}}, ""}, 12),
            "{\n  \"metadata\": {\n    \"total_size\": 12\n  },\n  \"weight_map\": {\n    \"a\": \"m-1\",\n"
            "    \"b\": \"m-2\"\n  }\n}\n");
}

}  // namespace
}  // namespace tenstride::io
