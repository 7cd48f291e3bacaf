// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli.hpp"
#include "tenstride/io/permute_file.hpp"

namespace tenstride::cli {

/// Writes the tasks of a job as JSON to the file of `--plan-only`: what each runs, reads, writes and needs.
/// `limit`: bytes of memory that a task may use.
int write_tasks(const io::FileJob& job, const ConvertCommand& command, std::uint64_t limit);

}  // namespace tenstride::cli
