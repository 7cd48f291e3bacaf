// SPDX-License-Identifier: Apache-2.0
// How a copy of many short axes is cut into blocks that fit a cache.
#pragma once

#include <array>
#include <cstddef>

#include "copy/loops.hpp"

namespace tenstride::copy {

/// A part of each loop; together they are a block.
struct BlockShape {
  std::array<Index, most_loops> part;
  /// Loops that make up what lies together in the source.
  std::array<bool, most_loops> in_src_run{};
  /// How long the parts of a block that lie together are, in bytes; in the source with small gaps.
  Index dst_run = 0;
  Index src_run = 0;
  /// What is lost where runs begin and end, as a share of a plain copy's time.
  double loss = 0;
};

/// The block of up to `most_items` that loses least. Pre: loops without strides of 0, the destination's
/// positive.
BlockShape choose_block(const Loops& loops, Index dst_item, Index src_item, Index most_items);

}  // namespace tenstride::copy
