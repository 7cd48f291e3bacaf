// SPDX-License-Identifier: Apache-2.0
// On each side of a permutation some loops follow each other in memory. Blocks take the first of them whole.
#pragma once

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

#include "plan/nest.hpp"
#include "tenstride/plan/copy_way.hpp"

namespace tenstride::detail {

/// The loops that follow each other in the memory of one side, from the item on.
struct LoopChain {
  std::array<std::uint8_t, max_loops> loops{};
  std::size_t count = 0;
  /// How many of them, from the first on, leave no gap.
  std::size_t contiguous = 0;
};

struct LoopChains {
  LoopChain dst;
  LoopChain src;
};

/// The chains of a nest. Those of the source may have short gaps, which are read along.
LoopChains chains_of(const Nest& nest);

/// A row: the first `loops` loops of both chains, which are the same loops on both sides; the bytes of their
/// items, and the span that these cover in the source with all gaps.
struct BlockRow {
  std::size_t loops = 0;
  Index bytes = 0;
  Index span = 0;
};

/// Calls `visit` with every possible row of more than an item, the shortest first.
template <class Visit>
void for_each_row(const Nest& nest, const LoopChains& chains, const Visit& visit) {
  LoopSet dst = 0;
  LoopSet src = 0;
  BlockRow row{0, nest.src_item, nest.src_item};
  for (std::size_t i = 0; i < std::min(chains.dst.count, chains.src.count); ++i) {
    const Loop& loop = nest[chains.src.loops[i]];
    dst = static_cast<LoopSet>(dst | 1U << chains.dst.loops[i]);
    src = static_cast<LoopSet>(src | 1U << chains.src.loops[i]);
    row.loops = i + 1;
    row.bytes *= loop.extent;
    row.span += std::abs(loop.src_stride) * (loop.extent - 1);
    if (dst == src) visit(std::as_const(row));
  }
}

}  // namespace tenstride::detail
