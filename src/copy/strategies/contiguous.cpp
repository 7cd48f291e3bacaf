// SPDX-License-Identifier: Apache-2.0
#include "copy/strategies/contiguous.hpp"

#include <cstring>

#include "copy/shares.hpp"
#include "copy/sink.hpp"

namespace tenstride::copy {
namespace {

/// What fits a cache is left to the C library, which may write lines without reading them first (`rep
/// movsb`): .8 to .9 of the time where both sides just fill the L2 cache.
constexpr std::size_t cached_bytes = std::size_t{2} << 20;

/// As much is a range for a thread.
constexpr Index piece_bytes = Index{128} << 10;

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
  const Index bytes = walk.plan.count * static_cast<Index>(item_size(walk.plan.dst_type));
  const LinePieces pieces(bytes, piece_bytes, static_cast<Index>(place_in_line(walk.dst)));
  share_out(walk.plan, {pieces.count(), pieces.count()},
            [&](Index from, Index to) { copy_part(walk, pieces.first(from), pieces.last(to - 1)); });
}

}  // namespace tenstride::copy
