// SPDX-License-Identifier: Apache-2.0
// An array whose axes are permuted by its metadata and the names of its files, while its chunks stay as they
// are.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/zarr/metadata.hpp"
#include "io/zarr/shard_index.hpp"

namespace tenstride::io {

/// The array with axis order[d] of `array` as its axis d, and the same chunks: a transpose codec is added or
/// changed, in version 2 the order "C" or "F". Indexes of shards are to be in the order of the new axes, as
/// copy_permuted_shard makes them: zarr-python 3.1 refuses most arrays with a transpose codec before shards.
/// Example: shape (2,3), chunks (1,3), order (1,0): shape (3,2), chunks (3,1), chunks' order (1,0).
///
/// An array of version 2 whose `format` is set to 3 before describes the same files by version 3, unless it
/// has the codecs zlib or shuffle. Throws FileError, which names `folder`, where version 2 has no word for
/// the order of the chunks' axes, and ValueError where `order` does not list each axis once.
ZarrArray permuted_zarr(const ZarrArray& array, const Dims& order, std::string_view folder);

/// The index of a unit in the permuted array. Example: (2,0) for (0,2) and the order (1,0).
Dims permuted_index(const Dims& index, const Dims& order);

/// The keys of one unit before and after.
struct ZarrMove {
  std::string old_key;
  std::string new_key;
};
/// The keys of the unit at `index` of `array`. Example: "c/0/2" and "c/2/0".
ZarrMove permuted_key(const ZarrArray& array, const ZarrArray& permuted, const Dims& index,
                      const Dims& order);

/// The entries of a shard's index in the order of the permuted array.
std::vector<ShardEntry> permuted_entries(const std::vector<ShardEntry>& entries, const ZarrArray& array,
                                         const ZarrArray& permuted, const Dims& order);

/// Whether the index of a shard stays as it is, because it counts chunks along the same axes in the same
/// order. Example: shards of (1,2) chunks permuted to (2,1). Pre: there are shards.
bool keeps_shard_index(const ZarrArray& array, const ZarrArray& permuted, const Dims& order);

/// Copies the shard at `index` of `array` to where the permuted array has it, with its index rewritten; its
/// chunks are copied as they are, by the file system itself where that can. The shard appears whole or not
/// at all. Gives the bytes written: those of the index where the file system shares the others, and 0 where
/// there is no such shard. Throws FileError.
std::uint64_t copy_permuted_shard(const std::string& src_folder, const ZarrArray& array, const Dims& index,
                                  const std::string& dst_folder, const ZarrArray& permuted,
                                  const Dims& order);

}  // namespace tenstride::io
