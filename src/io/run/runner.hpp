// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tenstride/io/permute_file.hpp"

namespace tenstride::io {

/// Carries out a job, or the share of one of several tasks, by its plan: whatever moves elements, of flat
/// files and of chunks.
FileResult run_planned(const FileJob& job, const ProgressCallback& progress);

}  // namespace tenstride::io
