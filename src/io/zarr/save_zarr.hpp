// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/zarr/metadata.hpp"
#include "tenstride/io/save.hpp"

namespace tenstride::io {

/// A folder of one array, or of a group with several. It appears whole or not at all.
std::unique_ptr<ChunkFile> create_zarr(const std::string& path, const std::vector<NewTensor>& tensors,
                                       const ChunkOptions& options, Overwrite overwrite,
                                       std::string_view operation);

/// Arrays within a folder that has its name later, or that an earlier run has made with the same metadata.
std::unique_ptr<ChunkFile> zarr_in_folder(const std::string& folder, const std::vector<NewTensor>& tensors,
                                          const ChunkOptions& options, ChunkFolder state,
                                          std::string_view operation);

/// The file of an array's folder that says how its elements are kept.
std::string zarr_metadata_file(const std::string& folder);

/// Units of a new array.
ChunkGrid plan_zarr(const NewTensor& tensor, const ChunkOptions& options, std::string_view operation);

/// The metadata of a new array of these options. Chunks that are not given have about 4 MiB. Throws
/// ValueError.
ZarrArray new_zarr_array(const NewTensor& tensor, const ChunkOptions& options, std::string_view operation);

/// Whether the folder is a Zarr array or group.
bool is_zarr_folder(const std::string& path);

/// The codecs in the words of `--codec`: "zstd:3+crc32c"; empty for none.
std::string zarr_codec_text(const ZarrArray& array);

}  // namespace tenstride::io
