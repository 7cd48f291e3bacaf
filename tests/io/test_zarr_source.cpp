// SPDX-License-Identifier: Apache-2.0
#include "io/zarr/zarr_source.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "io/zarr/array_options.hpp"
#include "support/refusal.hpp"
#include "support/scratch.hpp"
#include "support/zarr.hpp"

namespace tenstride::io {
namespace {

using testing::read_bytes;
using testing::refusal;
using testing::Scratch;
using testing::write_all;
using Bytes = std::vector<std::byte>;
namespace fs = std::filesystem;

/// An array (3,2) of uint8 in chunks of (2,2), written to "a": 0, 1, …, 5, and 255 beyond.
void write_example(const Scratch& scratch, const std::string& codecs, const Dims& shard = {}) {
  const ZarrArray array = make_zarr_array(
      {3, 2}, DType::uint8,
      {.chunk = {2, 2}, .shard = shard, .codecs = parse_zarr_codecs(codecs), .fill_value = {std::byte{255}}});
  ZarrSink sink(scratch.path("a"), array);
  Bytes elements(6);
  for (std::size_t n = 0; n < 6; ++n) elements[n] = static_cast<std::byte>(n);
  static_cast<void>(write_all(sink, elements));
}

/// Reads the chunk, and takes the path of the folder out of the refusal.
std::string refusal_of_chunk(const Scratch& scratch, const Dims& index) {
  const ZarrSource source(scratch.path("a"));
  Bytes chunk(source.array().chunk_nbytes());
  std::string text = refusal<FileError>([&] { return source.read(index, chunk); });
  const std::string folder = scratch.folder().string() + "/";
  const std::size_t at = text.find(folder);
  return at == std::string::npos ? text : text.erase(at, folder.size());
}

TEST(ZarrSource, ReadsTheExample) {
  for (const Dims& shard : {Dims{}, Dims{4, 2}}) {
    const Scratch scratch;
    write_example(scratch, "none", shard);
    const ZarrSource source(scratch.path("a"));
    EXPECT_EQ(source.grid(), (ChunkGrid{{3, 2}, {2, 2}}));
    EXPECT_EQ(source.dtype(), DType::uint8);
    EXPECT_EQ(source.chunk_layout(), (Layout{{2, 2}, {2, 1}, 0}));
    Bytes chunk(4);
    const std::uint64_t index_nbytes = shard.empty() ? 0 : 2 * 16 + 4;
    EXPECT_EQ(source.read({1, 0}, chunk), 4 + index_nbytes);
    EXPECT_EQ(chunk, (Bytes{std::byte{4}, std::byte{5}, std::byte{255}, std::byte{255}}));
    EXPECT_EQ(source.read({0, 0}, chunk), 4U);
    EXPECT_EQ(chunk, (Bytes{std::byte{0}, std::byte{1}, std::byte{2}, std::byte{3}}));
    EXPECT_EQ(source.stored_nbytes(), 8 + index_nbytes);
  }
}

TEST(ZarrSource, MissingFilesAreTheFillValue) {
  for (const Dims& shard : {Dims{}, Dims{4, 2}}) {
    const Scratch scratch;
    write_example(scratch, "zstd", shard);
    fs::remove_all(scratch.path("a/c"));
    const ZarrSource source(scratch.path("a"));
    Bytes chunk(4);
    EXPECT_EQ(source.read({1, 0}, chunk), 0U);
    EXPECT_EQ(chunk, Bytes(4, std::byte{255}));
    EXPECT_EQ(source.stored_nbytes(), 0U);
  }
}

TEST(ZarrSource, FillsWithElementsOfAnySize) {
  for (const std::size_t item : {1U, 2U, 4U, 8U, 16U}) {
    Bytes element(item), elements(item * 5001);
    for (std::size_t i = 0; i < item; ++i) element[i] = static_cast<std::byte>(i + 1);
    fill_elements(elements, element);
    for (std::size_t n = 0; n < elements.size(); ++n)
      ASSERT_EQ(elements[n], element[n % item]) << item << ' ' << n;
    fill_elements(elements, {});
    EXPECT_EQ(elements, Bytes(elements.size()));
  }
}

TEST(ZarrSource, RefusesChunksOfAnotherSize) {
  const Scratch scratch;
  write_example(scratch, "none");
  static_cast<void>(scratch.file("a/c/0/0", "abc"));
  EXPECT_EQ(refusal_of_chunk(scratch, {0, 0}),
            "zarr: \"a/c/0/0\" has a chunk of 3 bytes, which must be 4 (a chunk of (2,2), uint8)");
  static_cast<void>(scratch.file("a/c/0/0", "abcde"));
  EXPECT_EQ(refusal_of_chunk(scratch, {0, 0}),
            "zarr: \"a/c/0/0\" has a chunk of 5 bytes, which must be 4 (a chunk of (2,2), uint8)");
  fs::remove(scratch.path("a/c/0/0"));
  fs::create_directory(scratch.path("a/c/0/0"));
  EXPECT_EQ(refusal_of_chunk(scratch, {0, 0}), "zarr: \"a/c/0/0\" must be a regular file");
  fs::remove(scratch.path("a/c/0/0"));
  ASSERT_EQ(mkfifo(scratch.path("a/c/0/0").c_str(), 0600), 0);
  EXPECT_EQ(refusal_of_chunk(scratch, {0, 0}), "zarr: \"a/c/0/0\" must be a regular file");
}

TEST(ZarrSource, RefusesLongFilesBeforeTheyAreRead) {
  const Scratch scratch;
  write_example(scratch, "crc32c");
  fs::resize_file(scratch.path("a/c/0/0"), std::uintmax_t{1} << 40);
  EXPECT_EQ(refusal_of_chunk(scratch, {0, 0}),
            "zarr: \"a/c/0/0\" has a chunk of 1099511627776 bytes, which must be at most 65552 (a chunk of "
            "(2,2), uint8)");
  static_cast<void>(scratch.file("a/c/0/0", ""));
  EXPECT_EQ(refusal_of_chunk(scratch, {0, 0}),
            "zarr: \"a/c/0/0\" has 0 bytes and must have at least the 4 of its crc32c");
}

TEST(ZarrSource, RefusesShardsThatAreCut) {
  const Scratch scratch;
  write_example(scratch, "none", {4, 2});
  const std::string shard = read_bytes(scratch.path("a/c/0/0"));
  ASSERT_EQ(shard.size(), 8 + 36U);
  static_cast<void>(scratch.file("a/c/0/0", shard.substr(0, 35)));
  EXPECT_EQ(refusal_of_chunk(scratch, {0, 0}),
            "zarr: \"a/c/0/0\" has 35 bytes and must have at least the index of 2 chunks, 16 bytes each");
  static_cast<void>(scratch.file("a/c/0/0", shard.substr(0, 40)));
  EXPECT_EQ(refusal_of_chunk(scratch, {0, 0}),
            "zarr: \"a/c/0/0\" has an index whose crc32c must be the one behind it, and is not: the shard is "
            "damaged");
  static_cast<void>(scratch.file("a/c/0/0", shard.substr(5)));
  EXPECT_EQ(
      refusal_of_chunk(scratch, {0, 0}),
      "zarr: \"a/c/0/0\" has in its index chunk 0 of 4 bytes from byte 0 on, which must lie between bytes 0 "
      "and 3 of the shard, beside the index");
}

TEST(ZarrSource, KeepsFewShardsOpen) {
  const Scratch scratch;
  const ZarrArray array = make_zarr_array({200, 2}, DType::uint8, {.chunk = {1, 1}, .shard = {1, 2}});
  ZarrSink sink(scratch.path("a"), array);
  Bytes elements(400);
  for (std::size_t n = 0; n < 400; ++n) elements[n] = static_cast<std::byte>(n % 251);
  static_cast<void>(write_all(sink, elements));
  const auto open_files = [] {
    return std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator());
  };
  const auto before = open_files();
  const ZarrSource source(scratch.path("a"));
  EXPECT_EQ(testing::read_all(source), elements);
  EXPECT_LE(open_files() - before, 65);
  Bytes chunk(1);
  EXPECT_EQ(source.read({199, 0}, chunk), 1U);     // its index is kept
  EXPECT_EQ(source.read({0, 0}, chunk), 1 + 36U);  // its index was dropped
}

TEST(ZarrSource, KeepsFewEntriesOfIndexes) {
  const Scratch scratch;
  const Index length = Index{1} << 21;
  const ZarrArray array = make_zarr_array({3 * length}, DType::uint8, {.chunk = {1}, .shard = {length}});
  const ZarrSink sink(scratch.path("a"), array);
  fs::create_directory(scratch.path("a/c"));
  const Bytes index = shard_index_bytes(std::vector<ShardEntry>(static_cast<std::size_t>(length)), array);
  const std::string text(reinterpret_cast<const char*>(index.data()), index.size());
  for (const std::string key : {"a/c/0", "a/c/1", "a/c/2"}) static_cast<void>(scratch.file(key, text));
  const ZarrSource source(scratch.path("a"));
  Bytes chunk(1);
  // Two indexes of 32 MiB are kept.
  EXPECT_EQ(source.read({0}, chunk), index.size());
  EXPECT_EQ(source.read({length}, chunk), index.size());
  EXPECT_EQ(source.read({length - 1}, chunk), 0U);
  EXPECT_EQ(source.read({2 * length}, chunk), index.size());
  EXPECT_EQ(source.read({2 * length - 1}, chunk), 0U);
  EXPECT_EQ(source.read({0}, chunk), index.size());
}

TEST(ZarrSource, RefusesFolders) {
  const Scratch scratch;
  EXPECT_EQ(refusal<FileError>([&] { return ZarrSource(scratch.path("none")).dtype(); }),
            "zarr: \"" + scratch.path("none") +
                "\" must be the folder of a Zarr array, which has the file zarr.json or .zarray");
}

}  // namespace
}  // namespace tenstride::io
