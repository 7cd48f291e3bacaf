// SPDX-License-Identifier: Apache-2.0
#include "copy/listed.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "copy/kernels.hpp"

namespace tenstride::copy {
namespace {

constexpr Index largest_item = 16;
/// So many places are listed at most.
constexpr Index most_places = 512;
/// A row and a column that are turned have so many bytes at least.
constexpr Index least_turned_bytes = 8;
/// Tiles of shorter rows or columns are gathered item by item, up to so many items: longer ones are woven and
/// taken apart by leaves of a plan (5 x 1000 floats 1.0 us in place of 3.5).
constexpr Index most_gathered_tile = 1024;
/// Items that are a stride apart are for the leaf of a plan, from so many in a row on.
constexpr Index least_strided_run = 64;

/// Where items lie that some loops count through, the innermost loop first.
struct Places {
  std::array<std::ptrdiff_t, most_places> offset;
  Index count = 1;

  Places() { offset[0] = 0; }

  [[nodiscard]] bool has_room(Index extent) const { return count * extent <= most_places; }

  void repeat(Index extent, Index stride) {
    const Index end = count * extent;
    std::ptrdiff_t* const to = offset.data();
    if (count == 1) {
      std::ptrdiff_t at = 0;
      for (Index i = 1; i < end; ++i) to[i] = at += stride;
    } else {
      for (Index i = count; i < end; ++i) to[i] = to[i - count] + stride;
    }
    count = end;
  }
};

template <std::size_t item>
void gather_items(std::byte* dst, const std::byte* src, const std::ptrdiff_t* offset, Index count) {
#pragma GCC unroll 8
  for (Index i = 0; i < count; ++i) std::memcpy(dst + i * static_cast<Index>(item), src + offset[i], item);
}

using GatherItems = void (*)(std::byte*, const std::byte*, const std::ptrdiff_t*, Index);
constexpr std::array<GatherItems, 5> gathers{gather_items<1>, gather_items<2>, gather_items<4>,
                                             gather_items<8>, gather_items<16>};

/// The loops [0, count) of those given: what is inside is an item.
struct Inner {
  const Loops& loops;
  std::size_t count;
  Index item;

  [[nodiscard]] std::size_t last() const { return count - 1; }
  [[nodiscard]] std::size_t log2() const {
    return static_cast<std::size_t>(std::countr_zero(static_cast<std::size_t>(item)));
  }
};

ListedKernels::Rows rows_leaf(std::size_t bytes) {
  if (bytes % 64 == 0) return kernels().listed->line_rows;
  return bytes >= 32 && bytes < 64 ? kernels().listed->overlapping_rows : kernels().copy_rows;
}

/// Dense runs on both sides.
void copy_rows(const Inner& in, std::byte* dst, const std::byte* src) {
  const auto bytes = static_cast<std::size_t>(in.loops.extent[in.last()] * in.item);
  if (in.last() == 0) {
    std::memcpy(dst, src, bytes);
    return;
  }
  const std::size_t next = in.last() - 1;
  const auto rows = static_cast<std::size_t>(in.loops.extent[next]);
  const Index dst_pitch = in.loops.dst[next];
  const Index src_pitch = in.loops.src[next];
  const auto copy = rows_leaf(bytes);
  walk_positions(in.loops, next, dst, src, [=](std::byte* to, const std::byte* from) {
    copy(to, dst_pitch, from, src_pitch, rows, bytes);
  });
}

/// One side of a tile: a loop, or several that go on with each other in the memory that it is dense in.
struct Side {
  Places places;
  /// Of the loop that it began with. A long one is cut into parts, each of as many items as are listed.
  Index extent;
  Index stride;
  Index part;

  Side(Index extent_, Index stride_)
      : extent(extent_), stride(stride_), part(ceil_divide(extent, ceil_divide(extent, most_places))) {
    places.repeat(part, stride);
  }
  [[nodiscard]] bool is_long() const { return part < extent; }

  /// Calls `visit` with the first item of each part. The last one begins within the one before it.
  template <class Visit>
  void each(const Visit& visit) const {
    for (Index first = 0; first + part < extent; first += part) visit(first);
    visit(extent - part);
  }
};

/// A tile of rows that are dense in the source and columns that are dense in the destination, and the loops
/// around it.
class ListedTile {
 public:
  /// `dense` is the loop that the source is dense along.
  ListedTile(const Inner& in, std::size_t dense)
      : in_(in),
        rows_(in.loops.extent[in.last()], in.loops.src[in.last()]),
        columns_(in.loops.extent[dense], in.loops.dst[dense]) {
    taken_[in.last()] = taken_[dense] = true;
    // The shorter side takes in the loop that goes on with it.
    bool rows_grow = !rows_.is_long();
    bool columns_grow = !columns_.is_long();
    while (rows_grow || columns_grow) {
      const bool takes_row = rows_grow && (!columns_grow || rows_.places.count <= columns_.places.count);
      if (takes_row) {
        rows_grow = grow(rows_.places, in.loops.dst, in.loops.src);
      } else {
        columns_grow = grow(columns_.places, in.loops.src, in.loops.dst);
      }
    }
  }

  [[nodiscard]] bool is_wide() const {
    return std::min(rows_.places.count, columns_.places.count) * in_.item >= least_turned_bytes;
  }
  [[nodiscard]] Index items() const { return rows_.places.count * columns_.places.count; }

  void turn(std::byte* dst, const std::byte* src) const {
    Loops outer;
    for (std::size_t d = 0; d < in_.last(); ++d) {
      if (!taken_[d]) outer.add(in_.loops.extent[d], in_.loops.dst[d], in_.loops.src[d]);
    }
    const Listed tile{rows_.places.offset.data(), static_cast<std::size_t>(rows_.places.count),
                      columns_.places.offset.data(), static_cast<std::size_t>(columns_.places.count)};
    const auto leaf = kernels().listed->turn[in_.log2()];
    columns_.each([&](Index column) {
      rows_.each([&](Index row) {
        walk_positions(outer, outer.count, dst + column * columns_.stride + row * in_.item,
                       src + row * rows_.stride + column * in_.item,
                       [&](std::byte* to, const std::byte* from) { leaf(to, from, tile); });
      });
    });
  }

 private:
  using Strides = std::array<Index, most_loops>;

  /// Takes in the loop that goes on where `places` end on their dense side.
  bool grow(Places& places, const Strides& dense, const Strides& other) {
    for (std::size_t d = 0; d < in_.last(); ++d) {
      if (taken_[d] || dense[d] != places.count * in_.item || !places.has_room(in_.loops.extent[d])) continue;
      places.repeat(in_.loops.extent[d], other[d]);
      taken_[d] = true;
      return true;
    }
    return false;
  }

  const Inner& in_;
  Side rows_;
  Side columns_;
  std::array<bool, most_loops> taken_{};
};

/// Items of a dense run of the destination, each from its place.
void gather(const Inner& in, std::byte* dst, const std::byte* src) {
  Places places;
  std::size_t d = in.count;
  for (; d > 0 && in.loops.dst[d - 1] == places.count * in.item; --d) {
    if (!places.has_room(in.loops.extent[d - 1])) break;
    places.repeat(in.loops.extent[d - 1], in.loops.src[d - 1]);
  }
  const auto leaf = gathers[in.log2()];
  walk_positions(in.loops, d, dst, src, [&](std::byte* to, const std::byte* from) {
    leaf(to, from, places.offset.data(), places.count);
  });
}

/// How the items of some loops are copied.
enum class Way { by_plan, in_rows, turned, gathered };

/// Where they are turned, `turn` is called with the tile.
template <class Turn>
Way way_of(const Inner& in, const Turn& turn) {
  const Index run = in.loops.extent[in.last()];
  std::size_t dense = 0;
  while (dense < in.last() && in.loops.src[dense] != in.item) ++dense;
  if (dense == in.last()) {
    const bool is_strided = run >= least_strided_run || in.loops.src[in.last()] == 0;
    return is_strided ? Way::by_plan : Way::gathered;
  }
  const ListedTile tile(in, dense);
  if (tile.is_wide()) {
    turn(tile);
    return Way::turned;
  }
  return tile.items() > most_gathered_tile || run > most_places ? Way::by_plan : Way::gathered;
}

/// The loops around what moves as one item, with the way that goes without asking for more.
Way inner_of(Inner& in) {
  if (in.count == 0 || in.loops.dst[in.last()] != in.item) return Way::by_plan;
  if (in.loops.src[in.last()] == in.item) {
    const Index bytes = in.loops.extent[in.last()] * in.item;
    if (in.count == 1 || bytes > largest_item || !std::has_single_bit(static_cast<std::size_t>(bytes)))
      return Way::in_rows;
    in.item = bytes;
    --in.count;
    if (in.loops.dst[in.last()] != in.item) return Way::by_plan;
  }
  return Way::turned;
}

}  // namespace

bool copy_listed(const Loops& loops, std::size_t item, std::byte* dst, const std::byte* src) {
  Inner in{loops, loops.count, static_cast<Index>(item)};
  Way way = inner_of(in);
  if (way == Way::turned) way = way_of(in, [=](const ListedTile& tile) { tile.turn(dst, src); });
  if (way == Way::in_rows) copy_rows(in, dst, src);
  if (way == Way::gathered) gather(in, dst, src);
  return way != Way::by_plan;
}

bool is_listed(const Loops& loops, std::size_t item) {
  Inner in{loops, loops.count, static_cast<Index>(item)};
  const Way way = inner_of(in);
  return way != Way::by_plan && (way != Way::turned || way_of(in, [](const ListedTile&) {}) != Way::by_plan);
}

}  // namespace tenstride::copy
