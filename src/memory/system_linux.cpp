// SPDX-License-Identifier: Apache-2.0
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

#include "memory/system.hpp"

namespace tenstride::detail {
namespace {

std::size_t page_bytes() noexcept {
  static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

}  // namespace

void ask_for_huge_pages(std::byte* memory, std::size_t nbytes) noexcept {
  madvise(memory, nbytes, MADV_HUGEPAGE);
}

std::size_t machine_memory() noexcept {
  return static_cast<std::size_t>(std::max(sysconf(_SC_PHYS_PAGES), 0L)) * page_bytes();
}

bool has_memory(std::uintptr_t address) noexcept {
  const std::uintptr_t begin = address / page_bytes() * page_bytes();
  unsigned char found = 0;
  return mincore(reinterpret_cast<void*>(begin), page_bytes(), &found) != 0 || (found & 1U) != 0;
}

void at_fork(void (*before)(), void (*after)()) {
  pthread_atfork(before, after, after);
}

}  // namespace tenstride::detail
