// SPDX-License-Identifier: Apache-2.0
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

#include "tenstride/copy/run_plan.hpp"
#include "tenstride/layout/overlap.hpp"

namespace tenstride {
namespace {

/// Smaller destinations are not streamed where they are written sequentially
/// (`PlanOptions::streaming_above`), so whether they are untouched makes no difference.
constexpr Index min_probed_bytes = Index{4} << 20;

/// Whether the page of an address has memory behind it; true where the system does not say.
bool has_memory(std::uintptr_t address) {
  static const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const std::uintptr_t begin = address / page * page;
  unsigned char found = 0;
  return mincore(reinterpret_cast<void*>(begin), page, &found) != 0 || (found & 1U) != 0;
}

}  // namespace

Placement placement_of(const void* dst_base, const Layout& dst, DType type) {
  // A number, because a forecast's destination is null, from which no pointer may be made.
  const auto base = reinterpret_cast<std::uintptr_t>(dst_base);
  Placement placement;
  placement.dst_in_line = static_cast<Index>(base % 64);
  const std::optional<Reach> extent = reach(dst);
  if (!extent) return placement;
  const auto item = static_cast<Index>(item_size(type));
  const std::uintptr_t first = base + static_cast<std::uintptr_t>(extent->lowest * item);
  const Index bytes = (extent->highest - extent->lowest + 1) * item;
  placement.is_untouched = bytes >= min_probed_bytes &&
                           !has_memory(first + static_cast<std::uintptr_t>(bytes) / 2) &&
                           !has_memory(first) && !has_memory(first + static_cast<std::uintptr_t>(bytes) - 1);
  return placement;
}

}  // namespace tenstride
