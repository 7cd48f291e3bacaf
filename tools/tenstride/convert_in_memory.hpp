// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cli.hpp"
#include "tenstride/io/permute_file.hpp"

namespace tenstride::cli {

/// Converts several tensors into a file that is written from its beginning to its end (.npz), by way of
/// memory; what is not copied on the way stays mapped. `options` have the kind of the file.
int run_in_memory(const ConvertCommand& command, const std::vector<io::TensorMove>& moves,
                  const io::FileOptions& options);

}  // namespace tenstride::cli
