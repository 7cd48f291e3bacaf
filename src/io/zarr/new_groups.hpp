// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/format/file_groups.hpp"

namespace tenstride::io {

/// Refuses a name that is not one of groups and an array, or empty. Throws ValueError, which begins with
/// `operation`.
void check_array_name(const std::string& name, std::string_view operation);

/// Makes the groups that new arrays of these names are in, and gives the folders of the arrays. A single
/// array without a name is `root` itself, and nothing is made. `format`: 2 or 3; `groups` have attributes.
/// Throws FileError, and ValueError as check_array_name does. Example: "r/a/b" for the root "r" and the name
/// "a/b", with "r" and "r/a" as groups.
std::vector<std::string> make_zarr_groups(const std::string& root, const std::vector<std::string>& names,
                                          int format, const FileGroups& groups, std::string_view operation);

}  // namespace tenstride::io
