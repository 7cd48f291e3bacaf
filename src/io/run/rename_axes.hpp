// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tenstride/io/permute_file.hpp"

namespace tenstride::io {

/// Carries out a job whose tensors have a `rename`: metadata change, and files of chunks get other names.
FileResult run_rename(const FileJob& job, const ProgressCallback& progress);

}  // namespace tenstride::io
