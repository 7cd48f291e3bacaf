// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tenstride::io {

/// No more folders and files of groups than this are looked at.
inline constexpr std::size_t max_zarr_entries = 100000;

/// The arrays in a folder and in the groups below it, by their names from the folder on, sorted; "" where the
/// folder is an array itself. Of either version. Symbolic links to folders are not followed; consolidated
/// metadata are not read. Throws FileError where the folder is neither an array nor a group, where there are
/// more than max_zarr_entries entries, and beyond 64 levels.
/// Example: of a group with an array and a group that has one {"a", "b/c"}.
std::vector<std::string> zarr_arrays(const std::string& folder);

/// The attributes of the group in a folder, of either version, as a JSON object; empty where it has none.
/// Throws FileError.
std::string zarr_group_attributes(const std::string& folder);

}  // namespace tenstride::io
