// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tenstride/io/permute_file.hpp"

namespace tenstride::io {

/// Carries out the share of one of several tasks, by the plan of those that have begun the destination. Pre:
/// `job.options.task`.
FileResult run_task(const FileJob& job, const ProgressCallback& progress);

}  // namespace tenstride::io
