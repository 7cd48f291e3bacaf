// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "io/zarr/metadata.hpp"
#include "io/zarr/read_file.hpp"

namespace tenstride::io {

/// Where a chunk lies in its shard.
struct ShardEntry {
  static constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();
  /// `none`, both: the chunk is the fill value.
  std::uint64_t begin = none;
  std::uint64_t nbytes = none;

  [[nodiscard]] bool is_empty() const noexcept { return begin == none && nbytes == none; }
  friend bool operator==(const ShardEntry&, const ShardEntry&) = default;
};

/// The shards of a level: 0 is a file, 1 a shard within it, and so on. Pre: the array has such shards.
const ZarrShards& shards_at(const ZarrArray& array, std::size_t level);
/// What a shard of a level is divided into: the shards of the next, or chunks.
const Dims& part_of_shard(const ZarrArray& array, std::size_t level);
/// How many parts a shard has along each axis.
Dims chunks_of_shard(const ZarrArray& array, std::size_t level = 0);
/// Whether no shard of the level has more parts than max_shard_chunks.
bool has_readable_index(const ZarrArray& array, std::size_t level);
/// The entry of a part of a shard, counted from the first. Example: 5 for (1,2) of (2,3) chunks.
std::size_t shard_position(const ZarrArray& array, const Dims& within, std::size_t level = 0);

/// Bytes of an index with its checksum. Pre: a file can have them.
std::uint64_t shard_index_nbytes(const ZarrArray& array, std::size_t level = 0);
/// Reads the index of a shard that lies at `place` of a file, and checks its checksum, and each entry against
/// the shard's length. The entries count from the beginning of the file. Throws FileError.
std::vector<ShardEntry> read_shard_index(const InputFile& file, const ShardEntry& place,
                                         const ZarrArray& array, std::size_t level, const std::string& path);
/// The same of a shard that is a file.
std::vector<ShardEntry> read_shard_index(const InputFile& shard, const ZarrArray& array,
                                         const std::string& path);
/// The bytes of an index.
std::vector<std::byte> shard_index_bytes(const std::vector<ShardEntry>& entries, const ZarrArray& array);

}  // namespace tenstride::io
