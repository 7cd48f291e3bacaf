// SPDX-License-Identifier: Apache-2.0
// Arrays that are permuted by their metadata alone, against the same elements in memory.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "io/zarr/array_options.hpp"
#include "support/refusal.hpp"
#include "support/zarr.hpp"
#include "tenstride/io/permute_file.hpp"

namespace tenstride::io {
namespace {

namespace fs = std::filesystem;
using testing::Dice;
using testing::random_elements;
using testing::read_all;
using testing::read_bytes;
using testing::refusal;
using testing::Scratch;
using testing::write_all;

using Bytes = std::vector<std::byte>;

std::string chain_of(const Dims& order) {
  std::string axes;
  for (const Index axis : order) axes += (axes.empty() ? "" : ", ") + std::to_string(axis);
  return "x.permute(" + axes + ")";
}

FileOptions metadata_only() {
  FileOptions options;
  options.is_metadata_only = true;
  options.check = FileCheck::checksum;
  return options;
}

/// A folder with an array of random elements.
Bytes write_array(Dice& dice, const std::string& path, const Dims& shape, const ZarrOptions& options,
                  DType dtype = DType::int16) {
  ZarrSink sink(path, make_zarr_array(shape, dtype, options));
  Bytes elements = random_elements(dice, shape, dtype);
  static_cast<void>(write_all(sink, elements));
  return elements;
}

/// The elements of the permuted tensor, row-major.
Bytes permuted_elements(const Bytes& elements, const Dims& shape, const Dims& order) {
  const std::size_t item = elements.size() / static_cast<std::size_t>(count_elements(shape));
  const Dims rows = row_major_strides(shape);
  Layout layout{shape, shape, 0};
  for (std::size_t d = 0; d < order.size(); ++d) {
    layout.shape[d] = shape[static_cast<std::size_t>(order[d])];
    layout.strides[d] = rows[static_cast<std::size_t>(order[d])];
  }
  Bytes result;
  for (Index n = 0; n < count_elements(shape); ++n) {
    const auto from = static_cast<std::size_t>(position(layout, unravel(n, layout.shape))) * item;
    result.insert(result.end(), elements.begin() + static_cast<std::ptrdiff_t>(from),
                  elements.begin() + static_cast<std::ptrdiff_t>(from + item));
  }
  return result;
}

/// The files below a folder, by their names from there on.
std::vector<std::string> files_of(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) names.push_back(fs::relative(entry.path(), folder).string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

Dims inverse_of(const Dims& order) {
  Dims inverse = order;
  for (std::size_t d = 0; d < order.size(); ++d) {
    inverse[static_cast<std::size_t>(order[d])] = static_cast<Index>(d);
  }
  return inverse;
}

TEST(ZarrMetadataOnly, GivesWhatPermutingGives) {
  const Scratch scratch;
  Dice dice(5);
  int number = 0;
  for (const Dims& shape : {Dims{7}, Dims{5, 6}, Dims{5, 1, 6}, Dims{3, 5, 4, 2}}) {
    for (const char* const codec : {"none", "gzip:1+crc32c", "blosc"}) {
      for (const bool has_shards : {false, true}) {
        ZarrOptions options;
        options.codecs = parse_zarr_codecs(codec);
        options.chunk = Dims::filled(shape.size(), 2);
        if (has_shards) options.shard = Dims::filled(shape.size(), 4);
        const std::string src = scratch.path("a" + std::to_string(++number));
        const Bytes elements = write_array(dice, src, shape, options);
        Dims order = first_axes(shape.size());
        for (int n = 0; n < 3; ++n) {
          std::next_permutation(order.begin(), order.end());
          std::rotate(order.begin(), order.begin() + 1, order.end());
          const std::string dst = src + "-" + std::to_string(n) + ".zarr";
          const FileResult result = permute_file(src, chain_of(order), dst, metadata_only());
          EXPECT_TRUE(result.is_checked);
          ASSERT_TRUE(read_all(ZarrSource(dst)) == permuted_elements(elements, shape, order)) << dst;
          const std::string back = dst + "-back.zarr";
          permute_file(dst, chain_of(inverse_of(order)), back, metadata_only());
          EXPECT_EQ(read_bytes(back + "/zarr.json"), read_bytes(src + "/zarr.json")) << dst;
          EXPECT_EQ(files_of(back), files_of(src)) << dst;
        }
      }
    }
  }
}

TEST(ZarrMetadataOnly, KeepsVersion2WhereItHasAWord) {
  const Scratch scratch;
  Dice dice(6);
  ZarrOptions options;
  options.format = 2;
  options.chunk = {2, 3, 4};
  options.codecs = parse_zarr_codecs("zstd");
  const Dims shape{5, 6, 7};
  const std::string src = scratch.path("a.zarr"), dst = scratch.path("b.zarr");
  const Bytes elements = write_array(dice, src, shape, options);
  permute_file(src, "x.permute(2, 1, 0)", dst, metadata_only());
  EXPECT_EQ(read_zarr_metadata(dst).format, 2);
  EXPECT_EQ(read_zarr_metadata(dst).order, (Dims{2, 1, 0}));
  EXPECT_TRUE(read_all(ZarrSource(dst)) == permuted_elements(elements, shape, {2, 1, 0}));
  const std::string other = scratch.path("c.zarr");
  EXPECT_EQ(
      refusal<FileError>([&] { permute_file(src, "x.permute(0, 2, 1)", other, metadata_only()); }),
      "zarr: \"" + src +
          "\" has chunks that in the order (0,2,1) have their axes as (0,2,1), which must be row-major or "
          "column-major in version 2 of Zarr; describe it by version 3");
  FileOptions version_3 = metadata_only();
  version_3.chunks.zarr_format = 3;
  permute_file(src, "x.permute(0, 2, 1)", other, version_3);
  EXPECT_EQ(read_zarr_metadata(other).format, 3);
  EXPECT_TRUE(read_all(ZarrSource(other)) == permuted_elements(elements, shape, {0, 2, 1}));
  FileOptions version_2 = metadata_only();
  version_2.chunks.zarr_format = 2;
  EXPECT_EQ(refusal<ValueError>(
                [&] { permute_file(other, "x.permute(0, 2, 1)", scratch.path("d.zarr"), version_2); }),
            "permute_file: version 2 of Zarr cannot be that of the result, \"" + other +
                "\" is of version 3 and must stay so where only metadata change (leave the version out)");
}

TEST(ZarrMetadataOnly, LeavesOutWhatIsMissing) {
  const Scratch scratch;
  Dice dice(7);
  ZarrOptions options;
  options.chunk = {2, 3};
  options.fill_value = testing::element(std::int16_t{9});
  const std::string src = scratch.path("a.zarr"), dst = scratch.path("b.zarr");
  write_array(dice, src, {4, 6}, options);
  fs::remove(src + "/c/0/1");
  permute_file(src, "x.t()", dst, metadata_only());
  EXPECT_EQ(files_of(dst), (std::vector<std::string>{"c/0/0", "c/0/1", "c/1/1", "zarr.json"}));
  EXPECT_TRUE(read_all(ZarrSource(dst)) == permuted_elements(read_all(ZarrSource(src)), {4, 6}, {1, 0}));
}

TEST(ZarrMetadataOnly, InPlaceMovesNoData) {
  const Scratch scratch;
  Dice dice(8);
  ZarrOptions options;
  options.chunk = {2, 3};
  const std::string path = scratch.path("a.zarr");
  const Bytes elements = write_array(dice, path, {4, 6}, options);
  struct stat before {};
  stat((path + "/c/0/1").c_str(), &before);
  FileOptions in_place = metadata_only();
  EXPECT_EQ(refusal<FileError>([&] { permute_file(path, "x.t()", path, in_place); }),
            "permute_file: \"" + path + "\" exists already and must not be replaced (Overwrite::refuse)");
  in_place.overwrite = Overwrite::replace;
  const FileResult result = permute_file(path, "x.t()", path, in_place);
  EXPECT_EQ(result.bytes_written, 0U);
  EXPECT_TRUE(read_all(ZarrSource(path)) == permuted_elements(elements, {4, 6}, {1, 0}));
  struct stat after {};
  stat((path + "/c/1/0").c_str(), &after);
  EXPECT_EQ(after.st_ino, before.st_ino);
  EXPECT_EQ(after.st_nlink, 1U);
  EXPECT_EQ(scratch.names(), std::vector<std::string>{"a.zarr"});
}

TEST(ZarrMetadataOnly, InPlaceCopiesShardsWhoseIndexChanges) {
  const Scratch scratch;
  Dice dice(9);
  for (const Dims& shard : {Dims{4, 6}, Dims{4, 3}}) {
    ZarrOptions options;
    options.chunk = {2, 3};
    options.shard = shard;
    const std::string path = scratch.path("a.zarr");
    const Bytes elements = write_array(dice, path, {8, 6}, options);
    FileOptions in_place = metadata_only();
    in_place.overwrite = Overwrite::replace;
    const FileResult result = permute_file(path, "x.t()", path, in_place);
    EXPECT_EQ(result.bytes_written > 0, shard == (Dims{4, 6}));
    EXPECT_TRUE(read_all(ZarrSource(path)) == permuted_elements(elements, {8, 6}, {1, 0}));
    EXPECT_EQ(scratch.names(), std::vector<std::string>{"a.zarr"});
    fs::remove_all(path);
  }
}

TEST(ZarrMetadataOnly, OfGroups) {
  const Scratch scratch;
  Dice dice(10);
  const std::string src = scratch.path("g.zarr"), dst = scratch.path("h.zarr");
  fs::create_directories(src + "/b");
  const std::string group = R"({"zarr_format": 3, "node_type": "group"})";
  scratch.file("g.zarr/zarr.json", group);
  scratch.file("g.zarr/b/zarr.json", group);
  ZarrOptions options;
  options.chunk = {2, 3};
  const Bytes a = write_array(dice, src + "/a", {4, 6}, options);
  const Bytes c = write_array(dice, src + "/b/c", {5, 3}, options);
  permute_file(src, "x.t()", dst, metadata_only());
  EXPECT_TRUE(read_all(ZarrSource(dst + "/a")) == permuted_elements(a, {4, 6}, {1, 0}));
  EXPECT_TRUE(read_all(ZarrSource(dst + "/b/c")) == permuted_elements(c, {5, 3}, {1, 0}));
  FileOptions in_place = metadata_only();
  in_place.overwrite = Overwrite::replace;
  EXPECT_EQ(
      refusal<ValueError>([&] { permute_file(src, "x.t()", src, in_place); }),
      "permute_file: \"" + src +
          "\" is read and must be the folder of a single array to be permuted in place (write a group to "
          "a new folder)");
  permute_file(src + "/a", "x.t()", src + "/a", in_place);
  EXPECT_TRUE(read_all(ZarrSource(src + "/a")) == permuted_elements(a, {4, 6}, {1, 0}));
  scratch.file("g.zarr/zarr.json",
               R"({"zarr_format": 3, "node_type": "group", "consolidated_metadata": {"kind": "inline"}})");
  EXPECT_EQ(refusal<ValueError>([&] { permute_file(src + "/a", "x.t()", src + "/a", in_place); }),
            "permute_file: \"" + src + "/a\" must not be permuted in place: the group \"" +
                fs::weakly_canonical(src).string() +
                "\" keeps a copy of its metadata (consolidated), which would become wrong; write to a new "
                "folder");
}

TEST(ZarrMetadataOnly, InterruptedLeavesTheSourceAlone) {
  const Scratch scratch;
  Dice dice(11);
  ZarrOptions options;
  options.chunk = {2, 3};
  const std::string path = scratch.path("a.zarr");
  const Bytes elements = write_array(dice, path, {4, 6}, options);
  for (const char* const name : {"a.zarr", "b.zarr"}) {
    FileOptions replacing = metadata_only();
    replacing.overwrite = Overwrite::replace;
    const auto stop = [](const Progress&) { throw Interrupted("stopped"); };
    EXPECT_THROW(permute_file(path, "x.t()", scratch.path(name), replacing, stop), Interrupted);
    EXPECT_EQ(scratch.names(), std::vector<std::string>{"a.zarr"});
    EXPECT_TRUE(read_all(ZarrSource(path)) == elements);
  }
}

TEST(ZarrMetadataOnly, RefusesWhatNeedsElements) {
  const Scratch scratch;
  Dice dice(12);
  ZarrOptions options;
  options.chunk = {2, 3};
  const std::string src = scratch.path("a.zarr"), dst = scratch.path("b.zarr");
  write_array(dice, src, {4, 6}, options);
  for (const std::string chain : {"x[1:]", "x.flip(0)", "x.reshape(6, 4)", "x.unsqueeze(0)", "x.float()",
                                  "x.view(2, 2, 6)", "x.t()[:, ::2]", "x[0]"}) {
    EXPECT_EQ(
        refusal<ValueError>([&] { permute_file(src, chain, dst, metadata_only()); }),
        "permute_file: \"" + chain +
            "\" must permute the axes of x and no more, where only metadata change: no slice, flip, new "
            "axis, reshape or conversion (leave metadata_only out)");
  }
  const auto refused = [&](auto change, const std::string& destination) {
    FileOptions given = metadata_only();
    change(given);
    return refusal<ValueError>([&] { permute_file(src, "x.t()", destination, given); });
  };
  const std::string chunks = "permute_file: chunks, shards and codec of \"" + dst +
                             "\" must stay those of the source, where only metadata change (leave them out)";
  EXPECT_EQ(refused([](FileOptions& given) { given.chunks.chunk = {2, 2}; }, dst), chunks);
  EXPECT_EQ(refused([](FileOptions& given) { given.chunks.codec = "none"; }, dst), chunks);
  EXPECT_EQ(refused([](FileOptions& given) { given.dtype = DType::float32; }, dst),
            "permute_file: the elements of \"" + src +
                "\" must stay int16 as they are, where only metadata change (leave dtype, scale, shift and "
                "rescale out)");
  EXPECT_EQ(
      refused([](FileOptions&) {}, scratch.path("b.npy")),
      "permute_file: \"" + scratch.path("b.npy") + "\" must be a .zarr folder, where only metadata change");
  FileOptions resumed = metadata_only();
  resumed.resume = Resume::required;
  EXPECT_EQ(
      refusal<FileError>([&] { permute_file(src, "x.t()", dst, resumed); }),
      "permute_file: \"" + dst + "\" must be begun anew: a run that changes only metadata is not resumed");
  EXPECT_EQ(scratch.names(), std::vector<std::string>{"a.zarr"});
}

TEST(ZarrMetadataOnly, IsOfferedWhereItWouldDo) {
  const Scratch scratch;
  Dice dice(13);
  ZarrOptions options;
  options.chunk = {2, 3};
  const std::string src = scratch.path("a.zarr"), dst = scratch.path("b.zarr");
  write_array(dice, src, {4, 6}, options);
  EXPECT_EQ(obstacle_to_metadata_only(plan_permute_file(src, "x.t()", dst)), "");
  EXPECT_NE(obstacle_to_metadata_only(plan_permute_file(src, "x.t().flip(0)", dst)), "");
  EXPECT_NE(obstacle_to_metadata_only(plan_permute_file(src, "x.t()", scratch.path("b.npy"))), "");
}

}  // namespace
}  // namespace tenstride::io
