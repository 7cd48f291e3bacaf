// SPDX-License-Identifier: Apache-2.0
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

#include "tenstride/overlap.hpp"
#include "tenstride/run_plan.hpp"

namespace tenstride {
namespace {

/// Smaller destinations are not streamed where they are written sequentially
/// (`PlanOptions::streaming_above`), so whether they are untouched makes no difference.
constexpr Index min_probed_bytes = Index{4} << 20;

/// Whether the page of an address has memory behind it; true where the system does not say.
bool has_memory(const std::byte* address) {
  static const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(address) / page * page;
  unsigned char found = 0;
  return mincore(reinterpret_cast<void*>(begin), page, &found) != 0 || (found & 1U) != 0;
}

}  // namespace

Placement placement_of(const void* dst_base, const Layout& dst, DType type) {
  const auto* const base = static_cast<const std::byte*>(dst_base);
  Placement placement;
  placement.dst_in_line = static_cast<Index>(reinterpret_cast<std::uintptr_t>(base) % 64);
  const std::optional<Reach> extent = reach(dst);
  if (!extent) return placement;
  const auto item = static_cast<Index>(item_size(type));
  const std::byte* const first = base + extent->lowest * item;
  const Index bytes = (extent->highest - extent->lowest + 1) * item;
  placement.is_untouched = bytes >= min_probed_bytes && !has_memory(first + bytes / 2) &&
                           !has_memory(first) && !has_memory(first + bytes - 1);
  return placement;
}

}  // namespace tenstride
