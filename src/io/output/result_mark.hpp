// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "io/output/resumable_output.hpp"

namespace tenstride::io {

/// Marks a file or folder as the result of what it was begun for, by an extended attribute: a task that runs
/// once more then sees that nothing is left. File systems without attributes get no mark.
void mark_result(const std::string& path, const Binding& binding);

/// Whether what has the name is the result of the same operations on a source that has not changed since,
/// whatever the limits and the number of tasks were.
bool is_marked_result(const std::string& path, const Binding& binding);

}  // namespace tenstride::io
