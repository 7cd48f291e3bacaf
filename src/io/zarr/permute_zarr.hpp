// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "io/format/format.hpp"

namespace tenstride::io {

/// A folder of arrays whose axes are permuted by their metadata, the names of their chunks' files and, of
/// shards, the indexes. Files are copied, by sharing their bytes where the file system can. Where `path` is
/// the array that is read, files of chunks get a second name in the new folder instead, which then replaces
/// the old one: nothing is copied.
///
/// Throws FileError where version 2 has no word for the order of the chunks' axes, and ValueError for another
/// version than that of the source, but for 3 of 2; for arrays of several versions; and for a `path` that is
/// read without being an array of its own, or lies in a group that keeps a copy of its metadata.
std::unique_ptr<PermutedFile> permute_zarr(const std::string& path,
                                           const std::vector<PermutedTensor>& tensors,
                                           const ChunkOptions& options, Overwrite overwrite,
                                           std::string_view operation);

}  // namespace tenstride::io
