// SPDX-License-Identifier: Apache-2.0
#include "plan/ways/grids.hpp"

#include <algorithm>
#include <cstdlib>

#include "base/cache_line.hpp"

namespace tenstride::detail {
namespace {

/// Bytes of a unit of one run.
constexpr Index run_unit_bytes = 4096;

/// The most shares of each thread where a share begins with more than an empty cache. Tiles begin with
/// nothing prefetched and a new worker: 64 → 16 shares in all, .52 and .63 → .66 and .70 of a plain copy
/// (images deinterleaved with scale, two threads); blocks make tables. Panels whose strips share partial
/// lines begin and end with ordinary stores in each column: two → one share, .70 → .75 of a plain copy
/// (float32 4097 x 4099, two threads), .73 → .77 (float16 5003 x 5009).
constexpr Index shares_of_tiles = 8;
constexpr Index shares_with_tables = 8;
constexpr Index shares_with_partial_lines = 1;
/// The shares of a thread in a copy within the caches, which is short.
constexpr Index cached_shares = 4;

/// The fewest bytes and items of a side of a cached tile that is cut: kernels take at least 8 bytes.
constexpr Index min_side_bytes = 64;
constexpr Index min_side = 4;
constexpr Index max_min_side = 16;

/// A loop, and into how many parts it may be cut: only where the loop before it has parts of one iteration,
/// if it `continues` that.
struct CutLoop {
  std::size_t loop = no_loop;
  Index max_parts = 1;
  bool continues = false;
};

/// The loops of a copy within the caches that may be cut: those around rows or tiles, the longest first, then
/// a row, or the loops of each side of a tile, the outermost first.
class CutLoops {
 public:
  CutLoops(const CachedTiles& way, const Nest& nest)
      : loops_(nest.loops), min_side_(std::clamp(min_side_bytes / nest.dst_item, min_side, max_min_side)) {
    const std::size_t inner = loops_.size() - (way.method == CacheMethod::pixels ? 2 : 1);
    for (std::size_t d = 0; d < inner; ++d) {
      if (!way.is_inside(d)) all_[count_++] = {d, loops_[d].extent};
    }
    std::sort(all_.data(), all_.data() + count_,
              [](const CutLoop& a, const CutLoop& b) { return a.max_parts > b.max_parts; });
    if (way.method == CacheMethod::tiles) {
      add_side(way.rows);
      add_side(way.columns);
    } else if (way.method == CacheMethod::pixels) {
      add(way.dense, min_side_);
      add(loops_.size() - 2, min_side_);
    } else {
      add(way.method == CacheMethod::interleaved ? way.dense : loops_.size() - 1, min_side_);
    }
  }

  [[nodiscard]] std::span<const CutLoop> all() const { return {all_.data(), count_}; }

 private:
  void add(std::size_t loop, Index min_part) {
    all_[count_++] = {loop, std::max<Index>(loops_[loop].extent / min_part, 1)};
  }
  void add_side(const LoopList& side) {
    Index inner = 1;
    for (std::size_t i = 0; i < side.count; ++i) inner *= loops_[side.loops[i]].extent;
    for (std::size_t i = side.count; i-- > 0;) {
      inner /= loops_[side.loops[i]].extent;
      const Index min_part = ceil_divide(min_side_, inner);
      add(side.loops[i], min_part);
      all_[count_ - 1].continues = i + 1U < side.count;
      if (min_part > 1) break;
    }
  }

  const Loops& loops_;
  Index min_side_;
  std::array<CutLoop, Loops::inline_capacity> all_{};
  std::size_t count_ = 0;
};

/// The iterations of a part where `extent` is cut into at most `parts`, the last of which is not shorter than
/// where there are `max_parts`.
Index part_of(Index extent, Index parts, Index max_parts) {
  for (; parts > 1; --parts) {
    const Index part = ceil_divide(extent, parts);
    if (extent - (ceil_divide(extent, part) - 1) * part >= extent / max_parts) return part;
  }
  return extent;
}

}  // namespace

Grid grid_of(const Contiguous& /*way*/, const Nest& nest, Index dst_in_line) {
  Grid grid;
  const Index unit = run_unit_bytes / nest.dst_item;
  grid.add_around(0, {nest.inner().extent, 0, 0}, unit, dst_in_line / nest.dst_item);
  return grid;
}

Grid grid_of(const RowByRow& way, const Nest& nest, Index dst_in_line) {
  Grid grid;
  const Loop& inner = nest.inner();
  if (way.piece != 0) {
    const bool is_contiguous = inner.dst_stride == nest.dst_item;
    grid.add_around(nest.size() - 1, {inner.extent, 0, 0}, way.piece,
                    is_contiguous ? dst_in_line / nest.dst_item : 0);
  }
  grid.add_outer(nest.loops, nest.size() - (way.times > 1 ? 2 : 1));
  return grid;
}

Grid grid_of(const RepeatedRows& way, const Nest& nest) {
  Grid grid;
  grid.shares_per_thread = shares_with_tables;
  grid.keeps_innermost = true;
  grid.add_outer(nest.loops, way.loop + 1);
  grid.add_around(way.loop + 1, {nest[way.loop + 1].extent, 0, 0}, way.part);
  return grid;
}

Grid grid_of(const RowScatter& way) {
  Grid grid;
  const std::size_t neighbour = way.neighbour_loop;
  grid.add_around(neighbour, way.nest[neighbour], way.neighbour_part);
  grid.add_around(neighbour + 1, way.nest[neighbour + 1], way.inner_part);
  grid.add_outer(way.nest.loops, neighbour);
  return grid;
}

TileGrid grid_of(const Tiles& way) {
  TileGrid grid;
  grid.shares_per_thread = shares_of_tiles;
  const auto add_strips = [&] {
    grid.strips = grid.add_around(way.strip_loop, {way.run, 0, 0}, way.is_dense ? way.run : way.tile_dst,
                                  way.is_dense ? 0 : way.shift);
  };
  const auto add_panels = [&] {
    grid.panels = grid.add_around(way.source_loop, {way.columns, 0, 0}, way.panel);
  };
  const std::size_t run_loop = way.source_loop + 1 - (way.has_column_table ? way.source_loops : 1);
  if (way.has_partial_lines || way.strip_depth >= way.strip_loop) add_strips();
  if (way.has_partial_lines) {
    grid.keeps_innermost = true;
    if (way.method == TileMethod::panels) grid.shares_per_thread = shares_with_partial_lines;
    add_panels();
  }
  for (std::size_t d = way.strip_loop; d-- > 0;) {
    if (d < run_loop || d > way.source_loop) {
      const std::size_t number = grid.add_around(d, way.nest[d]);
      if (way.nest.scaled_loop == d) grid.scaled = number;
    } else if (d == run_loop && !way.has_partial_lines) {
      add_panels();
    }
    if (d == way.strip_depth && !way.has_partial_lines) add_strips();
  }
  return grid;
}

Grid grid_of(const Blocks& way) {
  Grid grid;
  grid.shares_per_thread = shares_with_tables;
  const Nest& nest = way.nest;
  if (way.continued_loop < nest.size()) {
    grid.keeps_innermost = true;
    grid.add_around(way.continued_loop, nest[way.continued_loop], way.extents[way.continued_loop]);
  }
  std::array<std::size_t, Blocks::max_loops> cut{};
  std::size_t count = 0;
  for (std::size_t d = 0; d < nest.size(); ++d) {
    if (way.extents[d] < nest[d].extent && d != way.continued_loop) cut[count++] = d;
  }
  const auto distance = [&](std::size_t d) { return std::abs(nest[d].src_stride) * way.extents[d]; };
  std::sort(cut.data(), cut.data() + count,
            [&](std::size_t a, std::size_t b) { return distance(a) > distance(b); });
  while (count-- > 0) grid.add_around(cut[count], nest[cut[count]], way.extents[cut[count]]);
  return grid;
}

Grid grid_of(const CachedTiles& way, const Nest& nest, int threads) {
  Grid grid;
  grid.shares_per_thread = cached_shares;
  if (threads == 1) return grid;
  const CutLoops loops(way, nest);
  const CutLoop& longest = loops.all().front();
  Index units = 1;
  if (longest.max_parts >= even_units * threads || loops.all().size() == 1) {
    // Shares are even to one iteration.
    grid.max_shares = longest.max_parts;
    grid.add_around(longest.loop, nest[longest.loop]);
    return grid;
  }
  Index before = 1;
  for (const CutLoop& cut : loops.all()) {
    const Index extent = nest[cut.loop].extent;
    if (cut.continues && before > 1) continue;
    const Index part =
        part_of(extent, std::min(cut.max_parts, ceil_divide(even_units * threads, units)), cut.max_parts);
    before = part;
    if (part == extent) continue;
    grid.add_around(cut.loop, nest[cut.loop], part);
    units *= ceil_divide(extent, part);
    if (units >= even_units * threads) break;
  }
  return grid;
}

Grid grid_of(const CopyPlan& plan) {
  return std::visit(
      [&]<class Way>(const Way& way) -> Grid {
        if constexpr (std::is_same_v<Way, Small>) {
          return {};
        } else if constexpr (std::is_same_v<Way, CachedTiles>) {
          return grid_of(way, plan.nest, plan.threads);
        } else if constexpr (requires { grid_of(way); }) {
          return grid_of(way);
        } else if constexpr (requires { grid_of(way, plan.nest); }) {
          return grid_of(way, plan.nest);
        } else {
          return grid_of(way, plan.nest, 0);
        }
      },
      plan.way);
}

}  // namespace tenstride::detail

namespace tenstride {

std::vector<Index> CopyPlan::share_bytes() const {
  std::vector<Index> bytes;
  if (nest.loops.empty()) return bytes;
  const Index all = nest.loops.positions() * nest.dst_item;
  const detail::Grid grid = detail::grid_of(*this);
  const detail::Shares shares = grid.shares(threads);
  const Index each = all / grid.iterations();
  Index before = 0;
  for (Index share = 1; share <= shares.count; ++share) {
    const Index end = grid.iterations_before(grid.first_unit(shares, share)) * each;
    bytes.push_back(end - before);
    before = end;
  }
  return bytes;
}

}  // namespace tenstride
