// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "cli.hpp"
#include "tenstride/io/file_task.hpp"

/// Conversions that several processes carry out together.
namespace tenstride::cli {

/// "3/8": the third of eight. Throws UsageError.
io::FileTask parse_task(const std::string& text);

/// The rank that `mpirun` of Open MPI or MPICH has started this process as, where it started several. Throws
/// UsageError for variables that are no such numbers.
std::optional<io::FileTask> task_of_environment();

/// What made the command one of several tasks, for messages: "--task", "--plan-only" or "mpirun".
std::string option_of_task(const ConvertCommand& command);

/// "task 3 of 8".
std::string name_of_task(const io::FileTask& task);

/// Says that the first task does all of it, and why. Pre: the command has a task.
int leave_to_first_task(const ConvertCommand& command, const std::string& reason);

}  // namespace tenstride::cli
