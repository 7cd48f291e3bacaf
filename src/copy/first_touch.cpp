// SPDX-License-Identifier: Apache-2.0
#include "copy/first_touch.hpp"

#include <sys/mman.h>
#include <unistd.h>

namespace tenstride::copy {
namespace {

/// Whether the page of the address has memory; also where the system does not say.
bool has_memory(const std::byte* address) {
  static const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(address) / page * page;
  unsigned char found = 0;
  return mincore(reinterpret_cast<void*>(begin), page, &found) != 0 || (found & 1U) != 0;
}

/// What is written in order and at least as much as is read. Of what narrows, the source's lines pass the
/// cache too, and past it is faster (float32 to int8 .58 of the plain copy, .47 through it).
bool is_written_in_order(const Walk& walk) {
  const CopyKernel kernel = walk.plan.kernel;
  return kernel == CopyKernel::fill || (kernel == CopyKernel::memcpy && walk.dst_item >= walk.src_item);
}

}  // namespace

bool is_first_touch(const Walk& walk) {
  if (!walk.plan.streaming || !is_written_in_order(walk)) return false;
  const auto bytes = static_cast<std::size_t>(walk.plan.count) * item_size(walk.plan.dst_type);
  return !has_memory(walk.dst + bytes / 2) && !has_memory(walk.dst) && !has_memory(walk.dst + bytes - 1);
}

}  // namespace tenstride::copy
