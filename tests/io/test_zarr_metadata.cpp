// SPDX-License-Identifier: Apache-2.0
#include "io/zarr/metadata.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <nlohmann/json.hpp>

#include "io/zarr/array_options.hpp"
#include "io/zarr/permute_metadata.hpp"
#include "support/refusal.hpp"
#include "support/zarr.hpp"
#include "tenstride/base/element.hpp"

namespace tenstride::io {
namespace {

using testing::element;
using testing::refusal;
using testing::zarr_json;
using testing::zarray;
using Json = nlohmann::json;

const std::string shards = R"([{"name": "sharding_indexed", "configuration": {"chunk_shape": [1, 3],
  "codecs": [{"name": "transpose", "configuration": {"order": [1, 0]}},
             {"name": "bytes", "configuration": {"endian": "big"}}, "crc32c"],
  "index_codecs": [{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "crc32c"}],
  "index_location": "start"}}])";

/// The text with the member at a pointer ("/codecs/0/name") replaced, or added; "" leaves it out.
std::string changed(const std::string& text, const std::string& pointer, const std::string& value) {
  std::string plain = text;
  for (std::size_t at = plain.find(" NaN"); at != std::string::npos; at = plain.find(" NaN")) {
    plain.replace(at, 4, " 0");
  }
  Json json = Json::parse(plain);
  const Json::json_pointer place(pointer);
  if (value.empty()) {
    json[place.parent_pointer()].erase(place.back());
  } else {
    json[place] = Json::parse(value);
  }
  return json.dump();
}

std::string refusal_v3(const std::string& pointer, const std::string& value) {
  return refusal<FileError>([&] { return parse_zarr_v3(changed(zarr_json, pointer, value), "a"); });
}
std::string refusal_v2(const std::string& pointer, const std::string& value) {
  return refusal<FileError>([&] { return parse_zarr_v2(changed(zarray, pointer, value), "", "a"); });
}

TEST(ZarrMetadata, Version3) {
  const ZarrArray array = parse_zarr_v3(zarr_json, "a");
  EXPECT_EQ(array.format, 3);
  EXPECT_EQ(array.shape, (Dims{5, 6}));
  EXPECT_EQ(array.chunk, (Dims{2, 3}));
  EXPECT_EQ(array.unit(), (Dims{2, 3}));
  EXPECT_EQ(array.dtype, DType::float32);
  EXPECT_EQ(array.byte_order, ByteOrder::native);
  EXPECT_EQ(array.order, (Dims{0, 1}));
  EXPECT_EQ(array.fill_value, element(0x7fc00000U));
  const ZarrCodec zstd{.kind = ZarrCodecKind::zstd, .level = 3, .has_checksum = true};
  EXPECT_EQ(array.codecs, std::vector<ZarrCodec>{zstd});
  EXPECT_EQ(array.dimension_names, (std::vector<std::optional<std::string>>{"x", std::nullopt}));
  EXPECT_EQ(array.attributes, R"({"k":[1,NaN,"a\"NaN"]})");
  EXPECT_EQ(zarr_key(array, {1, 0}), "c/1/0");
}

TEST(ZarrMetadata, Version2) {
  const ZarrArray array = parse_zarr_v2(zarray, R"({"_ARRAY_DIMENSIONS": ["y", "x"], "units": "m"})", "a");
  EXPECT_EQ(array.format, 2);
  EXPECT_EQ(array.order, (Dims{1, 0}));
  EXPECT_EQ(zarr_chunk_layout(array), (Layout{{2, 3}, {1, 2}, 0}));
  EXPECT_EQ(array.fill_value, element(1.5F));
  const ZarrCodec blosc{.kind = ZarrCodecKind::blosc, .level = 5, .shuffle = ZarrShuffle::bytes, .item = 4};
  EXPECT_EQ(array.codecs, std::vector<ZarrCodec>{blosc});
  EXPECT_EQ(array.dimension_names, (std::vector<std::optional<std::string>>{"y", "x"}));
  EXPECT_EQ(array.attributes, R"({"_FillValue":1.5,"units":"m"})");
  EXPECT_EQ(zarr_key(array, {1, 0}), "1/0");
  EXPECT_EQ(zarr_key(array, {}), "0");
}

TEST(ZarrMetadata, Shards) {
  const ZarrArray array = parse_zarr_v3(changed(zarr_json, "/codecs", shards), "a");
  ASSERT_TRUE(array.shards);
  EXPECT_EQ(array.chunk, (Dims{1, 3}));
  EXPECT_EQ(array.unit(), (Dims{2, 3}));
  EXPECT_EQ(array.order, (Dims{1, 0}));
  EXPECT_EQ(array.shards->order, (Dims{0, 1}));
  EXPECT_EQ(array.byte_order, ByteOrder::swapped);
  EXPECT_EQ(array.shards->index_location, ZarrIndexLocation::start);
  EXPECT_TRUE(array.shards->has_index_checksum);
  EXPECT_EQ(array.codecs, std::vector<ZarrCodec>{ZarrCodec{.kind = ZarrCodecKind::crc32c}});
}

TEST(ZarrMetadata, ATransposeBeforeShardsIsOfTheirIndex) {
  Json codecs = Json::parse(shards);
  codecs.insert(codecs.begin(), Json{{"name", "transpose"}, {"configuration", {{"order", {1, 0}}}}});
  codecs[1]["configuration"]["chunk_shape"] = {3, 1};
  const ZarrArray array = parse_zarr_v3(changed(zarr_json, "/codecs", codecs.dump()), "a");
  EXPECT_EQ(array.chunk, (Dims{1, 3}));
  EXPECT_EQ(array.shards->order, (Dims{1, 0}));
  EXPECT_EQ(array.order, (Dims{0, 1}));
  EXPECT_TRUE(parse_zarr_v3(zarr_metadata_texts(array)[0].text, "a") == array);
}

TEST(ZarrMetadata, WritesWhatItReads) {
  const std::string json = changed(zarr_json, "/attributes", R"({"k": [1, "NaN"]})");
  for (const std::string& codecs : {std::string(), shards}) {
    const ZarrArray array = parse_zarr_v3(codecs.empty() ? json : changed(json, "/codecs", codecs), "a");
    const std::vector<ZarrText> texts = zarr_metadata_texts(array);
    ASSERT_EQ(texts.size(), 1U);
    EXPECT_EQ(texts[0].name, "zarr.json");
    EXPECT_TRUE(parse_zarr_v3(texts[0].text, "a") == array);
  }
  const ZarrArray array = parse_zarr_v2(zarray, R"({"_ARRAY_DIMENSIONS": ["y", "x"], "n": [NaN]})", "a");
  const std::vector<ZarrText> texts = zarr_metadata_texts(array);
  ASSERT_EQ(texts.size(), 2U);
  EXPECT_EQ(texts[0].name, ".zattrs");
  EXPECT_EQ(texts[0].text,
            "{\n  \"_ARRAY_DIMENSIONS\": [\n    \"y\",\n    \"x\"\n  ],\n  \"n\": [\n    \"NaN\"\n  ]\n}\n");
  EXPECT_EQ(texts[1].name, ".zarray");
  EXPECT_TRUE(parse_zarr_v2(texts[1].text, texts[0].text, "a") == array);
}

TEST(ZarrMetadata, FillValues) {
  const auto fill = [](const std::string& type, const std::string& value) {
    return parse_zarr_v3(changed(changed(zarr_json, "/data_type", "\"" + type + "\""), "/fill_value", value),
                         "a")
        .fill_value;
  };
  EXPECT_EQ(fill("bool", "true"), element(true));
  EXPECT_EQ(fill("int8", "-128"), element(std::int8_t{-128}));
  EXPECT_EQ(fill("uint64", "18446744073709551615"), element(~std::uint64_t{0}));
  EXPECT_EQ(fill("int64", "-9223372036854775808"), element(std::numeric_limits<std::int64_t>::min()));
  EXPECT_EQ(fill("float16", "\"0x7e01\""), element(std::uint16_t{0x7e01}));
  EXPECT_EQ(fill("float32", "\"-Infinity\""), element(-std::numeric_limits<float>::infinity()));
  EXPECT_EQ(fill("float64", "\"0x3ff8000000000000\""), element(1.5));
  EXPECT_EQ(fill("bfloat16", "1.5"), element(std::uint16_t{0x3fc0}));
  EXPECT_EQ(fill("complex64", "[1, \"Infinity\"]"),
            element(std::complex<float>(1, std::numeric_limits<float>::infinity())));
  const auto fill_v2 = [](const std::string& type, const std::string& value) {
    return parse_zarr_v2(changed(changed(zarray, "/dtype", "\"" + type + "\""), "/fill_value", value), "",
                         "a")
        .fill_value;
  };
  EXPECT_EQ(fill_v2("<f4", "null"), std::vector<std::byte>());
  EXPECT_EQ(fill_v2("<i4", "3.0"), element(std::int32_t{3}));
  EXPECT_EQ(fill_v2("|b1", "1"), element(true));
  EXPECT_EQ(fill_v2("<i2", "\"AQI=\""), element(std::int16_t{0x0201}));
  EXPECT_EQ(fill_v2(">i2", "\"AQI=\""), element(std::int16_t{0x0102}));
}

TEST(ZarrMetadata, RefusesFieldsOfVersion3) {
  EXPECT_EQ(refusal_v3("/shape", ""), "zarr: \"a/zarr.json\" must have the field \"shape\"");
  EXPECT_EQ(
      refusal_v3("/shape", "[5, -6]"),
      "zarr: \"a/zarr.json\" has shape[1] = -6, which must be an integer from 0 to 9223372036854775807");
  EXPECT_EQ(
      refusal_v3("/shape", "[5, 6.5]"),
      "zarr: \"a/zarr.json\" has shape[1] = 6.5, which must be an integer from 0 to 9223372036854775807");
  EXPECT_EQ(refusal_v3("/shape", "[5, 9223372036854775808]"),
            "zarr: \"a/zarr.json\" has shape[1] = 9223372036854775808, which must be an integer from 0 to "
            "9223372036854775807");
  EXPECT_EQ(refusal_v3("/shape", "[4294967296, 4294967296]"),
            "zarr: \"a/zarr.json\" has shape = [4294967296,4294967296], which must be a shape whose bytes "
            "fit a signed "
            "64-bit integer (float32)");
  EXPECT_EQ(refusal_v3("/shape", "{}"),
            "zarr: \"a/zarr.json\" has shape = {}, which must be a list of at most 64 integers");
  EXPECT_EQ(refusal_v3("/zarr_format", "4"), "zarr: \"a/zarr.json\" has zarr_format = 4, which must be 3");
  EXPECT_EQ(refusal_v3("/node_type", "\"group\""),
            "zarr: \"a/zarr.json\" has node_type = \"group\", which must be \"array\"");
  EXPECT_EQ(
      refusal_v3("/data_type", "\"r16\""),
      "zarr: \"a/zarr.json\" has data_type = \"r16\", which must be one of bool, int8, int16, int32, int64, "
      "uint8, uint16, uint32, uint64, float16, float32, float64, complex64, complex128, bfloat16, "
      "float8_e4m3fn, float8_e5m2, or numpy.datetime64 or numpy.timedelta64 with a configuration");
  EXPECT_EQ(refusal_v3("/chunk_grid/name", "\"rectilinear\""),
            "zarr: \"a/zarr.json\" has chunk_grid = "
            "{\"configuration\":{\"chunk_shape\":[2,3]},\"name\":\"rectilinear\"}, which must be a grid of "
            "the name "
            "\"regular\" with a chunk_shape");
  EXPECT_EQ(refusal_v3("/chunk_grid/configuration/chunk_shape", "[2, 0]"),
            "zarr: \"a/zarr.json\" has chunk_grid.configuration.chunk_shape[1] = 0, which must be an integer "
            "from 1 to "
            "9223372036854775807");
  EXPECT_EQ(refusal_v3("/chunk_grid/configuration/chunk_shape", "[2]"),
            "zarr: \"a/zarr.json\" has chunk_grid.configuration.chunk_shape = [2], which must be a list of 2 "
            "integers, "
            "one for each axis of the shape");
  EXPECT_EQ(refusal_v3("/chunk_key_encoding/name", "\"v4\""),
            "zarr: \"a/zarr.json\" has chunk_key_encoding = "
            "{\"configuration\":{\"separator\":\"/\"},\"name\":\"v4\"}, "
            "which must be \"default\" or \"v2\"");
  EXPECT_EQ(
      refusal_v3("/chunk_key_encoding/configuration/separator", "\"..\""),
      "zarr: \"a/zarr.json\" has chunk_key_encoding.configuration.separator = \"..\", which must be \"/\" or "
      "\".\"");
  EXPECT_EQ(
      refusal_v3("/fill_value", "\"0x1234\""),
      "zarr: \"a/zarr.json\" has fill_value = \"0x1234\", which must be a number, \"NaN\", \"Infinity\", "
      "\"-Infinity\", or \"0x\" and the 8 digits of float32");
  EXPECT_EQ(refusal_v3("/dimension_names", "[\"x\"]"),
            "zarr: \"a/zarr.json\" has dimension_names = [\"x\"], which must be a list of 2 names, one for "
            "each axis");
  EXPECT_EQ(refusal_v3("/attributes", "[]"),
            "zarr: \"a/zarr.json\" has attributes = [], which must be an object");
  EXPECT_EQ(refusal_v3("/storage_transformers", "[1]"),
            "zarr: \"a/zarr.json\" has storage_transformers = [1], which must be an empty list");
  EXPECT_EQ(refusal_v3("/extension", "{\"name\": \"x\"}"),
            "zarr: \"a/zarr.json\" has extension = {\"name\":\"x\"}, which must be left out: it is no field "
            "of Zarr 3.0, "
            "and does not say \"must_understand\": false");
  EXPECT_EQ(refusal_v3("/extension", "{\"must_understand\": false}"), "not refused");
}

TEST(ZarrMetadata, RefusesCodecsOfVersion3) {
  EXPECT_EQ(
      refusal_v3("/codecs", "[]"),
      "zarr: \"a/zarr.json\" has codecs = [], which must be a list with the codec bytes or sharding_indexed");
  EXPECT_EQ(refusal_v3("/codecs/0/name", "\"vlen-utf8\""),
            "zarr: \"a/zarr.json\" has codecs[0] = "
            "{\"configuration\":{\"endian\":\"little\"},\"name\":\"vlen-utf8\"}, "
            "which must be one of the codecs transpose, sharding_indexed, bytes and numcodecs' filters here");
  EXPECT_EQ(refusal_v3("/codecs/1", "\"lzma\""),
            "zarr: \"a/zarr.json\" has codecs[1] = \"lzma\", which must be one of the codecs gzip, zstd, "
            "blosc, crc32c and numcodecs' here");
  EXPECT_EQ(refusal_v3("/codecs/0/configuration", "{}"),
            "zarr: \"a/zarr.json\" must have the field \"endian\" in codecs[0].configuration");
  EXPECT_EQ(
      refusal_v3("/codecs/0/configuration/endian", "\"middle\""),
      "zarr: \"a/zarr.json\" has codecs[0].configuration.endian = \"middle\", which must be \"little\" or "
      "\"big\"");
  EXPECT_EQ(refusal_v3("/codecs/1/configuration/level", "99"),
            "zarr: \"a/zarr.json\" has codecs[1].configuration.level = 99, which must be an integer from "
            "-131072 to "
            "22");
  EXPECT_EQ(refusal_v3("/codecs/1/configuration/window", "1"),
            "zarr: \"a/zarr.json\" has codecs[1].configuration = "
            "{\"checksum\":true,\"level\":3,\"window\":1}, which "
            "must be an object of no fields but level, checksum");
  EXPECT_EQ(
      refusal_v3("/codecs/1", R"({"name": "blosc", "configuration": {"cname": "lzo", "clevel": 1,
                                        "shuffle": "shuffle"}})"),
      "zarr: \"a/zarr.json\" has codecs[1].configuration.cname = \"lzo\", which must be one of blosclz, lz4, "
      "lz4hc, snappy, zlib, zstd");
  EXPECT_EQ(
      refusal_v3("/codecs/0", R"({"name": "transpose", "configuration": {"order": [0, 0]}})"),
      "zarr: \"a/zarr.json\" has codecs[0].configuration.order = [0,0], which must be each axis of 2 once");
  const auto refusal_of_shards = [](const std::string& pointer, const std::string& value) {
    return refusal_v3("/codecs", changed(shards, pointer, value));
  };
  EXPECT_EQ(refusal_of_shards("/0/configuration/chunk_shape", "[2, 2]"),
            "zarr: \"a/zarr.json\" has codecs[0].configuration.chunk_shape = [2,2], which must be sizes that "
            "divide "
            "those of a shard, (2,3)");
  const std::string wide = R"({"name": "regular", "configuration": {"chunk_shape": [4096, 12291]}})";
  EXPECT_EQ(
      refusal<FileError>([&] {
        return parse_zarr_v3(changed(changed(zarr_json, "/codecs", shards), "/chunk_grid", wide), "a");
      }),
      "zarr: \"a/zarr.json\" has codecs[0].configuration.chunk_shape = [1,3], which must be sizes of which a "
      "shard, (4096,12291), has at most 16777216 chunks");
  EXPECT_EQ(refusal_of_shards("/0/configuration/index_codecs/1", "\"gzip\""),
            "zarr: \"a/zarr.json\" has codecs[0].configuration.index_codecs = "
            "[{\"configuration\":{\"endian\":\"little\"},\"name\":\"bytes\"},\"gzip\"], which must be the "
            "codec bytes, "
            "or bytes and crc32c, as the length of an index is known then");
  EXPECT_EQ(refusal_of_shards("/0/configuration/index_location", "\"middle\""),
            "zarr: \"a/zarr.json\" has codecs[0].configuration.index_location = \"middle\", which must be "
            "\"start\" or "
            "\"end\"");
  EXPECT_EQ(
      refusal_of_shards("/1", "\"crc32c\""),
      "zarr: \"a/zarr.json\" has codecs[1] = \"crc32c\", which must be left out: nothing may encode whole "
      "shards");
  EXPECT_EQ(refusal_of_shards("/0/configuration/codecs/0/name", "\"sharding_indexed\""),
            "zarr: \"a/zarr.json\" has codecs[0].configuration.codecs[0].configuration = {\"order\":[1,0]}, "
            "which must "
            "be an object of no fields but chunk_shape, codecs, index_codecs, index_location");
}

TEST(ZarrMetadata, RefusesFieldsOfVersion2) {
  EXPECT_EQ(refusal_v2("/dtype", "\"<U4\""),
            "zarr: \"a/.zarray\" has dtype = \"<U4\", which must be one of b1 u1 i1 u2 i2 u4 i4 u8 i8 f2 f4 "
            "f8 c8 c16 M8[unit] m8[unit] after \"<\", \">\" or \"|\", or \"bfloat16\"");
  EXPECT_EQ(refusal_v2("/dtype", "[[\"a\", \"<f4\"]]"),
            "zarr: \"a/.zarray\" has dtype = [[\"a\",\"<f4\"]], which must be one of b1 u1 i1 u2 i2 u4 i4 u8 "
            "i8 f2 f4 f8 c8 c16 M8[unit] m8[unit] after \"<\", \">\" or \"|\", or \"bfloat16\"");
  EXPECT_EQ(refusal_v2("/order", "\"A\""),
            "zarr: \"a/.zarray\" has order = \"A\", which must be \"C\" or \"F\"");
  EXPECT_EQ(refusal_v2("/compressor/id", "\"zfpy\""),
            "zarr: \"a/.zarray\" has compressor.id = \"zfpy\", which must be one of zlib, gzip, zstd, blosc, "
            "lz4, bz2, lzma, shuffle, delta, fixedscaleoffset, quantize, bitround, astype, packbits, crc32, "
            "crc32c, adler32, fletcher32");
  EXPECT_EQ(refusal_v2("/filters", "[{\"id\": \"zlib\"}]"),
            "zarr: \"a/.zarray\" has filters[0] = {\"id\":\"zlib\"}, which must be a filter; a "
            "compressor may stand last among them where \"compressor\" is null");
  EXPECT_EQ(refusal_v2("/filters", "[{\"id\": \"shuffle\", \"elementsize\": 5}]"),
            "zarr: \"a/.zarray\" has filters[0] = {\"elementsize\":5,\"id\":\"shuffle\"}, which must be a "
            "filter of elements whose size divides the 24 bytes of a chunk");
  EXPECT_EQ(refusal_v2("/chunks", "[2, 0]"),
            "zarr: \"a/.zarray\" has chunks = [2,0], which must be a list of integers of at least 1");
  EXPECT_EQ(refusal_v2("/fill_value", "\"abc\""),
            "zarr: \"a/.zarray\" has fill_value = \"abc\", which must be a number, \"NaN\", \"Infinity\", "
            "\"-Infinity\", or \"0x\" and the 8 digits of float32");
}

TEST(ZarrMetadata, RefusesTextsThatAreNoJson) {
  const auto refused = [](const std::string& text) {
    return refusal<FileError>([&] { return parse_zarr_v3(text, "a"); });
  };
  EXPECT_EQ(refused(""), "zarr: \"a/zarr.json\" must be JSON, which it is not at byte 1");
  EXPECT_EQ(refused("{\"a\": 1,}"), "zarr: \"a/zarr.json\" must be JSON, which it is not at byte 9");
  EXPECT_EQ(refused("[]"), "zarr: \"a/zarr.json\" has [], which must be an object");
  EXPECT_EQ(refused("{\"a\": {\"b\": 1, \"b\": 2}}"),
            "zarr: \"a/zarr.json\" has the field \"b\" twice in one object, which must have it once");
  EXPECT_EQ(refused(std::string(100000, '[')),
            "zarr: \"a/zarr.json\" must have at most 64 levels of objects and lists");
  EXPECT_EQ(refused("{\"a\": 1e999}"), "zarr: \"a/zarr.json\" must be JSON whose numbers a double can hold");
  EXPECT_EQ(refused(std::string(max_zarr_metadata + 1, ' ')),
            "zarr: \"a/zarr.json\" has 16777217 bytes and must have at most 16777216");
}

TEST(ZarrMetadata, AnyTextIsReadOrRefused) {
  const std::vector<std::string> values{"null",
                                        "-1",
                                        "0",
                                        "1",
                                        "1.5",
                                        "1e300",
                                        "18446744073709551615",
                                        "\"\"",
                                        "\"NaN\"",
                                        "[]",
                                        "[1]",
                                        "{}",
                                        "[[]]",
                                        "true",
                                        "NaN",
                                        "[0, 0]",
                                        "\"0x00\"",
                                        "4611686018427387904"};
  testing::Dice dice(17);
  const std::vector<std::string> texts{zarr_json, changed(zarr_json, "/codecs", shards), zarray};
  for (int n = 0; n < 6000; ++n) {
    const std::size_t which = dice.roll(texts.size());
    std::string text = texts[which];
    for (std::size_t times = 1 + dice.roll(2); times > 0; --times) {
      if (dice.roll(3) == 0) {
        text[dice.roll(text.size())] = static_cast<char>(dice.roll(256));
      } else {
        // What stands behind a colon, a comma or a bracket, up to the next one.
        const std::size_t begin = text.find_first_of(":,[", dice.roll(text.size()));
        if (begin == std::string::npos) continue;
        const std::size_t end = text.find_first_of(",]}", begin + 1);
        text.replace(begin + 1, end == std::string::npos ? 0 : end - begin - 1,
                     values[dice.roll(values.size())]);
      }
    }
    try {
      const ZarrArray array = which == 2 ? parse_zarr_v2(text, "", "a") : parse_zarr_v3(text, "a");
      EXPECT_EQ(array.chunk.size(), array.shape.size()) << text;
      EXPECT_EQ(array.order.size(), array.shape.size()) << text;
      EXPECT_GT(array.chunk_nbytes(), 0U) << text;
      static_cast<void>(zarr_chunk_layout(array));
    } catch (const FileError&) {
    }
  }
}

TEST(ZarrMetadata, VersionTwoHasNoWordForSomeArrays) {
  ZarrOptions options{.format = 2, .chunk = {1, 2, 3}, .codecs = parse_zarr_codecs("zstd+crc32c")};
  const auto refused = [&] {
    return refusal<FileError>([&] { return make_zarr_array({2, 4, 3}, DType::float32, options); });
  };
  EXPECT_EQ(refused(), "zarr: \".zarray\" must have one compressor at most in version 2 of Zarr");
  options.codecs = parse_zarr_codecs("crc32c");
  EXPECT_EQ(refused(),
            "zarr: \".zarray\" must have codecs that version 2 of Zarr has, not crc32c; write version 3");
  options.codecs = parse_zarr_codecs("blosc");
  options.order = {1, 0, 2};
  EXPECT_EQ(refused(),
            "zarr: \".zarray\" has chunks with axes in the order (1,0,2), which must be row-major or "
            "column-major in version 2 of Zarr; write version 3");
  options.order = {};
  options.shard = {2, 2, 3};
  EXPECT_EQ(refused(), "zarr: \".zarray\" must have no shards in version 2 of Zarr; write version 3");
}

}  // namespace
}  // namespace tenstride::io
