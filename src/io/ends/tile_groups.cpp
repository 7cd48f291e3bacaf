// SPDX-License-Identifier: Apache-2.0
#include "io/ends/tile_groups.hpp"

#include <utility>

#include "io/plan/boxes.hpp"

namespace tenstride::io {
namespace {

/// `dst`: the layout that the group's box is a part of; elements of `item` bytes from byte `begin` of the
/// file on.
GroupPlace place_group(const Box& group, const Layout& dst, Index item, std::uint64_t begin, Index page) {
  GroupPlace place;
  place.buffer = tenstride::detail::group_buffer(group.extents, dst.strides, item, page);
  place.file_begin =
      begin + static_cast<std::uint64_t>(tenstride::detail::position_of(group.first, dst) * item);
  place.buffer_begin = static_cast<std::size_t>(place.file_begin % static_cast<std::uint64_t>(page));
  return place;
}

}  // namespace

std::vector<TileGroup> groups_of_tile(const FlatPass& pass, const Box& tile, Index item) {
  const TilePlan& plan = pass.plan;
  std::vector<TileGroup> groups;
  // Blocks lie in the order of the destination.
  const Dims& src_strides = pass.reads_blocks() ? plan.problem.dst.strides : plan.problem.src.strides;
  // `origin`: the index that lies first in `layout`.
  const auto add = [&](const Box& box, const Dims& origin, const Layout& layout, std::uint64_t begin) {
    const Box inside{relative_to(origin, box.first), box.extents};
    for (Box& group : tenstride::detail::cut_into_groups(inside, layout.strides, src_strides, item, plan.page,
                                                         pass.pass().group_bytes)) {
      const GroupPlace place = place_group(group, layout, item, begin, plan.page);
      for (std::size_t d = 0; d < origin.size(); ++d) group.first[d] += origin[d];
      groups.push_back({std::move(group), place, layout.strides, false});
    }
  };
  if (pass.writes_blocks()) {
    for (const Box& block : tenstride::detail::blocks_of(plan, tile)) {
      add(block, block.first, row_major(block.extents),
          pass.blocks_begin + static_cast<std::uint64_t>(block_offset(plan, block.first)));
      groups.back().ends_slot = true;
    }
  } else {
    add(tile, Dims::filled(tile.first.size(), 0), plan.problem.dst,
        static_cast<std::uint64_t>(plan.problem.dst_begin));
  }
  return groups;
}

std::vector<Piece> pieces_of(const GroupPlace& place, Index item, std::byte* buffer) {
  std::vector<Piece> pieces;
  pieces.reserve(static_cast<std::size_t>(place.buffer.runs.count()));
  for_each_run(place.buffer.runs, place.buffer.pitch, [&](Index file, Index in_buffer) {
    pieces.push_back({place.file_begin + static_cast<std::uint64_t>(file * item),
                      static_cast<std::size_t>(place.buffer.runs.span * item),
                      buffer + place.buffer_begin + in_buffer * item});
  });
  return pieces;
}

Tensor group_tensor(const TileGroup& group, DType dtype, std::byte* buffer) {
  const tenstride::detail::TileBuffer& held = group.place.buffer;
  const Layout layout = box_in_buffer(group.box.extents, group.strides, held.runs, held.pitch);
  return tensor_on_memory(buffer + group.place.buffer_begin, layout, dtype);
}

}  // namespace tenstride::io
