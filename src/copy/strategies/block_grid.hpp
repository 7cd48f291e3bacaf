// SPDX-License-Identifier: Apache-2.0
// The grid of blocks that a pipelined copy is cut into.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <span>

#include "copy/cursor.hpp"
#include "plan/nest.hpp"
#include "tenstride/plan/copy_strategy.hpp"

namespace tenstride::copy {

using BlockExtents = std::array<Index, detail::max_loops>;

/// A block of the grid: where it begins on both sides, and its extents.
struct GridBlock {
  std::byte* dst = nullptr;
  const std::byte* src = nullptr;
  BlockExtents extent{};
  /// The loops along which the block is shorter than others, as at the end of an axis.
  LoopSet shorter = 0;
  /// Whether the block does not continue the destination runs of a block before it, and no block behind it
  /// continues its own.
  bool begins = true;
  bool ends = true;
};

/// The loops over the blocks. Blocks that continue each other's destination runs follow each other; the other
/// loops are in the order of the source.
class BlockGrid {
 public:
  BlockGrid(const PipelinedBlocks& strategy, const detail::Nest& nest) : strategy_(strategy), nest_(nest) {
    for (std::size_t d = 0; d < nest.count; ++d) {
      if (strategy.extents[d] < nest[d].extent && d != strategy.continued_loop) cut_[count_++] = d;
    }
    const auto distance = [&](std::size_t d) { return std::abs(nest[d].src_stride) * strategy.extents[d]; };
    std::sort(cut_.data(), cut_.data() + count_,
              [&](std::size_t a, std::size_t b) { return distance(a) > distance(b); });
    if (strategy.continued_loop < nest.count) cut_[count_++] = strategy.continued_loop;
    for (std::size_t i = 0; i < count_; ++i) {
      const auto [extent, dst_stride, src_stride] = nest[cut_[i]];
      const Index part = strategy.extents[cut_[i]];
      loops_[i] = {ceil_divide(extent, part), part * dst_stride, part * src_stride};
    }
  }

  /// A cursor at the first block of a copy between these addresses.
  [[nodiscard]] Cursor blocks(std::byte* dst, const std::byte* src) const {
    return {std::span(loops_).first(count_), dst, src};
  }
  /// The number of successive blocks that continue each other's runs.
  [[nodiscard]] Index group() const {
    return strategy_.continued_loop < nest_.count ? loops_[count_ - 1].extent : Index{1};
  }

  /// The block at a position of `blocks`.
  [[nodiscard]] GridBlock block(const Cursor& at) const {
    GridBlock block;
    block.dst = at.dst();
    block.src = at.src();
    block.extent = strategy_.extents;
    for (std::size_t i = 0; i < count_; ++i) {
      const std::size_t d = cut_[i];
      const Index index = at.index(i);
      block.extent[d] = std::min(strategy_.extents[d], nest_[d].extent - index * strategy_.extents[d]);
      if (block.extent[d] < strategy_.extents[d])
        block.shorter = static_cast<LoopSet>(block.shorter | 1U << d);
      if (d == strategy_.continued_loop) {
        block.begins = index == 0;
        block.ends = index + 1 == loops_[i].extent;
      }
    }
    return block;
  }

 private:
  const PipelinedBlocks& strategy_;
  const detail::Nest& nest_;
  std::size_t count_ = 0;
  /// The loop of the nest that each loop over blocks cuts.
  std::array<std::size_t, detail::max_loops> cut_{};
  std::array<Loop, detail::max_loops> loops_;
};

}  // namespace tenstride::copy
