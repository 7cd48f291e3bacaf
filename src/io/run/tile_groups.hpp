// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "io/run/tile_copy.hpp"

namespace tenstride::io {

/// A part of a tile that is written at once, and where it goes.
struct TileGroup {
  Box box;
  GroupPlace place;
  /// Of the box, in elements of the file.
  Dims strides;
  /// Whether nothing but padding follows in the last page: the group ends a block.
  bool ends_slot = false;
};

/// What a group takes of a buffer: whole pages.
inline Index buffer_nbytes(const TileGroup& group, Index page) {
  return (group.place.buffer.nbytes + page - 1) / page * page;
}

/// The groups of a tile as the pass writes them, elements of `item` bytes. A first of
/// two passes writes blocks, which begin at `blocks_begin` of the temporary file.
std::vector<TileGroup> groups_of_tile(const BlockPlan& plan, std::size_t pass, std::uint64_t blocks_begin,
                                      const Box& tile, Index item);

/// Past the page cache only where all requests are whole pages: a plan with little memory has none.
inline DiskAccess access_of(const BlockPlan& plan, DiskAccess wanted) {
  return plan.page == 1 ? DiskAccess::buffered : wanted;
}

}  // namespace tenstride::io
