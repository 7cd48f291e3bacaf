// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tenstride/io/permute_file.hpp"

namespace tenstride::io {

/// Takes the moves that keep what cannot be read out of the list: they are copied as their bytes are stored.
/// Throws FileError where the destination does not take them.
std::vector<FileInfo> take_as_stored(std::vector<TensorMove>& moves, const FileOptions& options);

/// Copies them into a destination that is no folder, at `path`, and has all its elements.
void add_as_stored(const FileJob& job, const std::string& path);

}  // namespace tenstride::io
