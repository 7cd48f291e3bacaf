// SPDX-License-Identifier: Apache-2.0
// The blocks of a pipelined copy, one after the other.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>

#include "plan/nest.hpp"
#include "tenstride/copy_strategy.hpp"
#include "tenstride/parallel.hpp"

namespace tenstride::copy {

using BlockExtents = std::array<Index, detail::Nest::most_loops>;

/// The grid of blocks. Those that follow each other along the destination run are neighbours; otherwise what
/// is read next lies beside what was read.
class BlockGrid {
 public:
  struct Block {
    std::ptrdiff_t dst = 0;
    std::ptrdiff_t src = 0;
    BlockExtents extent{};
    /// One bit for each loop along which the block is a shorter one.
    LoopSet shorter = 0;
    bool begins = true;
    bool ends = true;
  };

  BlockGrid(const PipelinedBlocks& strategy, const detail::Nest& nest) : strategy_(strategy), nest_(nest) {
    for (std::size_t d = 0; d < nest.count; ++d) {
      if (strategy.part[d] < nest[d].extent && d != strategy.along) cut_[cut_count_++] = d;
    }
    const auto step = [&](std::size_t d) { return std::abs(nest[d].src_stride) * strategy.part[d]; };
    std::sort(cut_.data(), cut_.data() + cut_count_,
              [&](std::size_t a, std::size_t b) { return step(a) > step(b); });
    if (strategy.along < nest.count) cut_[cut_count_++] = strategy.along;
  }

  [[nodiscard]] Index count() const {
    Index count = 1;
    for (std::size_t i = 0; i < cut_count_; ++i) count *= parts(cut_[i]);
    return count;
  }
  /// Blocks that hand lines on to each other.
  [[nodiscard]] Index together() const {
    return strategy_.along < nest_.count ? parts(strategy_.along) : Index{1};
  }

  [[nodiscard]] Block block(Index number) const {
    Block block;
    block.extent = strategy_.part;
    for (std::size_t i = cut_count_; i-- > 0;) {
      const std::size_t d = cut_[i];
      const Index index = number % parts(d);
      number /= parts(d);
      const Index first = index * strategy_.part[d];
      block.dst += first * nest_[d].dst_stride;
      block.src += first * nest_[d].src_stride;
      block.extent[d] = std::min(strategy_.part[d], nest_[d].extent - first);
      if (block.extent[d] < strategy_.part[d]) block.shorter = static_cast<LoopSet>(block.shorter | 1U << d);
      if (d == strategy_.along) {
        block.begins = index == 0;
        block.ends = index + 1 == parts(d);
      }
    }
    return block;
  }

 private:
  [[nodiscard]] Index parts(std::size_t d) const { return ceil_divide(nest_[d].extent, strategy_.part[d]); }

  const PipelinedBlocks& strategy_;
  const detail::Nest& nest_;
  std::array<std::size_t, detail::Nest::most_loops> cut_{};
  std::size_t cut_count_ = 0;
};

}  // namespace tenstride::copy
