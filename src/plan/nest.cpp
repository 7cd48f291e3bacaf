// SPDX-License-Identifier: Apache-2.0
#include "plan/nest.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "base/cache_line.hpp"
#include "tenstride/base/dtype.hpp"

namespace tenstride::detail {
namespace {

constexpr Index max_item_bytes = 16;
/// Whether all byte offsets of the plan fit an Index with a factor of 4 to spare. Layouts that no memory can
/// hold, as on meta, may exceed that.
bool is_countable(const CopyPlan& plan, Index dst_element, Index src_element) {
  constexpr Index max_reach = std::numeric_limits<Index>::max() / 4;
  const auto fits = [](Index stride, Index extent, Index element) {
    const std::optional<Index> bytes = try_multiply(std::abs(stride), element);
    const std::optional<Index> reach = bytes ? try_multiply(*bytes, extent) : std::nullopt;
    return reach && *reach <= max_reach;
  };
  return std::all_of(plan.loops.begin(), plan.loops.end(), [&](const CopyLoop& loop) {
    return fits(loop.dst_stride, loop.extent, dst_element) && fits(loop.src_stride, loop.extent, src_element);
  });
}

/// Joins pairs of items that are contiguous on both sides into items twice as large, as long as the limits
/// allow.
void widen(Nest& nest) {
  while (nest.count > 1 && nest.src_item < max_item_bytes && nest.dst_item < line_bytes) {
    Loop& inner = nest.loops[nest.count - 1];
    if (inner.dst_stride != nest.dst_item || inner.src_stride != nest.src_item || inner.extent % 2 != 0)
      return;
    inner = {inner.extent / 2, inner.dst_stride * 2, inner.src_stride * 2};
    nest.dst_item *= 2;
    nest.src_item *= 2;
    nest.elements *= 2;
    if (inner.extent == 1) --nest.count;
  }
}

}  // namespace

std::optional<Nest> nest_of(const CopyPlan& plan) {
  if (plan.loops.size() > max_loops || plan.scale.size() > 1 || plan.shift.size() > 1) return std::nullopt;
  const auto dst_element = static_cast<Index>(item_size(plan.dst_type));
  const auto src_element = static_cast<Index>(item_size(plan.src_type));
  if (!is_countable(plan, dst_element, src_element)) return std::nullopt;
  Nest nest;
  nest.dst_item = dst_element * plan.item_elements;
  nest.src_item = src_element * plan.item_elements;
  nest.elements = plan.item_elements;
  nest.dst_offset = plan.dst_offset * dst_element;
  nest.src_offset = plan.src_offset * src_element;
  for (const CopyLoop& loop : plan.loops) {
    if (loop.extent == 1) continue;
    Loop added{loop.extent, loop.dst_stride * dst_element, loop.src_stride * src_element};
    if (added.dst_stride < 0) {
      nest.dst_offset += (added.extent - 1) * added.dst_stride;
      nest.src_offset += (added.extent - 1) * added.src_stride;
      added.dst_stride = -added.dst_stride;
      added.src_stride = -added.src_stride;
    }
    nest.add(added);
  }
  nest.merge();
  widen(nest);
  return nest;
}

}  // namespace tenstride::detail
