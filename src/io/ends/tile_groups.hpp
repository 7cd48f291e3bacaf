// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "io/ends/tile_writer.hpp"
#include "io/plan/flat_pass.hpp"
#include "tenstride/tensor/tensor.hpp"

namespace tenstride::io {

/// Where a group's runs lie in its buffer and in the file.
struct GroupPlace {
  tenstride::detail::TileBuffer buffer;
  /// The byte of the file where the group's lowest element stands.
  std::uint64_t file_begin = 0;
  std::size_t buffer_begin = 0;
};

/// A part of a tile that is written at once, and where it goes.
struct TileGroup {
  Box box;
  GroupPlace place;
  /// The strides of the box, in elements of the file.
  Dims strides;
  /// Whether nothing but padding follows in the last page: the group ends a block.
  bool ends_slot = false;
};

/// What a group takes of a buffer: whole pages.
inline Index buffer_nbytes(const TileGroup& group, Index page) {
  return (group.place.buffer.nbytes + page - 1) / page * page;
}

/// The groups of a tile as the pass writes them, elements of `item` bytes.
std::vector<TileGroup> groups_of_tile(const FlatPass& pass, const Box& tile, Index item);

/// The pieces of a group, in the order of the file.
std::vector<Piece> pieces_of(const GroupPlace& place, Index item, std::byte* buffer);

/// The elements of a group as they lie in the buffer.
Tensor group_tensor(const TileGroup& group, DType dtype, std::byte* buffer);

}  // namespace tenstride::io
