// SPDX-License-Identifier: Apache-2.0
#include "io/run/tile_groups.hpp"

#include <utility>

namespace tenstride::io {

std::vector<TileGroup> groups_of_tile(const BlockPlan& plan, std::size_t pass, std::uint64_t blocks_begin,
                                      const Box& tile, Index item) {
  std::vector<TileGroup> groups;
  // Blocks lie in the order of the destination.
  const Dims& src_strides = pass == 0 ? plan.problem.src.strides : plan.problem.dst.strides;
  // `origin`: the index that lies first in `layout`.
  const auto add = [&](const Box& box, const Dims& origin, const Layout& layout, std::uint64_t begin) {
    Box inside = box;
    for (std::size_t d = 0; d < origin.size(); ++d) inside.first[d] -= origin[d];
    for (Box& group : tenstride::detail::cut_into_groups(inside, layout.strides, src_strides, item, plan.page,
                                                         plan.passes[pass].group_bytes)) {
      const GroupPlace place = place_group(group, layout, item, begin, plan.page);
      for (std::size_t d = 0; d < origin.size(); ++d) group.first[d] += origin[d];
      groups.push_back({std::move(group), place, layout.strides, false});
    }
  };
  if (plan.passes.size() == 2 && pass == 0) {
    for (const Box& block : tenstride::detail::blocks_of(plan, tile)) {
      add(block, block.first, row_major(block.extents),
          blocks_begin + static_cast<std::uint64_t>(block_offset(plan, block.first)));
      groups.back().ends_slot = true;
    }
  } else {
    add(tile, Dims::filled(tile.first.size(), 0), plan.problem.dst,
        static_cast<std::uint64_t>(plan.problem.dst_begin));
  }
  return groups;
}

}  // namespace tenstride::io
