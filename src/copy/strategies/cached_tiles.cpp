// SPDX-License-Identifier: Apache-2.0
#include "copy/strategies/cached_tiles.hpp"

#include "copy/cached.hpp"
#include "copy/items.hpp"
#include "copy/shares.hpp"
#include "plan/nest.hpp"

namespace tenstride::copy {
namespace {

constexpr Index ranges_each = 2;

}  // namespace

void run(const CachedTiles& /*strategy*/, const Walk& walk) {
  const detail::Nest nest = *detail::nest_of(walk.plan);
  const Loop& outer = nest[0];
  const auto item = static_cast<std::size_t>(nest.dst_item);
  std::byte* const dst = walk.dst_base + nest.dst_offset;
  const std::byte* const src = walk.src_base + nest.src_offset;
  share_out(walk.plan, {outer.extent, ranges_each}, [&](Index from, Index to) {
    Loops part = nest;
    part.loops[0].extent = to - from;
    std::byte* const to_part = dst + from * outer.dst_stride;
    const std::byte* const from_part = src + from * outer.src_stride;
    // A part may be too small for tables.
    if (!copy_cached(part, item, to_part, from_part)) copy_items(part, item, to_part, from_part);
  });
}

}  // namespace tenstride::copy
