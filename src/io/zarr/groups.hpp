// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/zarr/store.hpp"

namespace tenstride::io {

/// No more folders and files of groups than this are looked at.
inline constexpr std::size_t max_zarr_entries = 100000;

/// The arrays in a store and in the groups of it, by their names from the root on, sorted; "" where the root
/// is an array itself. Of either version. Symbolic links to folders are not followed; consolidated metadata
/// are not read. Throws FileError where the root is neither an array nor a group, where there are more than
/// max_zarr_entries entries, and beyond 64 levels. Example: of a group with an array and a group that has one
/// {"a", "b/c"}.
std::vector<std::string> zarr_arrays(const ZarrStore& store);

/// The attributes of the group in a folder of the store, of either version, as a JSON object; empty where it
/// has none. Throws FileError.
std::string zarr_group_attributes(const ZarrStore& store, const std::string& name);

}  // namespace tenstride::io
