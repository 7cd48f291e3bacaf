// SPDX-License-Identifier: Apache-2.0
#include "io/zarr/zarr_sink.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <thread>

#include "io/zarr/array_options.hpp"
#include "io/zarr/permute_metadata.hpp"
#include "support/file_size_limit.hpp"
#include "support/refusal.hpp"
#include "support/scratch.hpp"
#include "support/zarr.hpp"

namespace tenstride::io {
namespace {

using testing::Dice;
using testing::random_elements;
using testing::read_all;
using testing::read_bytes;
using testing::refusal;
using testing::Scratch;
using testing::write_all;
using Bytes = std::vector<std::byte>;
namespace fs = std::filesystem;

constexpr std::array<DType, 16> types{
    DType::bool_,   DType::uint8,     DType::int8,       DType::uint16,     DType::int16,    DType::uint32,
    DType::int32,   DType::uint64,    DType::int64,      DType::float16,    DType::bfloat16, DType::float32,
    DType::float64, DType::complex64, DType::complex128, DType::float8_e5m2};
const std::vector<std::string> codec_texts{
    "none", "gzip:1", "zstd:1", "crc32c", "zstd+crc32c", "blosc", "blosc:zstd:5:bitshuffle"};

/// All keys, sorted.
std::vector<std::string> files_in(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) names.push_back(fs::relative(entry.path(), folder).string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

/// Writes and reads an array, and compares it.
void expect_round_trip(const Dims& shape, const ZarrArray& array, std::string_view what) {
  const Scratch scratch;
  Dice dice(7);
  const Bytes elements = random_elements(dice, shape, array.dtype);
  ZarrSink sink(scratch.path("a"), array);
  const std::uint64_t written = write_all(sink, elements);
  const ZarrSource source(scratch.path("a"));
  EXPECT_TRUE(source.array() == array) << what;
  EXPECT_TRUE(read_all(source) == elements) << what;
  EXPECT_EQ(source.stored_nbytes(), written) << what;
  for (const std::string& file : files_in(scratch.path("a")))
    EXPECT_EQ(file.find(".tmp"), std::string::npos) << file;
}

TEST(ZarrSink, RoundTripsOfTypesAndCodecs) {
  for (const DType dtype : types) {
    for (const std::string& codecs : codec_texts) {
      ZarrOptions options{.chunk = {3, 4}, .codecs = parse_zarr_codecs(codecs)};
      expect_round_trip({7, 10}, make_zarr_array({7, 10}, dtype, options), codecs);
      options.shard = {6, 8};
      expect_round_trip({7, 10}, make_zarr_array({7, 10}, dtype, options), codecs + " in shards");
      const bool has_version_2 = dtype != DType::float8_e5m2 && codecs.find("crc32c") == std::string::npos;
      options = {.format = 2, .chunk = {3, 4}, .codecs = parse_zarr_codecs(codecs)};
      if (has_version_2)
        expect_round_trip({7, 10}, make_zarr_array({7, 10}, dtype, options), codecs + " of 2");
    }
  }
}

TEST(ZarrSink, RoundTripsOfOrders) {
  Dims order{0, 1, 2};
  do {
    ZarrOptions options{.chunk = {3, 4, 2}, .codecs = parse_zarr_codecs("zstd"), .order = order};
    ZarrArray array = make_zarr_array({7, 10, 5}, DType::int32, options);
    expect_round_trip(array.shape, array, "plain");
    array.byte_order = ByteOrder::swapped;
    expect_round_trip(array.shape, array, "swapped");
    options.shard = {6, 8, 4};
    array = make_zarr_array({7, 10, 5}, DType::complex64, options);
    array.byte_order = ByteOrder::swapped;
    array.shards->index_location = ZarrIndexLocation::start;
    array.shards->index_byte_order = ByteOrder::swapped;
    expect_round_trip(array.shape, array, "shards");
    array.shards->has_index_checksum = false;
    array.shards->order = {2, 0, 1};
    expect_round_trip(array.shape, array, "shards that are transposed");
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(ZarrSink, RoundTripsOfShapes) {
  const std::vector<std::pair<Dims, Dims>> shapes{{{}, {}},
                                                  {{1}, {1}},
                                                  {{100}, {7}},
                                                  {{0}, {1}},
                                                  {{5, 0, 3}, {2, 1, 2}},
                                                  {{2, 3, 4, 5}, {2, 2, 3, 2}},
                                                  {{5, 6}, {}},
                                                  {{2}, {1000}}};
  for (const auto& [shape, chunk] : shapes) {
    for (const int format : {2, 3}) {
      const ZarrOptions options{.format = format, .chunk = chunk, .codecs = parse_zarr_codecs("gzip")};
      expect_round_trip(shape, make_zarr_array(shape, DType::int16, options), "shape");
    }
  }
}

TEST(ZarrSink, WritesTheFilesOfTheExample) {
  const Scratch scratch;
  ZarrSink sink(scratch.path("a"), make_zarr_array({3, 2}, DType::uint8, {.chunk = {2, 2}}));
  EXPECT_EQ(sink.write({0, 0}, Bytes{std::byte{'a'}, std::byte{'b'}, std::byte{'c'}, std::byte{'d'}}), 4U);
  EXPECT_EQ(files_in(scratch.path("a")), (std::vector<std::string>{"c/0/0", "zarr.json"}));
  EXPECT_EQ(read_bytes(scratch.path("a/c/0/0")), "abcd");
  sink.flush();
  // The chunk that is missing is the fill value.
  const ZarrSource source(scratch.path("a"));
  Bytes chunk(4, std::byte{9});
  EXPECT_EQ(source.read({1, 0}, chunk), 0U);
  EXPECT_EQ(chunk, Bytes(4));
}

TEST(ZarrSink, LeavesOutWhatIsTheFillValue) {
  for (const Dims& shard : {Dims{}, Dims{4, 4}}) {
    const Scratch scratch;
    const ZarrArray array = make_zarr_array(
        {4, 8}, DType::int16, {.chunk = {2, 2}, .shard = shard, .fill_value = {std::byte{1}, std::byte{2}}});
    Bytes elements(64);
    fill_elements(elements, array.fill_value);
    elements[1] = std::byte{9};
    for (const ZarrFillChunks chunks : {ZarrFillChunks::written, ZarrFillChunks::left_out}) {
      const std::string path = scratch.path(chunks == ZarrFillChunks::written ? "written" : "left_out");
      ZarrSink sink(path, array, chunks);
      static_cast<void>(write_all(sink, elements));
      EXPECT_EQ(read_all(ZarrSource(path)), elements);
      const std::size_t units = shard.empty() ? 8 : 2;
      EXPECT_EQ(files_in(path).size(), 1 + (chunks == ZarrFillChunks::written ? units : 1));
    }
    if (!shard.empty()) {
      EXPECT_EQ(fs::file_size(scratch.path("written/c/0/0")), 4 * 8 + 4 * 16 + 4U);
      EXPECT_EQ(fs::file_size(scratch.path("left_out/c/0/0")), 8 + 4 * 16 + 4U);
    }
  }
}

TEST(ZarrSink, WritesByThreads) {
  const Scratch scratch;
  Dice dice(3);
  const Dims shape{40, 30};
  const ZarrArray array = make_zarr_array(
      shape, DType::float32, {.chunk = {2, 2}, .shard = {4, 2}, .codecs = parse_zarr_codecs("zstd+crc32c")});
  const Bytes elements = random_elements(dice, shape, DType::float32);
  ZarrSink sink(scratch.path("a"), array);
  const Dims counts = sink.grid().counts();
  const auto work = [&](Index first) {
    for (Index n = first; n < count_elements(counts); n += 4) {
      static_cast<void>(sink.write(unravel(n, counts), testing::unit_of(sink, unravel(n, counts), elements)));
    }
  };
  std::vector<std::thread> threads;
  for (Index n = 0; n < 4; ++n) threads.emplace_back(work, n);
  for (std::thread& thread : threads) thread.join();
  const ZarrSource source(scratch.path("a"));
  std::vector<Bytes> results(4);
  threads.clear();
  for (Bytes& result : results) threads.emplace_back([&] { result = read_all(source); });
  for (std::thread& thread : threads) thread.join();
  for (const Bytes& result : results) EXPECT_EQ(result, elements);
}

TEST(ZarrSink, RefusesFolders) {
  const Scratch scratch;
  const ZarrArray array = make_zarr_array({3, 2}, DType::uint8, {});
  const auto refused = [&](const std::string& name, ChunkFolder state) {
    const std::string text = refusal<FileError>(
        [&] { return ZarrSink(scratch.path(name), array, ZarrFillChunks::written, state); });
    return text.substr(0, 6) + text.substr(std::min(text.size(), 7 + scratch.path(name).size() + 2));
  };
  static_cast<void>(scratch.file("file", "x"));
  fs::create_directory(scratch.path("full"));
  static_cast<void>(scratch.file("full/x", "x"));
  EXPECT_EQ(refused("full", ChunkFolder::create), "zarr: must be a new or an empty folder, and has files");
  EXPECT_EQ(refused("file", ChunkFolder::create),
            "zarr: must be a folder that can be made (Not a directory)");
  EXPECT_EQ(refused("full", ChunkFolder::existing),
            "zarr: must be the folder of the array that is written, and has another zarr.json");
  EXPECT_EQ(read_bytes(scratch.path("full/x")), "x");
  const ZarrSink sink(scratch.path("new/folder"), array);
  const ZarrSink again(scratch.path("new/folder"), array, ZarrFillChunks::written, ChunkFolder::existing);
}

TEST(ZarrSink, LeavesNothingOfAUnitThatFails) {
  const Scratch scratch;
  for (const Dims& shard : {Dims{}, Dims{64, 64}}) {
    const std::string path = scratch.path(shard.empty() ? "chunks" : "shards");
    ZarrSink sink(path, make_zarr_array({64, 64}, DType::uint8, {.chunk = {32, 32}, .shard = shard}));
    const Bytes unit(shard.empty() ? 1024 : 4096, std::byte{1});
    {
      const testing::FileSizeLimit limit(1000);
      const std::string text = refusal<FileError>([&] { return sink.write({0, 0}, unit); });
      EXPECT_TRUE(
          text.starts_with("zarr: \"" + path + "/c/0/0\" must have room for 24 more bytes, of which "));
      EXPECT_TRUE(text.ends_with(" are free (File too large)"));
    }
    EXPECT_EQ(files_in(path), std::vector<std::string>{"zarr.json"});
    EXPECT_GT(sink.write({0, 0}, unit), 0U);
  }
}

TEST(ZarrPermutation, OfFiles) {
  const Scratch scratch;
  Dice dice(11);
  const Dims shape{7, 10, 5};
  const Bytes elements = random_elements(dice, shape, DType::int16);
  for (const Dims& shard : {Dims{}, Dims{6, 8, 4}}) {
    const std::string src = scratch.path(shard.empty() ? "chunks" : "shards");
    const ZarrArray array = make_zarr_array(
        shape, DType::int16, {.chunk = {3, 4, 2}, .shard = shard, .codecs = parse_zarr_codecs("zstd")});
    ZarrSink sink(src, array);
    static_cast<void>(write_all(sink, elements));
    Dims order{0, 1, 2};
    do {
      const ZarrArray permuted = permuted_zarr(array, order, src);
      const std::string dst = src + tenstride::detail::to_text(order);
      const ZarrSink target(dst, permuted);  // writes the metadata
      const Dims counts = sink.grid().counts();
      for (Index n = 0; n < count_elements(counts); ++n) {
        const Dims index = unravel(n, counts);
        const ZarrMove keys = permuted_key(array, permuted, index, order);
        if (shard.empty()) {
          fs::create_directories(fs::path(dst + "/" + keys.new_key).parent_path());
          fs::create_hard_link(src + "/" + keys.old_key, dst + "/" + keys.new_key);
        } else {
          EXPECT_EQ(copy_permuted_shard(src, array, index, dst, permuted, order),
                    fs::file_size(src + "/" + keys.old_key));
        }
      }
      const Bytes result = read_all(ZarrSource(dst));
      const Dims strides = permuted_index(row_major_strides(shape), order);
      for (Index n = 0; n < count_elements(shape); ++n) {
        const auto from =
            static_cast<std::size_t>(position({permuted.shape, strides, 0}, unravel(n, permuted.shape)));
        ASSERT_EQ(std::memcmp(result.data() + 2 * n, elements.data() + 2 * from, 2), 0) << dst << ' ' << n;
      }
    } while (std::next_permutation(order.begin(), order.end()));
  }
  const ZarrArray array = read_zarr_metadata(scratch.path("shards"));
  EXPECT_EQ(
      copy_permuted_shard(scratch.path("shards"), array, {9, 9, 9}, scratch.path("shards"), array, {0, 1, 2}),
      0U);
}

}  // namespace
}  // namespace tenstride::io
