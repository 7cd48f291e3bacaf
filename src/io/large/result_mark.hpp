// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "io/large/resumable_output.hpp"
#include "tenstride/checksum.hpp"
#include "tenstride/io/permute_file.hpp"

namespace tenstride::io {

/// Marks a file or folder as the result of a job, by an extended attribute: a task that runs once more then
/// sees that nothing is left. File systems without attributes get no mark.
void mark_result(const std::string& path, const FileJob& job, const Binding& binding, const Checksum& sum);

/// The checksum of what the destination has, where it is the result of this job from a source that has not
/// changed since; whatever the limits and the number of tasks were.
std::optional<Checksum> find_result(const FileJob& job, const Binding& binding);

}  // namespace tenstride::io
