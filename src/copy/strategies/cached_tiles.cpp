// SPDX-License-Identifier: Apache-2.0
#include "copy/strategies/cached_tiles.hpp"

#include "copy/cached.hpp"
#include "copy/items.hpp"
#include "copy/shares.hpp"
#include "plan/nest.hpp"

namespace tenstride::copy {
namespace {

/// Few ranges: a copy within the caches is short.
constexpr Index ranges_per_thread = 2;

}  // namespace

void run(const CachedTiles& /*strategy*/, const BoundPlan& bound) {
  const detail::Nest nest = *detail::nest_of(bound.plan);
  const Loop& outer = nest[0];
  const auto item = static_cast<std::size_t>(nest.dst_item);
  std::byte* const dst = bound.dst_base + nest.dst_offset;
  const std::byte* const src = bound.src_base + nest.src_offset;
  share_out(bound.plan, {outer.extent, ranges_per_thread}, [&](Index first, Index last) {
    Loops part = nest;
    part.loops[0].extent = last - first;
    std::byte* const part_dst = dst + first * outer.dst_stride;
    const std::byte* const part_src = src + first * outer.src_stride;
    // A part may be too small for tables.
    if (!copy_cached(part, item, part_dst, part_src)) copy_items(part, item, part_dst, part_src);
  });
}

}  // namespace tenstride::copy
