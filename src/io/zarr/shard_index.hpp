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

/// How many chunks a shard has along each axis. Pre: the array has shards.
Dims chunks_of_shard(const ZarrArray& array);
/// The entry of a chunk of a shard, counted from the first. Example: 5 for (1,2) of (2,3) chunks.
std::size_t shard_position(const ZarrArray& array, const Dims& within);

/// Bytes of an index with its checksum. Pre: a file can have them.
std::uint64_t shard_index_nbytes(const ZarrArray& array);
/// Reads the index of a shard and checks its checksum, and each entry against the file's length. Throws
/// FileError.
std::vector<ShardEntry> read_shard_index(const InputFile& shard, const ZarrArray& array,
                                         const std::string& path);
/// The bytes of an index.
std::vector<std::byte> shard_index_bytes(const std::vector<ShardEntry>& entries, const ZarrArray& array);

}  // namespace tenstride::io
