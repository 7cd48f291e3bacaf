// SPDX-License-Identifier: Apache-2.0
#include "io/zarr/shard_index.hpp"

#include <bit>
#include <cstring>

#include "io/zarr/codecs.hpp"
#include "io/zarr/refuse.hpp"

namespace tenstride::io {
namespace {

constexpr std::uint64_t entry_nbytes = 16;
constexpr std::uint64_t index_crc_nbytes = 4;

std::uint64_t in_order(std::uint64_t number, ByteOrder order) {
  return order == ByteOrder::native ? number : __builtin_bswap64(number);
}

std::uint32_t crc_in_file(std::uint32_t crc) {
  return std::endian::native == std::endian::little ? crc : __builtin_bswap32(crc);
}

/// The bytes of a shard that chunks may have: all but its index.
struct ShardBody {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

void check_entry(const ShardEntry& entry, std::size_t position, const ShardBody& body,
                 const std::string& path) {
  if (entry.is_empty()) return;
  const bool is_inside = entry.begin >= body.begin && entry.begin <= body.end;
  if (is_inside && entry.nbytes <= body.end - entry.begin) return;
  refuse_zarr(path, "has in its index chunk ", position, " of ", entry.nbytes, " bytes from byte ",
              entry.begin, " on, which must lie between bytes ", body.begin, " and ", body.end,
              " of the shard, beside the index");
}

}  // namespace

const ZarrShards& shards_at(const ZarrArray& array, std::size_t level) {
  return level == 0 ? *array.shards : array.inner_shards[level - 1];
}

const Dims& part_of_shard(const ZarrArray& array, std::size_t level) {
  return level < array.inner_shards.size() ? array.inner_shards[level].shape : array.chunk;
}

Dims chunks_of_shard(const ZarrArray& array, std::size_t level) {
  Dims counts = shards_at(array, level).shape;
  for (std::size_t d = 0; d < counts.size(); ++d) counts[d] /= part_of_shard(array, level)[d];
  return counts;
}

bool has_readable_index(const ZarrArray& array, std::size_t level) {
  Index count = 1;
  for (const Index parts : chunks_of_shard(array, level)) {
    count = try_multiply(count, parts).value_or(max_shard_chunks + 1);
    if (count > max_shard_chunks) return false;
  }
  return true;
}

std::size_t shard_position(const ZarrArray& array, const Dims& within, std::size_t level) {
  const Dims counts = chunks_of_shard(array, level);
  Index position = 0;
  for (const Index axis : shards_at(array, level).order) {
    const auto d = static_cast<std::size_t>(axis);
    position = position * counts[d] + within[d];
  }
  return static_cast<std::size_t>(position);
}

std::uint64_t shard_index_nbytes(const ZarrArray& array, std::size_t level) {
  const auto count = static_cast<std::uint64_t>(count_elements(chunks_of_shard(array, level)));
  return count * entry_nbytes + (shards_at(array, level).has_index_checksum ? index_crc_nbytes : 0);
}

std::vector<ShardEntry> read_shard_index(const InputFile& shard, const ZarrArray& array,
                                         const std::string& path) {
  return read_shard_index(shard, {0, shard.nbytes}, array, 0, path);
}

std::vector<ShardEntry> read_shard_index(const InputFile& file, const ShardEntry& place,
                                         const ZarrArray& array, std::size_t level, const std::string& path) {
  const ZarrShards& shards = shards_at(array, level);
  const auto count = static_cast<std::uint64_t>(count_elements(chunks_of_shard(array, level)));
  const std::uint64_t nbytes = shard_index_nbytes(array, level);
  if (nbytes > place.nbytes) {
    refuse_zarr(path, "has ", place.nbytes, " bytes", level == 0 ? "" : " in a shard within a shard",
                " and must have at least the index of ", count, " chunks, ", entry_nbytes, " bytes each");
  }
  std::vector<std::byte> bytes(nbytes);
  const bool is_at_end = shards.index_location == ZarrIndexLocation::end;
  const ShardBody body = is_at_end ? ShardBody{0, place.nbytes - nbytes} : ShardBody{nbytes, place.nbytes};
  read_exactly(file, bytes, place.begin + (is_at_end ? body.end : 0), path);
  if (shards.has_index_checksum) {
    std::uint32_t crc = 0;
    std::memcpy(&crc, bytes.data() + count * entry_nbytes, sizeof crc);
    if (crc32c(std::span(bytes).first(count * entry_nbytes)) != crc_in_file(crc)) {
      refuse_zarr(path,
                  "has an index whose crc32c must be the one behind it, and is not: the shard is damaged");
    }
  }
  std::vector<ShardEntry> entries(count);
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t numbers[2];
    std::memcpy(numbers, bytes.data() + i * entry_nbytes, sizeof numbers);
    entries[i] = {in_order(numbers[0], shards.index_byte_order),
                  in_order(numbers[1], shards.index_byte_order)};
    check_entry(entries[i], i, body, path);
    if (!entries[i].is_empty()) entries[i].begin += place.begin;
  }
  return entries;
}

std::vector<std::byte> shard_index_bytes(const std::vector<ShardEntry>& entries, const ZarrArray& array) {
  std::vector<std::byte> bytes(shard_index_nbytes(array));
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const std::uint64_t numbers[2] = {in_order(entries[i].begin, array.shards->index_byte_order),
                                      in_order(entries[i].nbytes, array.shards->index_byte_order)};
    std::memcpy(bytes.data() + i * entry_nbytes, numbers, sizeof numbers);
  }
  if (array.shards->has_index_checksum) {
    const std::size_t end = entries.size() * entry_nbytes;
    const std::uint32_t crc = crc_in_file(crc32c(std::span(bytes).first(end)));
    std::memcpy(bytes.data() + end, &crc, sizeof crc);
  }
  return bytes;
}

}  // namespace tenstride::io
