// SPDX-License-Identifier: Apache-2.0
// Groups of a file by their names, "" for the root.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tenstride/io/save.hpp"

namespace tenstride::io {

using FileGroups = std::map<std::string, std::shared_ptr<const FileGroup>>;

/// The groups that a tensor stands in, outermost first. Example: of "a/b/c" {"", "a", "a/b"}.
std::vector<std::string> group_names_around(const std::string& name);

/// The members of `groups` that a tensor stands in, outermost first.
std::vector<std::shared_ptr<const FileGroup>> groups_around(const std::string& name,
                                                            const FileGroups& groups);

/// The groups that tensors say something of. Pre: they say the same of each.
FileGroups groups_of(const std::vector<NewTensor>& tensors);

}  // namespace tenstride::io
