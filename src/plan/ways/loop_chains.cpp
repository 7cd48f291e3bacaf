// SPDX-License-Identifier: Apache-2.0
#include "plan/ways/loop_chains.hpp"

namespace tenstride::detail {
namespace {

/// The longest gap before a loop of a chain with `Gaps::short_ones`: two lines, or as many bytes as the loops
/// before it reach. So much is read along with them.
constexpr Index max_gap = 128;
enum class Gaps : std::uint8_t { none, short_ones };

/// The chain of one side, whose strides are `stride` and whose items have `item` bytes.
LoopChain chain_of(const Nest& nest, Index item, Gaps gaps, Stride stride) {
  LoopChain chain;
  LoopSet taken = 0;
  Index reach = item;
  for (;;) {
    std::size_t next = nest.size();
    for (std::size_t d = nest.size(); d-- > 0;) {
      const Index distance = std::abs(nest[d].*stride);
      if (has_loop(taken, d) || distance < reach) continue;
      if (next == nest.size() || distance < std::abs(nest[next].*stride)) next = d;
    }
    if (next == nest.size()) return chain;
    const Index distance = std::abs(nest[next].*stride);
    if (distance > reach && (gaps == Gaps::none || distance > reach + std::max(reach, max_gap))) return chain;
    if (distance == reach && chain.contiguous == chain.count) ++chain.contiguous;
    chain.loops[chain.count++] = static_cast<std::uint8_t>(next);
    taken = static_cast<LoopSet>(taken | 1U << next);
    reach = distance * (nest[next].extent - 1) + reach;
    // Without gaps the next loop has to begin exactly where this one ends.
    if (chain.contiguous == chain.count) reach = distance * nest[next].extent;
  }
}

}  // namespace

LoopChains chains_of(const Nest& nest) {
  return {chain_of(nest, nest.dst_item, Gaps::none, &Loop::dst_stride),
          chain_of(nest, nest.src_item, Gaps::short_ones, &Loop::src_stride)};
}

}  // namespace tenstride::detail
