// SPDX-License-Identifier: Apache-2.0
// Where the items of a block lie, listed once for all blocks of the same extents.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "copy/kernels/pack.hpp"
#include "copy/strategies/block_grid.hpp"

namespace tenstride::copy {

/// Where the items of blocks of the same extents lie, in the source, in the buffer and in the destination.
struct BlockTables {
  PackTable pack;
  std::vector<std::ptrdiff_t> runs;
  /// From the first item of a block to the lowest one, in bytes of the source.
  std::ptrdiff_t lowest = 0;
  std::size_t run_items = 1;
};

/// The tables of blocks of these extents. `pitch` is from row to row of the buffer, in bytes.
std::unique_ptr<BlockTables> make_block_tables(const PipelinedBlocks& strategy, const detail::Nest& nest,
                                               const BlockExtents& extent, std::size_t pitch,
                                               const PackKernels& kernels);

}  // namespace tenstride::copy
