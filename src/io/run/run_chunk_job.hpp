// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tenstride/io/permute_file.hpp"

namespace tenstride::io {

/// Carries out a job whose tensors are copied in chunks.
FileResult run_chunk_job(const FileJob& job, const ProgressCallback& progress);

}  // namespace tenstride::io
