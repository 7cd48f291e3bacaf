// SPDX-License-Identifier: Apache-2.0
#include "copy/cached.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "copy/cursor.hpp"
#include "copy/kernels/kernels.hpp"
#include "plan/strategies/cached_shapes.hpp"

namespace tenstride::copy {
namespace {

using detail::CachedChannels;
using detail::CachedPixels;
using detail::CachedTile;
using detail::CachedWay;
using detail::Inner;
using detail::Places;

template <std::size_t item>
void gather_items(std::byte* dst, const std::byte* src, const std::ptrdiff_t* offset, Index count) {
#pragma GCC unroll 8
  for (Index i = 0; i < count; ++i) std::memcpy(dst + i * static_cast<Index>(item), src + offset[i], item);
}

using GatherItems = void (*)(std::byte*, const std::byte*, const std::ptrdiff_t*, Index);
constexpr std::array<GatherItems, 5> gathers{gather_items<1>, gather_items<2>, gather_items<4>,
                                             gather_items<8>, gather_items<16>};

/// The first `count` loops but for one.
Loops around(const Inner& in, std::size_t count, std::size_t taken) {
  Loops outer;
  for (std::size_t d = 0; d < count; ++d) {
    if (d != taken) outer.add(in[d]);
  }
  return outer;
}

IndexedKernels::Rows rows_kernel(std::size_t bytes) {
  if (bytes % 64 == 0) return kernels().indexed->line_rows;
  return bytes >= 32 && bytes < 64 ? kernels().indexed->overlapping_rows : kernels().copy_rows;
}

/// Dense runs on both sides.
void copy_rows(const Inner& in, std::byte* dst, const std::byte* src) {
  const auto bytes = static_cast<std::size_t>(in[in.last()].extent * in.item);
  if (in.last() == 0) {
    std::memcpy(dst, src, bytes);
    return;
  }
  const std::size_t next = in.last() - 1;
  const auto rows = static_cast<std::size_t>(in[next].extent);
  const Index dst_pitch = in[next].dst_stride;
  const Index src_pitch = in[next].src_stride;
  const auto copy = rows_kernel(bytes);
  walk_positions(in.loops.first(next), dst, src, [=](std::byte* to, const std::byte* from) {
    copy(to, dst_pitch, from, src_pitch, rows, bytes);
  });
}

void transpose(const CachedTile& tile, std::byte* dst, const std::byte* src) {
  const Loops outer = tile.outer();
  const detail::Side& rows = tile.rows();
  const detail::Side& columns = tile.columns();
  if (rows.is_pitched() && columns.is_pitched()) {
    const auto kernel = kernels().indexed->transpose_pitched[tile.in().log2()];
    walk_positions(outer.all(), dst, src, [&](std::byte* to, const std::byte* from) {
      kernel(to, columns.stride(), from, rows.stride(), static_cast<std::size_t>(rows.extent()),
             static_cast<std::size_t>(columns.extent()));
    });
    return;
  }
  const Places row_places = rows.places();
  const Places column_places = columns.places();
  const IndexedTile indexed{row_places.offset.data(), static_cast<std::size_t>(row_places.count),
                            column_places.offset.data(), static_cast<std::size_t>(column_places.count)};
  const auto kernel = kernels().indexed->transpose[tile.in().log2()];
  columns.each([&](detail::Side::Part column) {
    rows.each([&](detail::Side::Part row) {
      walk_positions(outer.all(), dst + column.other + row.dense, src + row.other + column.dense,
                     [&](std::byte* to, const std::byte* from) { kernel(to, from, indexed); });
    });
  });
}

void transpose(const CachedChannels& channels, std::byte* dst, const std::byte* src) {
  const Inner& in = channels.in();
  const Loops outer = around(in, in.last(), channels.dense());
  const auto rows = static_cast<std::size_t>(channels.rows());
  const auto columns = static_cast<std::size_t>(channels.columns());
  if (channels.are_apart()) {
    const auto kernel = kernels().deinterleave[in.log2()];
    const auto pitch = static_cast<std::size_t>(in[channels.dense()].dst_stride);
    walk_positions(outer.all(), dst, src, [=](std::byte* to, const std::byte* from) {
      kernel(to, pitch, from, columns, rows, nullptr);
    });
  } else {
    const auto kernel = kernels().interleave[in.log2()];
    const Index pitch = in[in.last()].src_stride;
    walk_positions(outer.all(), dst, src,
                   [=](std::byte* to, const std::byte* from) { kernel(to, from, pitch, rows, columns); });
  }
}

void transpose(const CachedPixels& pixels, std::byte* dst, const std::byte* src) {
  const Inner& in = pixels.in();
  const std::size_t dense = pixels.dense();
  const Loops outer = around(in, in.last() - 1, dense);
  const auto kernel = kernels().indexed->transpose_short;
  const Index src_pitch = in[in.last() - 1].src_stride;
  const auto rows = static_cast<std::size_t>(in[in.last() - 1].extent);
  const Index columns = in[dense].extent;
  Index dst_pitch = in[dense].dst_stride;
  if (in[dense].src_stride < 0) {
    dst += (columns - 1) * dst_pitch;
    src -= (columns - 1) * pixels.bytes();
    dst_pitch = -dst_pitch;
  }
  walk_positions(outer.all(), dst, src, [&](std::byte* to, const std::byte* from) {
    kernel(to, dst_pitch, from, src_pitch, rows, static_cast<std::size_t>(columns),
           static_cast<std::size_t>(pixels.bytes()));
  });
}

/// Items of a dense run of the destination, each from its place.
void gather(const Inner& in, std::byte* dst, const std::byte* src) {
  Places places;
  std::size_t d = in.count;
  for (; d > 0 && in[d - 1].dst_stride == places.count * in.item; --d) {
    if (!places.has_room(in[d - 1].extent)) break;
    places.repeat(in[d - 1].extent, in[d - 1].src_stride);
  }
  const auto kernel = gathers[in.log2()];
  // Of a loop that goes on, but does not fit, a part; the last one begins within the one before it.
  Index extent = 1;
  Index part = 1;
  if (d > 0 && in[d - 1].dst_stride == places.count * in.item && places.has_room(2)) {
    --d;
    extent = in[d].extent;
    part = detail::max_places / places.count;
    places.repeat(part, in[d].src_stride);
  }
  walk_positions(in.loops.first(d), dst, src, [&](std::byte* to, const std::byte* from) {
    for (Index first = 0; first < extent; first += part) {
      first = std::min(first, extent - part);
      kernel(to + first * in[d].dst_stride, from + first * in[d].src_stride, places.offset.data(),
             places.count);
    }
  });
}

}  // namespace

bool copy_cached(const Loops& loops, std::size_t item, std::byte* dst, const std::byte* src) {
  Inner in{loops, loops.count, static_cast<Index>(item)};
  if (const CachedPixels pixels(in); pixels.is_transposed()) {
    transpose(pixels, dst, src);
    return true;
  }
  CachedWay way = detail::inner_of(in);
  if (way == CachedWay::transposed)
    way = detail::way_of(in, [=](const auto& shape) { transpose(shape, dst, src); });
  if (way == CachedWay::in_rows) copy_rows(in, dst, src);
  if (way == CachedWay::gathered) gather(in, dst, src);
  return way != CachedWay::by_plan;
}

}  // namespace tenstride::copy
