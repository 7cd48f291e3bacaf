// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tenstride/io/file.hpp"
#include "tenstride/io/save.hpp"

namespace tenstride::io {

/// Copies the folders of arrays, file by file, into the group in a folder, under their names. Throws
/// FileError, and ValueError for a name that is none of an array.
void copy_zarr_arrays(const std::string& folder, const std::vector<FileInfo>& arrays, int format,
                      std::string_view operation);

/// Why an array is not copied into a group that is written with the options, as the end of "must …"; empty
/// where it is.
std::string obstacle_to_copy_of_array(const FileInfo& array, const ChunkOptions& options);

}  // namespace tenstride::io
