// SPDX-License-Identifier: Apache-2.0
#include "copy/strategies/cached_tiles.hpp"

#include <algorithm>

#include "copy/cached.hpp"
#include "copy/items.hpp"
#include "plan/cached_tiles.hpp"
#include "tenstride/parallel.hpp"

namespace tenstride::copy {

void run(const CachedTiles& /*strategy*/, const Walk& walk) {
  const Loops loops = detail::cached_loops(walk.plan);
  const int threads = threads_of(walk.plan);
  if (threads == 1) {
    copy_cached(loops, walk.dst_item, walk.dst, walk.src);
    return;
  }
  const Index extent = loops.extent[0];
  parallel_for(
      0, extent, ceil_divide(extent, 2 * threads),
      [&](Index from, Index to) {
        Loops part = loops;
        part.extent[0] = to - from;
        std::byte* const begin = walk.dst + from * loops.dst[0];
        const std::byte* const source = walk.src + from * loops.src[0];
        // A part may be too small for tables.
        if (!copy_cached(part, walk.dst_item, begin, source)) copy_items(part, walk.dst_item, begin, source);
      },
      threads);
}

}  // namespace tenstride::copy
