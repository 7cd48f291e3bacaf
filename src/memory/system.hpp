// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

/// What the operating system knows of memory, and does about it: system_linux.cpp, and system_wasi.cpp where
/// there are neither pages nor processes.
namespace tenstride::detail {

/// Asks for huge pages behind fresh bytes. A wish: it may come to nothing.
void ask_for_huge_pages(std::byte* memory, std::size_t nbytes) noexcept;

/// The bytes of memory that the machine has; 0 where the system does not say.
std::size_t machine_memory() noexcept;

/// Whether the page of an address has memory behind it; true where the system does not say.
bool has_memory(std::uintptr_t address) noexcept;

/// From now on `before` runs before the process forks, and `after` in both processes then.
void at_fork(void (*before)(), void (*after)());

}  // namespace tenstride::detail
