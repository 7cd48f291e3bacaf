// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>

#include "plan/ways/tile_shape.hpp"

namespace tenstride::detail {
namespace {

/// Moves a loop inwards, from index `from` to index `to`; `source_loop` and `scaled_loop` keep naming the
/// same loops.
void move_loop(Tiles& tiles, std::size_t from, std::size_t to) {
  const auto follow = [&](std::size_t& loop) {
    if (loop == from) {
      loop = to;
    } else if (loop > from && loop <= to) {
      --loop;
    }
  };
  Loop* loops = tiles.nest.loops.data();
  std::rotate(loops + from, loops + from + 1, loops + to + 1);
  follow(tiles.source_loop);
  follow(tiles.nest.scaled_loop);
}

}  // namespace

void order_loops(Tiles& tiles) {
  const Loops& loops = tiles.nest.loops;
  bool by_source = true;
  for (std::size_t end = tiles.strip_loop; end > 0; --end) {
    std::size_t next = end - 1;
    const auto stride = [&](std::size_t d) {
      return by_source ? std::abs(loops[d].src_stride) : std::abs(loops[d].dst_stride);
    };
    for (std::size_t d = end - 1; d-- > 0;) {
      if (stride(d) < stride(next)) next = d;
    }
    if (end == tiles.strip_loop) next = tiles.source_loop;
    by_source = !by_source || next == tiles.source_loop;
    move_loop(tiles, next, end - 1);
  }
  const Index run_stride = std::abs(loops.back().src_stride);
  std::size_t d = 0;
  while (d < tiles.source_loop && std::abs(loops[d].src_stride) > run_stride) ++d;
  tiles.strip_depth = d;
}

}  // namespace tenstride::detail
