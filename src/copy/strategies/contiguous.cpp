// SPDX-License-Identifier: Apache-2.0
#include "copy/strategies/contiguous.hpp"

#include <algorithm>
#include <cstring>

#include "copy/sink.hpp"
#include "tenstride/parallel.hpp"

namespace tenstride::copy {
namespace {

/// What fits a cache is left to the C library, which may write lines without reading them first (`rep
/// movsb`): .8 to .9 of the time where both sides just fill the L2 cache.
constexpr std::size_t cached_bytes = std::size_t{2} << 20;

/// A part of the run: its whole lines past the cache where the plan says so.
void copy_part(const Walk& walk, Index from, Index to) {
  const auto bytes = static_cast<std::size_t>(to - from);
  if (walk.plan.streaming) {
    Sink(walk.plan, walk.kernels).write(walk.dst + from, walk.src + from, bytes);
  } else if (bytes <= cached_bytes) {
    std::memcpy(walk.dst + from, walk.src + from, bytes);
  } else {
    walk.kernels.copy_rows(walk.dst + from, 0, walk.src + from, 0, 1, bytes);
  }
}

}  // namespace

void run(const Contiguous& /*strategy*/, const Walk& walk) {
  constexpr Index piece = Index{1} << 17;
  const Index bytes = walk.plan.count * static_cast<Index>(item_size(walk.plan.dst_type));
  if (walk.plan.threads == 1 || bytes <= piece) {
    copy_part(walk, 0, bytes);
    return;
  }
  const auto shift = static_cast<Index>(reinterpret_cast<std::uintptr_t>(walk.dst) & 63U);
  parallel_for(
      0, ceil_divide(bytes + shift, piece), 1,
      [&](Index first, Index last) {
        const Index from = std::max<Index>(first * piece - shift, 0);
        const Index to = std::min(last * piece - shift, bytes);
        copy_part(walk, from, to);
      },
      walk.plan.threads);
}

}  // namespace tenstride::copy
