// SPDX-License-Identifier: Apache-2.0
// Metadata with numcodecs' codecs, shards within shards and times: what is understood, and that it is written
// as it is read. Their elements are compared with zarr-python's in tests/python.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "io/zarr/codecs.hpp"
#include "io/zarr/metadata.hpp"
#include "io/zarr/permute_metadata.hpp"
#include "support/refusal.hpp"

namespace tenstride::io {
namespace {

using testing::refusal;

const std::string little = R"({"name": "bytes", "configuration": {"endian": "little"}})";
const std::string big = R"({"name": "bytes", "configuration": {"endian": "big"}})";

std::string array_v3(const std::string& type, const std::string& codecs) {
  return R"({"zarr_format": 3, "node_type": "array", "shape": [8, 12], "data_type": )" + type +
         R"(, "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [4, 12]}},
            "chunk_key_encoding": {"name": "default"}, "fill_value": 0, "attributes": {"k": 1}, "codecs": )" +
         codecs + "}";
}

std::string array_v2(const std::string& type, const std::string& filters, const std::string& compressor) {
  return R"({"zarr_format": 2, "shape": [8, 12], "chunks": [4, 12], "order": "C", "fill_value": 0, "dtype": )" +
         type + R"(, "filters": )" + filters + R"(, "compressor": )" + compressor + "}";
}

std::string sharded(const std::string& chunk, const std::string& codecs) {
  return R"({"name": "sharding_indexed", "configuration": {"chunk_shape": )" + chunk + R"(, "codecs": )" +
         codecs + R"(, "index_codecs": [)" + little + R"(, {"name": "crc32c"}], "index_location": "start"}})";
}

ZarrArray reread(const ZarrArray& array) {
  const std::vector<ZarrText> texts = zarr_metadata_texts(array);
  return array.format == 3 ? parse_zarr_v3(texts[0].text, "a")
                           : parse_zarr_v2(texts[1].text, texts[0].text, "a");
}

std::vector<std::string_view> kinds(const ZarrArray& array) {
  std::vector<std::string_view> names;
  for (const ZarrCodec& codec : array.codecs) names.push_back(zarr_codec_name(codec.kind));
  return names;
}

TEST(ZarrNumcodecs, Version3) {
  const ZarrArray array = parse_zarr_v3(
      array_v3(R"("float64")", R"([{"name": "transpose", "configuration": {"order": [1, 0]}},
    {"name": "numcodecs.fixedscaleoffset",
     "configuration": {"offset": -1, "scale": 10, "dtype": "float64", "astype": "<i4"}},
    {"name": "numcodecs.delta", "configuration": {"dtype": "<i4", "astype": ">i2"}}, )" +
                                   big + R"(, {"name": "numcodecs.lz4", "configuration": {"acceleration": 1}},
    {"name": "numcodecs.crc32", "configuration": {"location": "end"}}, "crc32c"])"),
      "a");
  EXPECT_EQ(kinds(array),
            (std::vector<std::string_view>{"fixedscaleoffset", "delta", "lz4", "crc32", "crc32c"}));
  EXPECT_EQ(array.byte_order, ByteOrder::native);
  EXPECT_EQ(array.order, (Dims{1, 0}));
  EXPECT_EQ(array.codecs[0].offset, -1);
  EXPECT_EQ(array.codecs[0].scale, 10);
  EXPECT_EQ(array.codecs[1].decoded, (ZarrElement{DType::int32, ByteOrder::native}));
  EXPECT_EQ(array.codecs[1].encoded, (ZarrElement{DType::int16, ByteOrder::swapped}));
  EXPECT_EQ(array.codecs[3].checksum_place, ZarrChecksumPlace::end);
  EXPECT_TRUE(reread(array) == array);
}

TEST(ZarrNumcodecs, Version2) {
  const ZarrArray array =
      parse_zarr_v2(array_v2(R"(">f4")", R"([{"id": "quantize", "digits": 2, "dtype": ">f4", "astype": "<f2"},
    {"id": "bitround", "keepbits": 3}, {"id": "shuffle", "elementsize": 2}, {"id": "adler32"}])",
                             R"({"id": "bz2", "level": 9})"),
                    "", "a");
  EXPECT_EQ(kinds(array), (std::vector<std::string_view>{"astype", "astype", "shuffle", "adler32", "bz2"}));
  EXPECT_EQ(array.byte_order, ByteOrder::swapped);
  EXPECT_EQ(array.codecs[1].decoded, (ZarrElement{DType::float16, ByteOrder::native}));
  EXPECT_EQ(array.codecs[3].checksum_place, ZarrChecksumPlace::start);
  EXPECT_TRUE(reread(array) == array);
  ZarrArray newer = array;
  newer.format = 3;
  EXPECT_EQ(refusal<FileError>([&] { return zarr_metadata_texts(newer); }),
            "zarr: \"zarr.json\" must have codecs that version 3 of Zarr has, not shuffle; write version 2");
}

TEST(ZarrNumcodecs, ShardsWithinShards) {
  const std::string inner =
      sharded("[2, 4]", R"([{"name": "transpose", "configuration": {"order": [1, 0]}}, )" + little + "]");
  const std::string outer = sharded("[4, 6]", "[" + sharded("[2, 6]", "[" + little + "]") + "]");
  const ZarrArray two = parse_zarr_v3(array_v3(R"("int16")", "[" + outer + "]"), "a");
  EXPECT_EQ(two.unit(), (Dims{4, 12}));
  ASSERT_EQ(two.inner_shards.size(), 1U);
  EXPECT_EQ(two.inner_shards[0].shape, (Dims{4, 6}));
  EXPECT_EQ(two.chunk, (Dims{2, 6}));
  EXPECT_TRUE(reread(two) == two);
  const ZarrArray permuted = parse_zarr_v3(
      array_v3(R"("int16")", R"([{"name": "transpose", "configuration": {"order": [1, 0]}}, )" +
                                 sharded("[12, 2]", "[" + sharded("[4, 2]", "[" + little + "]") + "]") + "]"),
      "a");
  EXPECT_EQ(permuted.inner_shards[0].shape, (Dims{2, 12}));
  EXPECT_EQ(permuted.inner_shards[0].order, (Dims{1, 0}));
  EXPECT_EQ(permuted.chunk, (Dims{2, 4}));
  EXPECT_TRUE(reread(permuted) == permuted);
  const ZarrArray three = parse_zarr_v3(
      array_v3(R"("int16")",
               "[" + sharded("[4, 12]", "[" + sharded("[4, 4]", "[" + inner + "]") + "]") + "]"),
      "a");
  EXPECT_EQ(three.inner_shards.size(), 2U);
  EXPECT_EQ(three.order, (Dims{1, 0}));
  EXPECT_TRUE(reread(three) == three);
  EXPECT_EQ(
      refusal<FileError>([&] {
        return permuted_zarr(two, {1, 0}, "a");
      }),
      "zarr: \"a\" has shards within shards and must have one level of them, or none, for axes that are "
      "permuted by metadata alone; write new chunks");
}

TEST(ZarrNumcodecs, Times) {
  const std::string dates =
      R"({"name": "numpy.datetime64", "configuration": {"unit": "ns", "scale_factor": 1}})";
  const std::string spans =
      R"({"name": "numpy.timedelta64", "configuration": {"unit": "generic", "scale_factor": 1}})";
  const ZarrArray array = parse_zarr_v3(array_v3(dates, "[" + big + "]"), "a");
  EXPECT_EQ(array.dtype, DType::int64);
  EXPECT_EQ(array.byte_order, ByteOrder::swapped);
  EXPECT_EQ(array.attributes, R"({"k":1,"numpy_dtype":"datetime64[ns]"})");
  EXPECT_TRUE(reread(array) == array);
  const ZarrArray generic = parse_zarr_v3(array_v3(spans, "[" + little + "]"), "a");
  EXPECT_EQ(generic.attributes, R"({"k":1,"numpy_dtype":"timedelta64"})");
  EXPECT_TRUE(reread(generic) == generic);
  const ZarrArray older =
      parse_zarr_v2(array_v2(R"(">m8[25s]")", "null", "null"), R"({"numpy_dtype": 3})", "a");
  EXPECT_EQ(older.attributes, R"({"numpy_dtype":"timedelta64[25s]"})");
  EXPECT_EQ(older.byte_order, ByteOrder::swapped);
  EXPECT_TRUE(reread(older) == older);
}

}  // namespace
}  // namespace tenstride::io
