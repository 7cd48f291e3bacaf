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
using detail::CachedMethod;
using detail::CachedPixels;
using detail::CachedTile;
using detail::ItemLoops;
using detail::OffsetTable;

template <std::size_t item>
void gather_items(std::byte* dst, const std::byte* src, const Index* offset, Index count) {
#pragma GCC unroll 8
  for (Index i = 0; i < count; ++i) std::memcpy(dst + i * static_cast<Index>(item), src + offset[i], item);
}

using GatherItems = void (*)(std::byte*, const std::byte*, const Index*, Index);
constexpr std::array<GatherItems, 5> gathers{gather_items<1>, gather_items<2>, gather_items<4>,
                                             gather_items<8>, gather_items<16>};

/// The outermost `count` loops without loop `excluded`.
Loops loops_around(const ItemLoops& in, std::size_t count, std::size_t excluded) {
  Loops outer;
  for (std::size_t d = 0; d < count; ++d) {
    if (d != excluded) outer.add(in[d]);
  }
  return outer;
}

IndexedKernels::Rows rows_kernel(std::size_t bytes) {
  if (bytes % 64 == 0) return kernels().indexed->line_rows;
  return bytes >= 32 && bytes < 64 ? kernels().indexed->overlapping_rows : kernels().copy_rows;
}

/// Copies runs that are contiguous on both sides.
void copy_rows(const ItemLoops& in, std::byte* dst, const std::byte* src) {
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
  for_each_position(in.loops.first(next), dst, src, [=](std::byte* to, const std::byte* from) {
    copy(to, dst_pitch, from, src_pitch, rows, bytes);
  });
}

void transpose(const CachedTile& tile, std::byte* dst, const std::byte* src) {
  const Loops outer = tile.outer();
  const detail::TileSide& rows = tile.rows();
  const detail::TileSide& columns = tile.columns();
  if (rows.is_pitched() && columns.is_pitched()) {
    const auto kernel = kernels().indexed->transpose_pitched[tile.in().log2()];
    for_each_position(outer.all(), dst, src, [&](std::byte* to, const std::byte* from) {
      kernel(to, columns.stride(), from, rows.stride(), static_cast<std::size_t>(rows.extent()),
             static_cast<std::size_t>(columns.extent()));
    });
    return;
  }
  const OffsetTable row_offsets = rows.offsets();
  const OffsetTable column_offsets = columns.offsets();
  const IndexedTile indexed{row_offsets.offset.data(), static_cast<std::size_t>(row_offsets.count),
                            column_offsets.offset.data(), static_cast<std::size_t>(column_offsets.count)};
  const auto kernel = kernels().indexed->transpose[tile.in().log2()];
  columns.for_each_part([&](detail::TileSide::Part column) {
    rows.for_each_part([&](detail::TileSide::Part row) {
      for_each_position(outer.all(), dst + column.other + row.contiguous, src + row.other + column.contiguous,
                        [&](std::byte* to, const std::byte* from) { kernel(to, from, indexed); });
    });
  });
}

void transpose(const CachedChannels& channels, std::byte* dst, const std::byte* src) {
  const ItemLoops& in = channels.in();
  const Loops outer = loops_around(in, in.last(), channels.dense());
  const auto rows = static_cast<std::size_t>(channels.rows());
  const auto columns = static_cast<std::size_t>(channels.columns());
  if (channels.is_deinterleaved()) {
    const auto kernel = kernels().deinterleave[in.log2()];
    const auto pitch = static_cast<std::size_t>(in[channels.dense()].dst_stride);
    for_each_position(outer.all(), dst, src, [=](std::byte* to, const std::byte* from) {
      kernel(to, pitch, from, columns, rows, nullptr);
    });
  } else {
    const auto kernel = kernels().interleave[in.log2()];
    const Index pitch = in[in.last()].src_stride;
    for_each_position(outer.all(), dst, src,
                      [=](std::byte* to, const std::byte* from) { kernel(to, from, pitch, rows, columns); });
  }
}

void transpose(const CachedPixels& pixels, std::byte* dst, const std::byte* src) {
  const ItemLoops& in = pixels.in();
  const std::size_t dense = pixels.dense();
  const Loops outer = loops_around(in, in.last() - 1, dense);
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
  for_each_position(outer.all(), dst, src, [&](std::byte* to, const std::byte* from) {
    kernel(to, dst_pitch, from, src_pitch, rows, static_cast<std::size_t>(columns),
           static_cast<std::size_t>(pixels.bytes()));
  });
}

/// Gathers the items of contiguous runs of the destination by a table of source offsets.
void gather(const ItemLoops& in, std::byte* dst, const std::byte* src) {
  OffsetTable table;
  std::size_t d = in.count;
  for (; d > 0 && in[d - 1].dst_stride == table.count * in.item; --d) {
    if (!table.has_room(in[d - 1].extent)) break;
    table.add_loop(in[d - 1].extent, in[d - 1].src_stride);
  }
  const auto kernel = gathers[in.log2()];
  // A loop that continues the run but does not fit the table is done in parts, the last of which overlaps the
  // one before it.
  Index extent = 1;
  Index part = 1;
  if (d > 0 && in[d - 1].dst_stride == table.count * in.item && table.has_room(2)) {
    --d;
    extent = in[d].extent;
    part = detail::max_offsets / table.count;
    table.add_loop(part, in[d].src_stride);
  }
  for_each_position(in.loops.first(d), dst, src, [&](std::byte* to, const std::byte* from) {
    for (Index first = 0; first < extent; first += part) {
      first = std::min(first, extent - part);
      kernel(to + first * in[d].dst_stride, from + first * in[d].src_stride, table.offset.data(),
             table.count);
    }
  });
}

}  // namespace

bool copy_cached(const Loops& loops, std::size_t item, std::byte* dst, const std::byte* src) {
  ItemLoops in{loops, loops.count, static_cast<Index>(item)};
  if (const CachedPixels pixels(in); pixels.is_transposed()) {
    transpose(pixels, dst, src);
    return true;
  }
  CachedMethod method = detail::strip_items(in);
  if (method == CachedMethod::transposed)
    method = detail::choose_method(in, [=](const auto& shape) { transpose(shape, dst, src); });
  if (method == CachedMethod::in_rows) copy_rows(in, dst, src);
  if (method == CachedMethod::gathered) gather(in, dst, src);
  return method != CachedMethod::by_plan;
}

}  // namespace tenstride::copy
