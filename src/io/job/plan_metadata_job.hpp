// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/format/format.hpp"
#include "io/job/job_plan.hpp"

/// Axes that are permuted by what a file says of them, while no element is decoded.
namespace tenstride::io {

/// Plans a job whose tensors are known but for how, and sets the job's bytes. Throws ValueError where more
/// than metadata would change, and what the kind of file throws.
std::vector<TensorPlan> plan_metadata_job(FileJob& job);

/// The file that such a job makes; nothing is made yet. Throws what the kind of file throws.
std::unique_ptr<PermutedFile> permuted_file(const FileJob& job);

}  // namespace tenstride::io
