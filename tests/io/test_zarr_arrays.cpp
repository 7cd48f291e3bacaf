// SPDX-License-Identifier: Apache-2.0
// New arrays by their options, arrays in another order of axes, and the arrays of groups.
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>

#include "io/zarr/array_options.hpp"
#include "io/zarr/groups.hpp"
#include "io/zarr/metadata.hpp"
#include "io/zarr/permute_metadata.hpp"
#include "support/refusal.hpp"
#include "support/scratch.hpp"
#include "support/zarr.hpp"
#include "tenstride/base/element.hpp"

namespace tenstride::io {
namespace {

using testing::element;
using testing::refusal;
using testing::Scratch;
using testing::zarr_json;
using testing::zarray;

TEST(ZarrOptions, RefusesWhatDoesNotFit) {
  const auto refused = [](const ZarrOptions& options) {
    return refusal<ValueError>([&] { return make_zarr_array({5, 6}, DType::int16, options); });
  };
  EXPECT_EQ(refused({.format = 4}), "zarr: the version (4) must be 2 or 3");
  EXPECT_EQ(refused({.chunk = {2}}), "zarr: the chunk shape (2) must have 2 sizes, as the shape has");
  EXPECT_EQ(refused({.chunk = {2, 0}}), "zarr: the chunk shape (2,0) must have sizes of at least 1");
  EXPECT_EQ(refused({.chunk = {2, 3}, .shard = {4, 5}}),
            "zarr: the shard shape (4,5) must have multiples of the sizes of a chunk, (2,3)");
  EXPECT_EQ(refused({.chunk = {1, 1}, .shard = {4096, 4097}}),
            "zarr: the shard shape (4096,4097) must have at most 16777216 chunks of (1,1)");
  EXPECT_EQ(refused({.order = {1, 1}}), "zarr: the order (1,1) must list each axis of 2 once");
  EXPECT_EQ(refused({.fill_value = element(std::int8_t{1})}),
            "zarr: the fill value of 1 bytes must be of 2 (int16)");
  EXPECT_EQ(refused({.dimension_names = {"x"}}),
            "zarr: the 1 dimension names must be 2, one for each axis (shape (5,6))");
}

TEST(ZarrOptions, CodecsOfAText) {
  const ZarrCodec zstd{.kind = ZarrCodecKind::zstd, .level = -3};
  const ZarrCodec crc{.kind = ZarrCodecKind::crc32c};
  EXPECT_EQ(parse_zarr_codecs("zstd:-3+crc32c"), (std::vector<ZarrCodec>{zstd, crc}));
  EXPECT_EQ(parse_zarr_codecs("none"), std::vector<ZarrCodec>());
  const ZarrCodec blosc{
      .kind = ZarrCodecKind::blosc, .level = 9, .blosc_name = "zstd", .shuffle = ZarrShuffle::bits};
  EXPECT_EQ(parse_zarr_codecs("blosc:zstd:9:bitshuffle"), std::vector<ZarrCodec>{blosc});
  const auto refused = [](std::string_view text) {
    return refusal<ValueError>([&] { return parse_zarr_codecs(text); });
  };
  EXPECT_EQ(refused("gzip:10"), "zarr: the codec \"gzip:10\" must be of a level from 0 to 9");
  EXPECT_EQ(refused("blosc:lzo"),
            "zarr: the codec \"blosc:lzo\" must be of one of blosclz, lz4, lz4hc, snappy, zlib, "
            "zstd");
  EXPECT_EQ(refused("zst"),
            "zarr: the codec \"zst\" must be none, gzip[:level], zlib[:level], zstd[:level], "
            "blosc[:name[:level[:shuffle]]] or crc32c");
}

TEST(ZarrPermutation, OfTheExample) {
  const ZarrArray array =
      make_zarr_array({2, 3}, DType::int16, {.chunk = {2, 3}, .dimension_names = {"y", "x"}});
  const ZarrArray permuted = permuted_zarr(array, {1, 0}, "a");
  EXPECT_EQ(permuted.shape, (Dims{3, 2}));
  EXPECT_EQ(permuted.chunk, (Dims{3, 2}));
  EXPECT_EQ(permuted.order, (Dims{1, 0}));
  EXPECT_EQ(permuted.dimension_names, (std::vector<std::optional<std::string>>{"x", "y"}));
  EXPECT_EQ(zarr_chunk_layout(permuted), (Layout{{3, 2}, {1, 3}, 0}));
  EXPECT_TRUE(permuted_zarr(permuted, {1, 0}, "a") == array);
  const ZarrMove move = permuted_key(array, permuted, {0, 2}, {1, 0});
  EXPECT_EQ(move.old_key, "c/0/2");
  EXPECT_EQ(move.new_key, "c/2/0");
}

TEST(ZarrPermutation, OfVersion2) {
  ZarrArray array = make_zarr_array({2, 3, 4}, DType::int16, {.format = 2, .chunk = {2, 3, 2}});
  EXPECT_EQ(permuted_zarr(array, {2, 1, 0}, "a").order, (Dims{2, 1, 0}));
  EXPECT_EQ(refusal<FileError>([&] {
              return permuted_zarr(array, {0, 2, 1}, "a");
            }),
            "zarr: \"a\" has chunks that in the order (0,2,1) have their axes as (0,2,1), which must be "
            "row-major or "
            "column-major in version 2 of Zarr; describe it by version 3");
  EXPECT_EQ(refusal<ValueError>([&] {
              return permuted_zarr(array, {0, 1}, "a");
            }),
            "zarr: the order (0,1) must list each axis of 3 once (shape (2,3,4))");
  // Axes of size 1 stand anywhere.
  const ZarrArray thin = make_zarr_array({2, 3, 4}, DType::int16, {.format = 2, .chunk = {1, 3, 2}});
  EXPECT_EQ(permuted_zarr(thin, {1, 0, 2}, "a").order, (Dims{0, 1, 2}));
  array.format = 3;
  array.fill_value = element(std::int16_t{0});  // which version 3 always has
  const ZarrArray permuted = permuted_zarr(array, {0, 2, 1}, "a");
  EXPECT_EQ(permuted_key(array, permuted, {0, 0, 1}, {0, 2, 1}).new_key, "0.1.0");
  EXPECT_TRUE(parse_zarr_v3(zarr_metadata_texts(permuted)[0].text, "a") == permuted);
}

TEST(ZarrGroups, ListsArraysBelow) {
  const Scratch scratch;
  namespace fs = std::filesystem;
  fs::create_directories(scratch.folder() / "b/c");
  fs::create_directories(scratch.folder() / "a/x");
  fs::create_directories(scratch.folder() / "other/z");
  static_cast<void>(scratch.file("zarr.json", R"({"zarr_format": 3, "node_type": "group"})"));
  static_cast<void>(scratch.file("a/zarr.json", zarr_json));
  static_cast<void>(scratch.file("a/x/zarr.json", zarr_json));
  static_cast<void>(scratch.file("b/.zgroup", R"({"zarr_format": 2})"));
  static_cast<void>(scratch.file("b/c/.zarray", zarray));
  static_cast<void>(scratch.file("other/z/.zarray", zarray));
  fs::create_directory_symlink(scratch.folder(), scratch.folder() / "loop");
  EXPECT_EQ(zarr_arrays(ZarrStore(scratch.folder().string())), (std::vector<std::string>{"a", "b/c"}));
  EXPECT_EQ(zarr_arrays(ZarrStore(scratch.path("a"))), std::vector<std::string>{""});
  EXPECT_EQ(
      refusal<FileError>([&] { return zarr_arrays(ZarrStore(scratch.path("other"))); }),
      "zarr: \"" + scratch.path("other") +
          "\" must be the folder of a Zarr array or group, which has the file zarr.json, .zarray or .zgroup");
  EXPECT_EQ(
      refusal<FileError>([&] { return read_zarr_metadata(scratch.path("b")); }),
      "zarr: \"" + scratch.path("b") +
          "\" must be the folder of a Zarr array, which has the file zarr.json or .zarray (it is a group)");
}

TEST(ZarrGroups, RefusesGroupsThatAreTooDeep) {
  const Scratch scratch;
  std::string name;
  for (int i = 0; i < 66; ++i) {
    static_cast<void>(scratch.file(name + ".zgroup", "{}"));
    name += "g/";
    std::filesystem::create_directory(scratch.path(name));
  }
  std::string deepest = scratch.folder().string();
  for (int i = 0; i < 64; ++i) deepest += "/g";
  EXPECT_EQ(refusal<FileError>([&] { return zarr_arrays(ZarrStore(scratch.folder().string())); }),
            "zarr: \"" + deepest + "\" must be at most 64 groups deep");
}

}  // namespace
}  // namespace tenstride::io
