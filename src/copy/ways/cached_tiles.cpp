// SPDX-License-Identifier: Apache-2.0
#include "copy/ways/cached_tiles.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <cstring>

#include "copy/shares.hpp"
#include "copy/ways/ways.hpp"
#include "plan/ways/grids.hpp"
#include "plan/ways/tile_side.hpp"

namespace tenstride::copy {
namespace {

using detail::OffsetTable;
using detail::TileSide;

std::size_t log2_of(Index item) {
  return static_cast<std::size_t>(std::countr_zero(static_cast<std::size_t>(item)));
}

/// The outermost `count` loops without those of a tile.
Loops loops_around(const CachedTiles& way, const Loops& loops, std::size_t count) {
  Loops outer;
  for (std::size_t d = 0; d < count; ++d) {
    if (!way.is_inside(d)) outer.push_back(loops[d]);
  }
  return outer;
}

template <std::size_t item>
void copy_items(const Loops& loops, std::byte* dst, const std::byte* src) {
  const std::size_t inner = loops.size() - 1;
  const Index count = loops[inner].extent;
  const Index dst_stride = loops[inner].dst_stride;
  const Index src_stride = loops[inner].src_stride;
  if (dst_stride == static_cast<Index>(item) && src_stride == static_cast<Index>(item)) {
    for_each_position(loops.first(inner), dst, src, [count](std::byte* to, const std::byte* from) {
      std::memcpy(to, from, static_cast<std::size_t>(count) * item);
    });
  } else {
    for_each_position(loops.first(inner), dst, src, [=](std::byte* to, const std::byte* from) {
      for (Index i = 0; i < count; ++i) std::memcpy(to + i * dst_stride, from + i * src_stride, item);
    });
  }
}

template <std::size_t item>
void gather_items(std::byte* dst, const std::byte* src, const Index* offset, Index count) {
#pragma GCC unroll 8
  for (Index i = 0; i < count; ++i) std::memcpy(dst + i * static_cast<Index>(item), src + offset[i], item);
}

using GatherItems = void (*)(std::byte*, const std::byte*, const Index*, Index);
constexpr std::array<GatherItems, 5> gathers{gather_items<1>, gather_items<2>, gather_items<4>,
                                             gather_items<8>, gather_items<16>};

IndexedKernels::Rows rows_kernel(std::size_t bytes) {
  if (bytes % 64 == 0) return kernels().indexed->line_rows;
  return bytes >= 32 && bytes < 64 ? kernels().indexed->overlapping_rows : kernels().copy_rows;
}

/// Copies runs that are contiguous on both sides.
void copy_rows(const Loops& loops, Index item, std::byte* dst, const std::byte* src) {
  const auto bytes = static_cast<std::size_t>(loops.back().extent * item);
  if (loops.size() == 1) {
    std::memcpy(dst, src, bytes);
    return;
  }
  const std::size_t next = loops.size() - 2;
  const Loop& along = loops[next];
  const auto copy = rows_kernel(bytes);
  for_each_position(loops.first(next), dst, src, [&](std::byte* to, const std::byte* from) {
    copy(to, along.dst_stride, from, along.src_stride, static_cast<std::size_t>(along.extent), bytes);
  });
}

TileSide side_of(const LoopList& list, const Loops& loops, Index item, Stride other) {
  const Loop& first = loops[list.loops[0]];
  TileSide side(first.extent, item, first.*other);
  for (std::size_t i = 1; i < list.count; ++i)
    side.take(loops[list.loops[i]].extent, loops[list.loops[i]].*other);
  return side;
}

void transpose_tiles(const CachedTiles& way, const Loops& loops, Index item, std::byte* dst,
                     const std::byte* src) {
  const Loops outer = loops_around(way, loops, loops.size() - 1);
  const TileSide rows = side_of(way.rows, loops, item, &Loop::src_stride);
  const TileSide columns = side_of(way.columns, loops, item, &Loop::dst_stride);
  if (rows.is_pitched() && columns.is_pitched()) {
    const auto kernel = kernels().indexed->transpose_pitched[log2_of(item)];
    for_each_position(outer, dst, src, [&](std::byte* to, const std::byte* from) {
      kernel(to, columns.stride(), from, rows.stride(), static_cast<std::size_t>(rows.extent()),
             static_cast<std::size_t>(columns.extent()));
    });
    return;
  }
  const OffsetTable row_offsets = rows.offsets();
  const OffsetTable column_offsets = columns.offsets();
  const IndexedTile indexed{row_offsets.offset.data(), static_cast<std::size_t>(row_offsets.count),
                            column_offsets.offset.data(), static_cast<std::size_t>(column_offsets.count)};
  const auto kernel = kernels().indexed->transpose[log2_of(item)];
  columns.for_each_part([&](TileSide::Part column) {
    rows.for_each_part([&](TileSide::Part row) {
      for_each_position(outer, dst + column.other + row.contiguous, src + row.other + column.contiguous,
                        [&](std::byte* to, const std::byte* from) { kernel(to, from, indexed); });
    });
  });
}

void deinterleave(const CachedTiles& way, const Loops& loops, Index item, std::byte* dst,
                  const std::byte* src) {
  const Loops outer = loops_around(way, loops, loops.size() - 1);
  const Loop& dense = loops[way.dense];
  const auto kernel = kernels().deinterleave[log2_of(item)];
  for_each_position(outer, dst, src, [&](std::byte* to, const std::byte* from) {
    kernel(to, static_cast<std::size_t>(dense.dst_stride), from, static_cast<std::size_t>(dense.extent),
           static_cast<std::size_t>(loops.back().extent), nullptr);
  });
}

void interleave(const CachedTiles& way, const Loops& loops, Index item, std::byte* dst,
                const std::byte* src) {
  const Loops outer = loops_around(way, loops, loops.size() - 1);
  const Loop& rows = loops.back();
  const auto kernel = kernels().interleave[log2_of(item)];
  for_each_position(outer, dst, src, [&](std::byte* to, const std::byte* from) {
    kernel(to, from, rows.src_stride, static_cast<std::size_t>(rows.extent),
           static_cast<std::size_t>(loops[way.dense].extent));
  });
}

void transpose_pixels(const CachedTiles& way, const Loops& loops, Index item, std::byte* dst,
                      const std::byte* src) {
  const Loops outer = loops_around(way, loops, loops.size() - 2);
  const auto kernel = kernels().indexed->transpose_short;
  const Index bytes = loops.back().extent * item;
  const Loop& rows = loops[loops.size() - 2];
  const Loop& dense = loops[way.dense];
  const Index columns = dense.extent;
  Index dst_pitch = dense.dst_stride;
  if (dense.src_stride < 0) {
    dst += (columns - 1) * dst_pitch;
    src -= (columns - 1) * bytes;
    dst_pitch = -dst_pitch;
  }
  for_each_position(outer, dst, src, [&](std::byte* to, const std::byte* from) {
    kernel(to, dst_pitch, from, rows.src_stride, static_cast<std::size_t>(rows.extent),
           static_cast<std::size_t>(columns), static_cast<std::size_t>(bytes));
  });
}

/// Gathers the items of contiguous runs of the destination by a table of source offsets.
void gather(const Loops& in, Index item, std::byte* dst, const std::byte* src) {
  OffsetTable table;
  std::size_t d = in.size();
  for (; d > 0 && in[d - 1].dst_stride == table.count * item; --d) {
    if (!table.has_room(in[d - 1].extent)) break;
    table.add_loop(in[d - 1].extent, in[d - 1].src_stride);
  }
  const auto kernel = gathers[log2_of(item)];
  // A loop that continues the run but does not fit the table is done in parts, the last of which overlaps the
  // one before it.
  Index extent = 1;
  Index part = 1;
  if (d > 0 && in[d - 1].dst_stride == table.count * item && table.has_room(2)) {
    --d;
    extent = in[d].extent;
    part = detail::max_offsets / table.count;
    table.add_loop(part, in[d].src_stride);
  }
  for_each_position(in.first(d), dst, src, [&](std::byte* to, const std::byte* from) {
    for (Index first = 0; first < extent; first += part) {
      first = std::min(first, extent - part);
      kernel(to + first * in[d].dst_stride, from + first * in[d].src_stride, table.offset.data(),
             table.count);
    }
  });
}

}  // namespace

void copy_items(const Loops& loops, Index item, std::byte* dst, const std::byte* src) {
  switch (item) {
    case 1:
      return copy_items<1>(loops, dst, src);
    case 2:
      return copy_items<2>(loops, dst, src);
    case 4:
      return copy_items<4>(loops, dst, src);
    case 8:
      return copy_items<8>(loops, dst, src);
    default:
      return copy_items<16>(loops, dst, src);
  }
}

void copy_cached(const CachedTiles& way, const Loops& loops, Index item, std::byte* dst,
                 const std::byte* src) {
  switch (way.method) {
    case CacheMethod::items:
      return copy_items(loops, item, dst, src);
    case CacheMethod::rows:
      return copy_rows(loops, item, dst, src);
    case CacheMethod::gathered:
      return gather(loops, item, dst, src);
    case CacheMethod::tiles:
      return transpose_tiles(way, loops, item, dst, src);
    case CacheMethod::interleaved:
      return interleave(way, loops, item, dst, src);
    case CacheMethod::deinterleaved:
      return deinterleave(way, loops, item, dst, src);
    case CacheMethod::pixels:
      return transpose_pixels(way, loops, item, dst, src);
  }
}

void run(const CachedTiles& way, const Bound& bound) {
  const detail::Grid grid = detail::grid_of(way, bound.nest, bound.threads);
  share_out(grid, bound.threads, [&](Index unit, Index end) {
    Cursor at(grid.loops(), bound.dst, bound.src);
    at.seek(unit);
    while (unit < end) {
      // Units along one loop are one part of it.
      const Index count = at.size() == 1 ? end - unit : 1;
      Loops loops = bound.nest.loops;
      for (std::size_t i = 0; i < at.size(); ++i) {
        const std::size_t number = grid.outermost() + i;
        const Index first = at.index(i);
        loops[grid.of(number)].extent = grid.last(number, first + count - 1) - grid.first(number, first);
      }
      copy_cached(way, loops, bound.nest.dst_item, at.dst(), at.src());
      at.skip(count);
      unit += count;
    }
  });
}

}  // namespace tenstride::copy
