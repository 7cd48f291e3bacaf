// SPDX-License-Identifier: Apache-2.0
#include "io/zarr/codecs.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <string>

#include "io/zarr/array_options.hpp"
#include "io/zarr/shard_index.hpp"
#include "support/refusal.hpp"
#include "support/scratch.hpp"

namespace tenstride::io {
namespace {

using testing::Dice;
using testing::from_hex;
using testing::refusal;
using Bytes = std::vector<std::byte>;

Bytes bytes_of(const std::string& text) {
  const auto* const first = reinterpret_cast<const std::byte*>(text.data());
  return {first, first + text.size()};
}

/// Numbers that compress, and some that do not.
Bytes elements_of(std::size_t nbytes) {
  Dice dice(nbytes);
  Bytes bytes(nbytes);
  for (std::size_t i = 0; i < nbytes; ++i) {
    bytes[i] = static_cast<std::byte>(i % 7 == 0 ? dice.roll(256) : (i / 16) % 3);
  }
  return bytes;
}

std::vector<ZarrCodec> codecs_of(const std::string& text, Index item) {
  std::vector<ZarrCodec> codecs = parse_zarr_codecs(text);
  for (ZarrCodec& codec : codecs) codec.item = item;
  return codecs;
}

Bytes encoded(const std::vector<ZarrCodec>& codecs, const Bytes& elements) {
  CodecScratch scratch;
  const std::span<const std::byte> result = encode_chunk(codecs, elements, scratch, "a");
  return {result.begin(), result.end()};
}

Bytes decoded(const std::vector<ZarrCodec>& codecs, const Bytes& stored, std::size_t nbytes) {
  CodecScratch scratch;
  Bytes result(nbytes);
  decode_chunk(codecs, stored, result, scratch, "a");
  return result;
}

std::string refusal_of(const std::string& codecs, const Bytes& stored, std::size_t nbytes) {
  return refusal<FileError>([&] { return decoded(codecs_of(codecs, 4), stored, nbytes); });
}

const std::vector<std::string> all_codecs{"none",
                                          "gzip",
                                          "gzip:0",
                                          "gzip:9",
                                          "zlib",
                                          "zstd",
                                          "zstd:-5",
                                          "zstd:19",
                                          "crc32c",
                                          "zstd+crc32c",
                                          "gzip+crc32c+zstd+crc32c+gzip",
                                          "crc32c+crc32c",
                                          "blosc",
                                          "blosc:blosclz:1:shuffle",
                                          "blosc:lz4hc:9:bitshuffle",
                                          "blosc:zlib:5:noshuffle",
                                          "blosc:zstd:0:shuffle",
                                          "blosc:zstd:5:bitshuffle"};

TEST(ZarrCodecs, Crc32c) {
  EXPECT_EQ(crc32c(bytes_of("123456789")), 0xe3069283U);
  EXPECT_EQ(crc32c({}), 0U);
  EXPECT_EQ(crc32c(Bytes(32)), 0x8a9136aaU);  // RFC 3720, B.4
  EXPECT_EQ(encoded(codecs_of("crc32c", 1), bytes_of("123456789")), bytes_of("123456789\x83\x92\x06\xe3"));
}

TEST(ZarrCodecs, DecodeWhatTheyEncode) {
  CodecScratch scratch;
  for (const std::string& text : all_codecs) {
    for (const Index item : {1, 2, 4, 8, 16}) {
      const std::vector<ZarrCodec> codecs = codecs_of(text, item);
      for (const std::size_t count : {1U, 3U, 64U, 5000U}) {
        const Bytes elements = elements_of(count * static_cast<std::size_t>(item));
        const auto stored = encode_chunk(codecs, elements, scratch, "a");
        EXPECT_LE(stored.size(), max_encoded_nbytes(codecs, elements.size())) << text;
        const Bytes copy(stored.begin(), stored.end());
        Bytes result(elements.size());
        decode_chunk(codecs, copy, result, scratch, "a");
        EXPECT_EQ(result, elements) << text << ' ' << item << ' ' << count;
      }
    }
  }
}

TEST(ZarrCodecs, DecodeWhatOthersWrote) {
  const Bytes text = bytes_of("hello hello hello\n");
  // printf 'hello ' | gzip -n; printf 'hello hello\n' | gzip -n; and zeros behind.
  EXPECT_EQ(
      decoded(
          codecs_of("gzip", 1),
          bytes_of(from_hex(
              "1f8b0800000000000003cb48cdc9c9570000f6f981ed060000001f8b0800000000000003cb48cdc9c957c800915c00"
              "a56a0a440c0000000000")),
          18),
      text);
  // printf 'hello hello hello\n' | zstd --no-check --no-content-size.
  EXPECT_EQ(
      decoded(codecs_of("zstd", 1), bytes_of(from_hex("28b52ffd00586d00003868656c6c6f200a0100314a11")), 18),
      text);
}

TEST(ZarrCodecs, ShuffleOfVersion2) {
  const std::vector<ZarrCodec> codecs{
      {.kind = ZarrCodecKind::shuffle, .shuffle = ZarrShuffle::bytes, .item = 2}};
  EXPECT_EQ(encoded(codecs, bytes_of("aAbBcC")), bytes_of("abcABC"));
  EXPECT_EQ(decoded(codecs, bytes_of("abcABC"), 6), bytes_of("aAbBcC"));
  EXPECT_EQ(refusal<FileError>([&] { return decoded(codecs, bytes_of("abcABC"), 4); }),
            "zarr: \"a\" has 6 shuffled bytes, which must be at most 4");
}

TEST(ZarrCodecs, RefuseAnotherSize) {
  for (const std::string& text : all_codecs) {
    const Bytes stored = encoded(codecs_of(text, 4), elements_of(64));
    const std::string shorter = refusal_of(text, stored, 68);
    EXPECT_EQ(shorter, "zarr: \"a\" holds a chunk of 64 bytes and must hold one of 68") << text;
    EXPECT_NE(refusal_of(text, stored, 60), "not refused") << text;
  }
  const auto longer = [](const std::string& text) {
    return refusal_of(text, encoded(codecs_of(text, 4), elements_of(64)), 60);
  };
  EXPECT_EQ(longer("none"), "zarr: \"a\" holds a chunk of 64 bytes and must hold one of 60");
  EXPECT_EQ(longer("gzip"), "zarr: \"a\" has gzip data of more than 60 bytes, which must be at most that");
  EXPECT_EQ(longer("zstd"), "zarr: \"a\" announces 64 bytes in a frame of zstd, which must be at most 60");
  EXPECT_EQ(longer("blosc"), "zarr: \"a\" announces 64 bytes in a buffer of blosc, which must be at most 60");
}

TEST(ZarrCodecs, RefuseDamage) {
  const auto damaged = [](const std::string& text) {
    Bytes stored = encoded(codecs_of(text, 4), elements_of(4000));
    stored[stored.size() / 2] ^= std::byte{1};
    return refusal_of(text, stored, 4000);
  };
  EXPECT_EQ(damaged("crc32c"),
            "zarr: \"a\" has bytes whose crc32c must be the one behind them, and is not: they are damaged");
  const std::string rule = " data with their checksum; they are damaged or cut off";
  for (const std::string codec : {"gzip", "zlib"}) {
    const std::size_t nbytes = encoded(codecs_of(codec, 4), elements_of(4000)).size();
    EXPECT_EQ(damaged(codec),
              "zarr: \"a\" has " + std::to_string(nbytes) + " bytes that must be " + codec + rule);
  }
  EXPECT_EQ(refusal_of("crc32c", bytes_of("abc"), 4),
            "zarr: \"a\" has 3 bytes and must have at least the 4 of its crc32c");
  EXPECT_EQ(refusal_of("zstd", bytes_of("abcdefgh"), 4),
            "zarr: \"a\" has 8 bytes that must be a frame of zstd, and are none");
  EXPECT_EQ(
      refusal_of("blosc", bytes_of("abc"), 4),
      "zarr: \"a\" has 3 bytes that must be a buffer of blosc of this length; they are damaged or cut off");
  EXPECT_EQ(refusal_of("gzip", {}, 4), "zarr: \"a\" has 0 bytes that must be gzip" + rule);
  EXPECT_EQ(refusal_of("zstd", {}, 4), "zarr: \"a\" has 0 bytes that must be a frame of zstd, and are none");
  Bytes behind = encoded(codecs_of("zlib", 4), elements_of(64));
  behind.push_back(std::byte{7});
  EXPECT_EQ(refusal_of("zlib", behind, 64),
            "zarr: \"a\" has 1 bytes behind its zlib data and must have none");
}

TEST(ZarrCodecs, RefuseHeadersThatAnnounceMuch) {
  // A frame of zstd that announces 2^40 bytes, and a window of as many.
  EXPECT_EQ(refusal_of("zstd", bytes_of(from_hex("28b52ffde000000000000100000000000000010000")), 4),
            "zarr: \"a\" announces 1099511627776 bytes in a frame of zstd, which must be at most 4");
  Bytes blosc = encoded(codecs_of("blosc", 4), elements_of(64));
  blosc[6] = std::byte{0x7f};  // of the size, which becomes 8 MiB
  EXPECT_NE(refusal_of("blosc", blosc, 64), "not refused");
}

TEST(ZarrCodecs, AnyDamageIsRefusedOrDecoded) {
  Dice dice(5);
  for (const std::string& text : all_codecs) {
    const std::vector<ZarrCodec> codecs = codecs_of(text, 4);
    const Bytes stored = encoded(codecs, elements_of(400));
    for (int n = 0; n < 300; ++n) {
      Bytes damaged = stored;
      for (std::size_t times = 1 + dice.roll(3); times > 0; --times) {
        damaged[dice.roll(damaged.size())] = static_cast<std::byte>(dice.roll(256));
      }
      if (dice.roll(3) == 0) damaged.resize(dice.roll(damaged.size()));
      try {
        static_cast<void>(decoded(codecs, damaged, 400));
      } catch (const FileError&) {
      }
    }
  }
}

TEST(ZarrShardIndex, IsReadAsWritten) {
  const testing::Scratch scratch;
  ZarrArray array = make_zarr_array({4, 6}, DType::int16, {.chunk = {2, 2}, .shard = {4, 6}});
  std::vector<ShardEntry> entries(6);
  EXPECT_EQ(shard_position(array, {1, 2}), 5U);
  for (const ZarrIndexLocation location : {ZarrIndexLocation::end, ZarrIndexLocation::start}) {
    const std::uint64_t begin = location == ZarrIndexLocation::end ? 0 : 100;
    entries[1] = {begin, 8};
    entries[5] = {begin + 8, 8};
    for (const ByteOrder order : {ByteOrder::native, ByteOrder::swapped}) {
      array.shards->index_location = location;
      array.shards->index_byte_order = order;
      const Bytes index = shard_index_bytes(entries, array);
      EXPECT_EQ(index.size(), 100U);
      const std::string text(reinterpret_cast<const char*>(index.data()), index.size());
      const std::string path =
          scratch.file("shard", location == ZarrIndexLocation::end ? std::string(16, 'x') + text
                                                                   : text + std::string(16, 'x'));
      EXPECT_EQ(read_shard_index(*open_input(AT_FDCWD, path, path), array, path), entries);
    }
  }
}

TEST(ZarrShardIndex, RefusesHostileOnes) {
  const testing::Scratch scratch;
  ZarrArray array = make_zarr_array({4, 6}, DType::int16, {.chunk = {2, 2}, .shard = {4, 6}});
  const auto refused = [&](const std::string& bytes) {
    const std::string path = scratch.file("shard", bytes);
    const std::string text =
        refusal<FileError>([&] { return read_shard_index(*open_input(AT_FDCWD, path, path), array, path); });
    return text.substr(0, 6) + text.substr(std::min(text.size(), 7 + path.size() + 2));
  };
  EXPECT_EQ(refused(std::string(99, 'x')),
            "zarr: has 99 bytes and must have at least the index of 6 chunks, 16 bytes each");
  EXPECT_EQ(refused(std::string(100, 'x')),
            "zarr: has an index whose crc32c must be the one behind it, and is not: the shard is damaged");
  const auto with_entry = [&](const ShardEntry& entry) {
    std::vector<ShardEntry> entries(6);
    entries[3] = entry;
    const Bytes index = shard_index_bytes(entries, array);
    return refused("12345678" + std::string(reinterpret_cast<const char*>(index.data()), index.size()));
  };
  EXPECT_EQ(
      with_entry({0, 109}),
      "zarr: has in its index chunk 3 of 109 bytes from byte 0 on, which must lie between bytes 0 and 8 "
      "of the shard, beside the index");
  EXPECT_EQ(
      with_entry({109, 0}),
      "zarr: has in its index chunk 3 of 0 bytes from byte 109 on, which must lie between bytes 0 and 8 "
      "of the shard, beside the index");
  EXPECT_EQ(with_entry({16, ShardEntry::none}),
            "zarr: has in its index chunk 3 of 18446744073709551615 bytes from byte 16 on, which must lie "
            "between bytes 0 and 8 of the shard, beside the index");
}

}  // namespace
}  // namespace tenstride::io
