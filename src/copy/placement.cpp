// SPDX-License-Identifier: Apache-2.0
#include <cstdint>

#include "memory/system.hpp"
#include "tenstride/copy/run_plan.hpp"
#include "tenstride/layout/overlap.hpp"

namespace tenstride {
namespace {

/// Smaller destinations are not streamed where they are written sequentially
/// (`PlanOptions::streaming_above`), so whether they are untouched makes no difference.
constexpr Index min_probed_bytes = Index{4} << 20;

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
  placement.is_untouched =
      bytes >= min_probed_bytes && !detail::has_memory(first + static_cast<std::uintptr_t>(bytes) / 2) &&
      !detail::has_memory(first) && !detail::has_memory(first + static_cast<std::uintptr_t>(bytes) - 1);
  return placement;
}

}  // namespace tenstride
