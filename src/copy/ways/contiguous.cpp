// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "copy/shares.hpp"
#include "copy/sink.hpp"
#include "copy/ways/ways.hpp"
#include "plan/ways/grids.hpp"

namespace tenstride::copy {
namespace {

/// Pieces of at most this many bytes are copied by the C library's memcpy, which may write lines without
/// reading them first (`rep movsb`): .8 to .9 of the time where both sides just fill the L2 cache.
constexpr std::size_t cached_bytes = std::size_t{2} << 20;

}  // namespace

void run(const Contiguous& way, const Bound& bound) {
  const detail::Grid grid = detail::grid_of(way, bound.nest, static_cast<Index>(line_offset(bound.dst)));
  constexpr std::size_t run = detail::Grid::innermost;
  share_out(grid, bound.threads, [&](Index unit, Index end) {
    const Index first = grid.first(run, unit) * bound.nest.dst_item;
    const auto bytes = static_cast<std::size_t>(grid.last(run, end - 1) * bound.nest.dst_item - first);
    if (way.stores != Stores::ordinary) {
      Sink(bound.kernels, way.stores).write(bound.dst + first, bound.src + first, bytes);
    } else if (bytes <= cached_bytes) {
      std::memcpy(bound.dst + first, bound.src + first, bytes);
    } else {
      bound.kernels.copy_rows(bound.dst + first, 0, bound.src + first, 0, 1, bytes);
    }
  });
}

}  // namespace tenstride::copy
