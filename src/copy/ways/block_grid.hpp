// SPDX-License-Identifier: Apache-2.0
// The grid of blocks that a copy is cut into.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <span>

#include "copy/cursor.hpp"
#include "tenstride/plan/copy_way.hpp"

namespace tenstride::copy {

using BlockExtents = std::array<Index, Blocks::max_loops>;

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
  BlockGrid(const Blocks& way, const Nest& nest) : way_(way), nest_(nest) {
    for (std::size_t d = 0; d < nest.size(); ++d) {
      if (way.extents[d] < nest[d].extent && d != way.continued_loop) cut_[count_++] = d;
    }
    const auto distance = [&](std::size_t d) { return std::abs(nest[d].src_stride) * way.extents[d]; };
    std::sort(cut_.data(), cut_.data() + count_,
              [&](std::size_t a, std::size_t b) { return distance(a) > distance(b); });
    if (way.continued_loop < nest.size()) cut_[count_++] = way.continued_loop;
    for (std::size_t i = 0; i < count_; ++i) {
      const auto& [extent, dst_stride, src_stride] = nest[cut_[i]];
      const Index part = way.extents[cut_[i]];
      loops_[i] = {ceil_divide(extent, part), part * dst_stride, part * src_stride};
    }
  }

  /// A cursor at the first block of a copy between these addresses.
  [[nodiscard]] Cursor blocks(std::byte* dst, const std::byte* src) const {
    return {std::span(loops_).first(count_), dst, src};
  }
  /// The number of successive blocks that continue each other's runs.
  [[nodiscard]] Index group() const {
    return way_.continued_loop < nest_.size() ? loops_[count_ - 1].extent : Index{1};
  }

  /// The block at a position of `blocks`.
  [[nodiscard]] GridBlock block(const Cursor& at) const {
    GridBlock block;
    block.dst = at.dst();
    block.src = at.src();
    block.extent = way_.extents;
    for (std::size_t i = 0; i < count_; ++i) {
      const std::size_t d = cut_[i];
      const Index index = at.index(i);
      block.extent[d] = std::min(way_.extents[d], nest_[d].extent - index * way_.extents[d]);
      if (block.extent[d] < way_.extents[d]) block.shorter = static_cast<LoopSet>(block.shorter | 1U << d);
      if (d == way_.continued_loop) {
        block.begins = index == 0;
        block.ends = index + 1 == loops_[i].extent;
      }
    }
    return block;
  }

 private:
  const Blocks& way_;
  const Nest& nest_;
  std::size_t count_ = 0;
  /// The loop of the nest that each loop over blocks cuts.
  std::array<std::size_t, Blocks::max_loops> cut_{};
  std::array<Loop, Blocks::max_loops> loops_;
};

}  // namespace tenstride::copy
