// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tenstride/io/file_task.hpp"

namespace tenstride::io {

/// The end of the share that task `number` of `tasks` has of so many parts. Shares are consecutive, and
/// differ by one part at most. Example: 7 parts among 3 tasks end at 2, 4, 7.
inline std::uint64_t end_of_share(std::uint64_t number, std::uint64_t tasks, std::uint64_t parts) {
  return parts / tasks * number + parts % tasks * number / tasks;
}

/// Throws ValueError for a task that there cannot be.
void check_task(const FileTask& task);

}  // namespace tenstride::io
