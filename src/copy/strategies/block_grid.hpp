// SPDX-License-Identifier: Apache-2.0
// The blocks of a pipelined copy, one after the other.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <span>

#include "copy/cursor.hpp"
#include "plan/nest.hpp"
#include "tenstride/copy_strategy.hpp"

namespace tenstride::copy {

using BlockExtents = std::array<Index, detail::max_loops>;

struct Block {
  std::byte* dst = nullptr;
  const std::byte* src = nullptr;
  BlockExtents extent{};
  /// One bit for each loop along which the block is a shorter one.
  LoopSet shorter = 0;
  /// Whether no block before it, and none behind it, shares lines of the destination with it.
  bool begins = true;
  bool ends = true;
};

/// The loops from block to block. Blocks that follow each other along the destination run are neighbours;
/// otherwise what is read next lies beside what was read.
class BlockGrid {
 public:
  BlockGrid(const PipelinedBlocks& strategy, const detail::Nest& nest) : strategy_(strategy), nest_(nest) {
    for (std::size_t d = 0; d < nest.count; ++d) {
      if (strategy.part[d] < nest[d].extent && d != strategy.along) cut_[count_++] = d;
    }
    const auto step = [&](std::size_t d) { return std::abs(nest[d].src_stride) * strategy.part[d]; };
    std::sort(cut_.data(), cut_.data() + count_,
              [&](std::size_t a, std::size_t b) { return step(a) > step(b); });
    if (strategy.along < nest.count) cut_[count_++] = strategy.along;
    for (std::size_t i = 0; i < count_; ++i) {
      const auto [extent, dst_stride, src_stride] = nest[cut_[i]];
      const Index part = strategy.part[cut_[i]];
      loops_[i] = {ceil_divide(extent, part), part * dst_stride, part * src_stride};
    }
  }

  /// At the first block of a copy between these places.
  [[nodiscard]] Cursor blocks(std::byte* dst, const std::byte* src) const {
    return {std::span(loops_).first(count_), dst, src};
  }
  /// Blocks that hand lines on to each other.
  [[nodiscard]] Index together() const {
    return strategy_.along < nest_.count ? loops_[count_ - 1].extent : Index{1};
  }

  [[nodiscard]] Block block(const Cursor& at) const {
    Block block;
    block.dst = at.dst();
    block.src = at.src();
    block.extent = strategy_.part;
    for (std::size_t i = 0; i < count_; ++i) {
      const std::size_t d = cut_[i];
      const Index index = at.index(i);
      block.extent[d] = std::min(strategy_.part[d], nest_[d].extent - index * strategy_.part[d]);
      if (block.extent[d] < strategy_.part[d]) block.shorter = static_cast<LoopSet>(block.shorter | 1U << d);
      if (d == strategy_.along) {
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
  /// Of each loop from block to block the loop of the nest.
  std::array<std::size_t, detail::max_loops> cut_{};
  std::array<Loop, detail::max_loops> loops_;
};

}  // namespace tenstride::copy
