// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tenstride/io/memory_limit.hpp"

namespace tenstride::io {

/// Where the system tells of itself; the tests have folders of their own.
struct SystemFolders {
  std::string processes = "/proc";
  std::string control_groups = "/sys/fs/cgroup";
};

std::uint64_t free_memory(const SystemFolders& system);
MemoryUse memory_use(const SystemFolders& system);

}  // namespace tenstride::io
