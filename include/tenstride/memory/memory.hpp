// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "tenstride/base/export.hpp"

/// Memory of tensors. The first touch of fresh memory costs more than the copy that touches it (page faults),
/// so freed memory is kept and handed out again: small pieces per thread, large blocks in one list, which
/// holds at most `cache_limit()` bytes and gives back the block that waited longest when it would hold more.
/// All functions may be called from any thread; a fork()ed child has its own copy of the lists.
namespace tenstride {

/// Counts since the process began, bytes as of now. Small pieces are not counted.
struct MemoryStatistics {
  std::size_t bytes_in_use = 0;       ///< in large blocks that storages hold
  std::size_t peak_bytes_in_use = 0;  ///< the most there ever were
  std::size_t bytes_cached = 0;       ///< in large blocks that wait to be handed out again
  std::size_t blocks_cached = 0;
  std::size_t reused = 0;     ///< large allocations served from the list
  std::size_t allocated = 0;  ///< large allocations served by the operating system
};
TENSTRIDE_API MemoryStatistics memory_statistics();

/// Gives all waiting large blocks, and this thread's small pieces, back to the system.
TENSTRIDE_API void empty_cache();

/// How many bytes may wait. At first an eighth of the machine's memory, or what the environment variable
/// TENSTRIDE_CACHE_LIMIT says in bytes.
TENSTRIDE_API std::size_t cache_limit();
/// 0 turns reuse off. Blocks above the new limit are given back at once.
TENSTRIDE_API void set_cache_limit(std::size_t bytes);

namespace detail {
/// Gives at least `nbytes` at a multiple of 64 bytes; large ones at a multiple of 2 MiB, huge pages asked
/// for. Throws StorageError. `release_memory` takes the address and the same number.
std::byte* acquire_memory(std::uint64_t nbytes);
void release_memory(std::byte* memory, std::uint64_t nbytes) noexcept;
}  // namespace detail

}  // namespace tenstride
