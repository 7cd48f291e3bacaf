// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tenstride/io/permute_file.hpp"

namespace tenstride::io {

/// Carries out the share of one of several tasks, by the plan of those that have begun the destination. Pre:
/// `job.options.task`.
FileResult run_task(const FileJob& job, const ProgressCallback& progress);

/// Carries out a job, or a share of it, by its plan: not one that changes only metadata.
FileResult run_planned(const FileJob& job, const ProgressCallback& progress);

}  // namespace tenstride::io
