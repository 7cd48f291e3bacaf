// SPDX-License-Identifier: Apache-2.0
// Tables of the offsets of a block's items, shared by all blocks of the same extents.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "copy/kernels/pack.hpp"
#include "copy/ways/block_grid.hpp"

namespace tenstride::copy {

/// The offsets of a block's items in the source and in the buffer, and of its runs in the destination.
struct BlockTables {
  PackTable pack;
  /// The offset of each run in the destination, in bytes.
  std::vector<Index> runs;
  /// The offset of the block's lowest address in the source from its first item, in bytes: 0, or negative.
  Index lowest = 0;
  /// The number of items of a run.
  std::size_t run_items = 1;
};

/// The rows of the buffer: their distance, and how much behind the longest of them a kernel may overwrite, in
/// bytes.
struct BufferRows {
  std::size_t pitch = 0;
  std::size_t room = 0;
};

/// Makes the tables of blocks of these extents.
std::unique_ptr<BlockTables> make_block_tables(const Blocks& way, const Nest& nest,
                                               const BlockExtents& extent, const BufferRows& buffer,
                                               const PackKernels& kernels);

}  // namespace tenstride::copy
