// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tenstride/io/file.hpp"

namespace tenstride::io {

/// What `FileInfo::format` says of a field of a compound. It goes along to HDF5 files with the others, as the
/// compound is stored.
inline constexpr std::string_view hdf5_field_format = "HDF5 compound";

/// Copies datasets of HDF5 files as they are stored there, with their attributes, into a file that is written
/// and closed (H5Ocopy). Its scales are made anew, so that the axes of all datasets have their names. A child
/// process does it: what cannot be read may have been made to do damage. Throws FileError.
void copy_hdf5_objects(const std::string& path, const std::vector<FileInfo>& objects,
                       std::string_view operation);

/// Why `copy_hdf5_objects` does not take a dataset, as the end of "must …"; empty where it does, or where
/// that is not known before it is copied: then it throws.
std::string obstacle_to_copy_of_object(const FileInfo& object);

}  // namespace tenstride::io
