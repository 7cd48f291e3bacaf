// SPDX-License-Identifier: Apache-2.0
#include "memory/system.hpp"

namespace tenstride::detail {

void ask_for_huge_pages(std::byte* /*memory*/, std::size_t /*nbytes*/) noexcept {}

std::size_t machine_memory() noexcept {
  return 0;
}

bool has_memory(std::uintptr_t /*address*/) noexcept {
  return true;
}

void at_fork(void (* /*before*/)(), void (* /*after*/)()) {}

}  // namespace tenstride::detail
