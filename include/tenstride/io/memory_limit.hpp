// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "tenstride/base/export.hpp"

namespace tenstride::io {

/// How many bytes this process may still allocate without swapping or being ended: the least of what the
/// machine has available (MemAvailable), what each memory control group that the process is in leaves
/// (version 1 and 2, up to the root; cached files count as free, they give way) and what the limits of the
/// process leave (`ulimit -v`, `ulimit -d`). The largest number where the system says none of these. It
/// changes while other processes run. Example: in a container of 512 MiB that uses 100 MiB, 30 MiB of them
/// for cached files, on a machine with 8 GiB available: 442 MiB.
TENSTRIDE_API std::uint64_t free_memory();

/// Memory of this process in bytes, as /proc/self/status says; 0 where it does not.
struct MemoryUse {
  std::uint64_t resident = 0;       ///< anonymous + mapped_files + shared
  std::uint64_t peak_resident = 0;  ///< the most there ever were
  std::uint64_t anonymous = 0;      ///< allocated: heap, stacks
  std::uint64_t mapped_files = 0;   ///< pages of mapped files, programs and libraries included
  std::uint64_t shared = 0;         ///< shared memory, tmpfs included
};
TENSTRIDE_API MemoryUse memory_use();

/// A number of bytes: digits, with a fraction perhaps, and perhaps K, M, G or T (or KiB, MiB, GiB, TiB),
/// which are powers of 1024; capital or small. Fractions of a byte are cut off. Throws ValueError, whose
/// message begins with `option`, for anything else, 0 and numbers above 64 bits. Examples: "512M" is
/// 536870912, "1.5GiB" is 1610612736, "4096" is 4096.
TENSTRIDE_API std::uint64_t parse_bytes(std::string_view option, std::string_view text);

}  // namespace tenstride::io
