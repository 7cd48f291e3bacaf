// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cli.hpp"
#include "tenstride/io/file.hpp"

namespace tenstride::cli {

/// Converts several tensors of a file into one file, or with --max-file-size into several with an index: each
/// that is named goes through SPEC; with --keep-others the others of the file go along unchanged. Tensors
/// keep their names.
int run_many(const ConvertCommand& command, const std::vector<io::FileInfo>& named);

}  // namespace tenstride::cli
