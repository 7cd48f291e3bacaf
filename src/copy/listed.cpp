// SPDX-License-Identifier: Apache-2.0
#include "copy/listed.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstdlib>
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
/// Many tiles of fewer items, too, are gathered: by a call for hundreds of items, in place of one for each
/// (n of 3 x 3 floats .1 of the time).
constexpr Index least_turned_items = 64;
constexpr Index least_gathered_items = 512;
/// Matrices of so few rows or columns, and so many bytes in them, have leaves of their own, up to so many
/// bytes of all: larger ones are for the workers of a plan.
constexpr Index most_channels = 4;
constexpr Index least_channel_bytes = 16;
constexpr Index least_channel_items = 8;
constexpr Index most_channel_bytes = Index{32} << 10;
/// Smaller ones are turned many at a time where a tile takes in more of the loops (3 x 3 of complex128: a
/// call for each took ten times as long).
constexpr Index least_of_channels = 256;
/// Sides of a tile that are shorter take a part of a loop that does not fit.
constexpr Index short_side_bytes = 32;
/// What the leaf for short items asks of a tile.
constexpr Index least_short_rows = 4;
constexpr Index least_short_bytes = 16;
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

/// The first `count` loops but for one.
Loops around(const Inner& in, std::size_t count, std::size_t taken) {
  Loops outer;
  for (std::size_t d = 0; d < count; ++d) {
    if (d != taken) outer.add(in.loops.extent[d], in.loops.dst[d], in.loops.src[d]);
  }
  return outer;
}

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

/// One side of a tile: a loop, or several that go on with each other in the memory that it is dense in. Of
/// the last one a part may be turned at a time.
class Side {
 public:
  /// Where a part begins, in the memory that the side is dense in and in the other.
  struct Part {
    Index dense;
    Index other;
  };

  Side(Index extent, Index item, Index stride) : item_(item) { take(extent, stride); }

  /// How many items are turned at a time where their places are listed.
  [[nodiscard]] Index items() const { return before_ * part_; }
  [[nodiscard]] bool is_cut() const { return part_ < extent_[last_]; }
  /// Whether the side goes on with a loop: one that fits, or one of which a short side wants a part.
  [[nodiscard]] bool takes(Index extent) const {
    return !is_cut() && (items() * extent <= most_places || items() * item_ < short_side_bytes);
  }
  void take(Index extent, Index stride) {
    before_ = items();
    last_ = count_++;
    extent_[last_] = extent;
    stride_[last_] = stride;
    part_ = ceil_divide(extent, ceil_divide(extent, most_places / before_));
  }

  /// Whether all items, `extent()` of them, lie `stride()` apart.
  [[nodiscard]] bool is_pitched() const { return count_ == 1; }
  [[nodiscard]] Index extent() const { return extent_[0]; }
  [[nodiscard]] Index stride() const { return stride_[0]; }

  [[nodiscard]] Places places() const {
    Places places;
    for (std::size_t i = 0; i < last_; ++i) places.repeat(extent_[i], stride_[i]);
    places.repeat(part_, stride_[last_]);
    return places;
  }

  /// Calls `visit` with each part. The last one begins within the one before it.
  template <class Visit>
  void each(const Visit& visit) const {
    const Index whole = extent_[last_];
    for (Index first = 0; first < whole; first += part_) {
      const Index at = std::min(first, whole - part_);
      visit(Part{at * before_ * item_, at * stride_[last_]});
    }
  }

 private:
  Index item_;
  std::array<Index, most_loops> extent_;
  std::array<Index, most_loops> stride_;
  std::size_t count_ = 0;
  /// Of the last loop as many are turned at a time; items of the loops before it.
  std::size_t last_ = 0;
  Index part_ = 1;
  Index before_ = 1;
};

/// A tile of rows that are dense in the source and columns that are dense in the destination, and the loops
/// around it.
class ListedTile {
 public:
  /// `dense` is the loop that the source is dense along.
  ListedTile(const Inner& in, std::size_t dense)
      : in_(in),
        rows_(in.loops.extent[in.last()], in.item, in.loops.src[in.last()]),
        columns_(in.loops.extent[dense], in.item, in.loops.dst[dense]) {
    taken_[in.last()] = taken_[dense] = true;
    // The shorter side takes in the loop that goes on with it.
    bool rows_grow = true;
    bool columns_grow = true;
    while (rows_grow || columns_grow) {
      const bool takes_row = rows_grow && (!columns_grow || rows_.items() <= columns_.items());
      if (takes_row) {
        rows_grow = grow(rows_, in.loops.dst, in.loops.src);
      } else {
        columns_grow = grow(columns_, in.loops.src, in.loops.dst);
      }
    }
  }

  [[nodiscard]] bool is_wide() const {
    return std::min(rows_.items(), columns_.items()) * in_.item >= least_turned_bytes;
  }
  [[nodiscard]] Index items() const { return rows_.items() * columns_.items(); }

  void turn(std::byte* dst, const std::byte* src) const {
    Loops outer;
    for (std::size_t d = 0; d < in_.last(); ++d) {
      if (!taken_[d]) outer.add(in_.loops.extent[d], in_.loops.dst[d], in_.loops.src[d]);
    }
    if (rows_.is_pitched() && columns_.is_pitched()) {
      turn_pitched(outer, dst, src);
    } else {
      turn_listed(outer, dst, src);
    }
  }

 private:
  using Strides = std::array<Index, most_loops>;

  /// Takes in the loop that goes on where `side` ends on its dense side.
  bool grow(Side& side, const Strides& dense, const Strides& other) {
    for (std::size_t d = 0; d < in_.last(); ++d) {
      if (taken_[d] || dense[d] != side.items() * in_.item || !side.takes(in_.loops.extent[d])) continue;
      side.take(in_.loops.extent[d], other[d]);
      taken_[d] = true;
      return true;
    }
    return false;
  }

  void turn_pitched(const Loops& outer, std::byte* dst, const std::byte* src) const {
    const auto leaf = kernels().listed->turn_pitched[in_.log2()];
    walk_positions(outer, outer.count, dst, src, [&](std::byte* to, const std::byte* from) {
      leaf(to, columns_.stride(), from, rows_.stride(), static_cast<std::size_t>(rows_.extent()),
           static_cast<std::size_t>(columns_.extent()));
    });
  }

  void turn_listed(const Loops& outer, std::byte* dst, const std::byte* src) const {
    const Places rows = rows_.places();
    const Places columns = columns_.places();
    const Listed tile{rows.offset.data(), static_cast<std::size_t>(rows.count), columns.offset.data(),
                      static_cast<std::size_t>(columns.count)};
    const auto leaf = kernels().listed->turn[in_.log2()];
    columns_.each([&](Side::Part column) {
      rows_.each([&](Side::Part row) {
        walk_positions(outer, outer.count, dst + column.other + row.dense, src + row.other + column.dense,
                       [&](std::byte* to, const std::byte* from) { leaf(to, from, tile); });
      });
    });
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
  // Of a loop that goes on, but does not fit, a part; the last one begins within the one before it.
  Index extent = 1;
  Index part = 1;
  if (d > 0 && in.loops.dst[d - 1] == places.count * in.item && places.has_room(2)) {
    --d;
    extent = in.loops.extent[d];
    part = most_places / places.count;
    places.repeat(part, in.loops.src[d]);
  }
  walk_positions(in.loops, d, dst, src, [&](std::byte* to, const std::byte* from) {
    for (Index first = 0; first < extent; first += part) {
      first = std::min(first, extent - part);
      leaf(to + first * in.loops.dst[d], from + first * in.loops.src[d], places.offset.data(), places.count);
    }
  });
}

/// Matrices of a few columns side by side, to be taken apart, or of a few rows, to be woven.
class Channels {
 public:
  /// `dense` is the loop that the source is dense along.
  Channels(const Inner& in, std::size_t dense)
      : in_(in), dense_(dense), rows_(in.loops.extent[in.last()]), columns_(in.loops.extent[dense]) {}

  [[nodiscard]] Index bytes() const { return rows_ * columns_ * in_.item; }
  [[nodiscard]] bool are_few() const { return are_apart() || are_woven(); }

  void turn(std::byte* dst, const std::byte* src) const {
    const Loops outer = around(in_, in_.last(), dense_);
    const auto rows = static_cast<std::size_t>(rows_);
    const auto columns = static_cast<std::size_t>(columns_);
    if (are_apart()) {
      const auto leaf = kernels().deinterleave[in_.log2()];
      const auto pitch = static_cast<std::size_t>(in_.loops.dst[dense_]);
      walk_positions(outer, outer.count, dst, src, [=](std::byte* to, const std::byte* from) {
        leaf(to, pitch, from, columns, rows, nullptr);
      });
    } else {
      const auto leaf = kernels().interleave[in_.log2()];
      const Index pitch = in_.loops.src[in_.last()];
      walk_positions(outer, outer.count, dst, src,
                     [=](std::byte* to, const std::byte* from) { leaf(to, from, pitch, rows, columns); });
    }
  }

 private:
  [[nodiscard]] bool is_shape(Index few, Index many) const {
    return few >= 2 && few <= most_channels && many * in_.item >= least_channel_bytes &&
           few * many >= least_channel_items && few * many * in_.item <= most_channel_bytes;
  }
  [[nodiscard]] bool are_apart() const {
    return is_shape(columns_, rows_) && in_.loops.src[in_.last()] == columns_ * in_.item;
  }
  [[nodiscard]] bool are_woven() const {
    return is_shape(rows_, columns_) && in_.loops.dst[dense_] == rows_ * in_.item;
  }

  const Inner& in_;
  std::size_t dense_;
  Index rows_;
  Index columns_;
};

/// A tile of items of 3, 5, 6 or 7 bytes, as the pixels of an image that is turned. Longer ones are rows.
class ShortTile {
 public:
  explicit ShortTile(const Inner& in) : in_(in) {
    if (in.count < 3 || in.loops.dst[in.last()] != in.item || in.loops.src[in.last()] != in.item) return;
    const Index bytes = in.loops.extent[in.last()] * in.item;
    const Index rows = in.loops.extent[in.last() - 1];
    if (bytes < 3 || bytes > 7 || bytes == 4 || rows < least_short_rows ||
        in.loops.dst[in.last() - 1] != bytes)
      return;
    for (std::size_t d = 0; d + 2 < in.count; ++d) {
      if (std::abs(in.loops.src[d]) != bytes || in.loops.extent[d] * bytes < least_short_bytes) continue;
      dense_ = d;
      bytes_ = bytes;
      return;
    }
  }

  [[nodiscard]] bool is_turned() const { return bytes_ != 0; }

  void turn(std::byte* dst, const std::byte* src) const {
    const Loops outer = around(in_, in_.last() - 1, dense_);
    const auto leaf = kernels().listed->turn_short;
    const Index src_pitch = in_.loops.src[in_.last() - 1];
    const auto rows = static_cast<std::size_t>(in_.loops.extent[in_.last() - 1]);
    const Index columns = in_.loops.extent[dense_];
    Index dst_pitch = in_.loops.dst[dense_];
    if (in_.loops.src[dense_] < 0) {
      dst += (columns - 1) * dst_pitch;
      src -= (columns - 1) * bytes_;
      dst_pitch = -dst_pitch;
    }
    walk_positions(outer, outer.count, dst, src, [&](std::byte* to, const std::byte* from) {
      leaf(to, dst_pitch, from, src_pitch, rows, static_cast<std::size_t>(columns),
           static_cast<std::size_t>(bytes_));
    });
  }

 private:
  const Inner& in_;
  /// The loop that the source goes on with, or back, item after item.
  std::size_t dense_ = 0;
  /// Of an item; 0 where there is no such tile.
  Index bytes_ = 0;
};

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
  const Channels channels(in, dense);
  if (channels.are_few() && channels.bytes() >= least_of_channels) {
    turn(channels);
    return Way::turned;
  }
  const ListedTile tile(in, dense);
  const bool is_larger = tile.is_wide() && tile.items() * in.item > channels.bytes();
  if (channels.are_few() && !is_larger) {
    turn(channels);
    return Way::turned;
  }
  if (tile.is_wide() && !(tile.items() < least_turned_items && in.loops.items() >= least_gathered_items)) {
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
  if (const ShortTile tile(in); tile.is_turned()) {
    tile.turn(dst, src);
    return true;
  }
  Way way = inner_of(in);
  if (way == Way::turned) way = way_of(in, [=](const auto& tile) { tile.turn(dst, src); });
  if (way == Way::in_rows) copy_rows(in, dst, src);
  if (way == Way::gathered) gather(in, dst, src);
  return way != Way::by_plan;
}

bool is_listed(const Loops& loops, std::size_t item) {
  Inner in{loops, loops.count, static_cast<Index>(item)};
  const Way way = inner_of(in);
  return way != Way::by_plan && (way != Way::turned || way_of(in, [](const auto&) {}) != Way::by_plan);
}

}  // namespace tenstride::copy
