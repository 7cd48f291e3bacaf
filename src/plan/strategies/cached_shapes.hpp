// SPDX-License-Identifier: Apache-2.0
// How copies whose both sides stay in a cache are cut: into tiles, channels, pixels or items whose places are
// listed. Here what is chosen, in src/copy/cached.cpp what is done.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstdlib>

#include "plan/loops.hpp"

namespace tenstride::detail {

inline constexpr Index largest_item = 16;
/// So many places are listed at most.
inline constexpr Index max_places = 512;
/// A row and a column that are turned have so many bytes at least.
inline constexpr Index min_transposed_bytes = 8;
/// Tiles of shorter rows or columns are gathered item by item, up to so many items: longer ones are
/// interleaved and deinterleaved by the kernels of a plan (5 x 1000 floats 3.5 -> 1.0 us).
inline constexpr Index max_gathered_tile = 1024;
/// Many tiles of fewer items, too, are gathered: by a call for hundreds of items, in place of one for each
/// (n of 3 x 3 floats .1 of the time).
inline constexpr Index min_transposed_items = 64;
inline constexpr Index min_gathered_items = 512;
/// Matrices of so few rows or columns, and so many bytes in them, have kernels of their own, up to so many
/// bytes of all: larger ones are for the workers of a plan.
inline constexpr Index max_channels = 4;
inline constexpr Index min_channel_bytes = 16;
inline constexpr Index min_channel_items = 8;
inline constexpr Index max_channel_bytes = Index{32} << 10;
/// Smaller ones are turned many at a time where a tile takes in more of the loops (3 x 3 of complex128: a
/// call for each took ten times as long).
inline constexpr Index min_of_channels = 256;
/// Sides of a tile that are shorter take a part of a loop that does not fit.
inline constexpr Index short_side_bytes = 32;
/// What the kernel for short items asks of a tile.
inline constexpr Index min_short_rows = 4;
inline constexpr Index min_short_bytes = 16;
/// Items that are a stride apart are for the kernel of a plan, from so many in a row on.
inline constexpr Index min_strided_run = 64;

/// Where items lie that some loops count through, the innermost loop first.
struct Places {
  std::array<std::ptrdiff_t, max_places> offset;
  Index count = 1;

  Places() { offset[0] = 0; }

  [[nodiscard]] bool has_room(Index extent) const { return count * extent <= max_places; }

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

/// The loops [0, count) of those given: what is inside is an item.
struct Inner {
  const Loops& loops;
  std::size_t count;
  Index item;

  [[nodiscard]] const Loop& operator[](std::size_t d) const { return loops[d]; }
  [[nodiscard]] std::size_t last() const { return count - 1; }
  [[nodiscard]] std::size_t log2() const {
    return static_cast<std::size_t>(std::countr_zero(static_cast<std::size_t>(item)));
  }
};

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
    return !is_cut() && (items() * extent <= max_places || items() * item_ < short_side_bytes);
  }
  void take(Index extent, Index stride) {
    before_ = items();
    last_ = count_++;
    extent_[last_] = extent;
    stride_[last_] = stride;
    part_ = ceil_divide(extent, ceil_divide(extent, max_places / before_));
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
  std::array<Index, max_loops> extent_;
  std::array<Index, max_loops> stride_;
  std::size_t count_ = 0;
  /// Of the last loop as many are turned at a time; items of the loops before it.
  std::size_t last_ = 0;
  Index part_ = 1;
  Index before_ = 1;
};

/// A tile of rows that are dense in the source and columns that are dense in the destination, and the loops
/// around it.
class CachedTile {
 public:
  /// `dense` is the loop that the source is dense along.
  CachedTile(const Inner& in, std::size_t dense)
      : in_(in),
        rows_(in[in.last()].extent, in.item, in[in.last()].src_stride),
        columns_(in[dense].extent, in.item, in[dense].dst_stride) {
    taken_[in.last()] = taken_[dense] = true;
    // The shorter side takes in the loop that goes on with it.
    bool rows_grow = true;
    bool columns_grow = true;
    while (rows_grow || columns_grow) {
      const bool takes_row = rows_grow && (!columns_grow || rows_.items() <= columns_.items());
      if (takes_row) {
        rows_grow = grow(rows_, &Loop::dst_stride, &Loop::src_stride);
      } else {
        columns_grow = grow(columns_, &Loop::src_stride, &Loop::dst_stride);
      }
    }
  }

  [[nodiscard]] bool is_wide() const {
    return std::min(rows_.items(), columns_.items()) * in_.item >= min_transposed_bytes;
  }
  [[nodiscard]] Index items() const { return rows_.items() * columns_.items(); }

  [[nodiscard]] const Inner& in() const { return in_; }
  [[nodiscard]] const Side& rows() const { return rows_; }
  [[nodiscard]] const Side& columns() const { return columns_; }
  /// The loops around it.
  [[nodiscard]] Loops outer() const {
    Loops outer;
    for (std::size_t d = 0; d < in_.last(); ++d) {
      if (!taken_[d]) outer.add(in_[d]);
    }
    return outer;
  }

 private:
  /// Takes in the loop that goes on where `side` ends on its dense side.
  bool grow(Side& side, Stride dense, Stride other) {
    for (std::size_t d = 0; d < in_.last(); ++d) {
      const Loop& loop = in_[d];
      if (taken_[d] || loop.*dense != side.items() * in_.item || !side.takes(loop.extent)) continue;
      side.take(loop.extent, loop.*other);
      taken_[d] = true;
      return true;
    }
    return false;
  }

  const Inner& in_;
  Side rows_;
  Side columns_;
  std::array<bool, max_loops> taken_{};
};

/// Matrices of a few columns side by side, to be deinterleaved, or of a few rows, to be interleaved.
class CachedChannels {
 public:
  /// `dense` is the loop that the source is dense along.
  CachedChannels(const Inner& in, std::size_t dense)
      : in_(in), dense_(dense), rows_(in[in.last()].extent), columns_(in[dense].extent) {}

  [[nodiscard]] Index bytes() const { return rows_ * columns_ * in_.item; }
  [[nodiscard]] bool are_few() const { return are_apart() || are_side_by_side(); }

  [[nodiscard]] const Inner& in() const { return in_; }
  /// The loop that the source is dense along.
  [[nodiscard]] std::size_t dense() const { return dense_; }
  [[nodiscard]] Index rows() const { return rows_; }
  [[nodiscard]] Index columns() const { return columns_; }
  [[nodiscard]] bool are_apart() const {
    return is_shape(columns_, rows_) && in_[in_.last()].src_stride == columns_ * in_.item;
  }

 private:
  [[nodiscard]] bool is_shape(Index few, Index many) const {
    return few >= 2 && few <= max_channels && many * in_.item >= min_channel_bytes &&
           few * many >= min_channel_items && few * many * in_.item <= max_channel_bytes;
  }
  [[nodiscard]] bool are_side_by_side() const {
    return is_shape(rows_, columns_) && in_[dense_].dst_stride == rows_ * in_.item;
  }

  const Inner& in_;
  std::size_t dense_;
  Index rows_;
  Index columns_;
};

/// A tile of items of 3, 5, 6 or 7 bytes, as the pixels of an image that is turned. Longer ones are rows.
class CachedPixels {
 public:
  explicit CachedPixels(const Inner& in) : in_(in) {
    if (in.count < 3 || in[in.last()].dst_stride != in.item || in[in.last()].src_stride != in.item) return;
    const Index bytes = in[in.last()].extent * in.item;
    const Index rows = in[in.last() - 1].extent;
    if (bytes < 3 || bytes > 7 || bytes == 4 || rows < min_short_rows ||
        in[in.last() - 1].dst_stride != bytes)
      return;
    for (std::size_t d = 0; d + 2 < in.count; ++d) {
      if (std::abs(in[d].src_stride) != bytes || in[d].extent * bytes < min_short_bytes) continue;
      dense_ = d;
      bytes_ = bytes;
      return;
    }
  }

  [[nodiscard]] bool is_transposed() const { return bytes_ != 0; }

  [[nodiscard]] const Inner& in() const { return in_; }
  [[nodiscard]] std::size_t dense() const { return dense_; }
  [[nodiscard]] Index bytes() const { return bytes_; }

 private:
  const Inner& in_;
  /// The loop that the source goes on with, or back, item after item.
  std::size_t dense_ = 0;
  /// Of an item; 0 where there is no such tile.
  Index bytes_ = 0;
};

/// How the items of some loops are copied.
enum class CachedWay { by_plan, in_rows, transposed, gathered };

/// Where they are turned, `transpose` is called with the tile.
template <class Transpose>
CachedWay way_of(const Inner& in, const Transpose& transpose) {
  const Index run = in[in.last()].extent;
  std::size_t dense = 0;
  while (dense < in.last() && in[dense].src_stride != in.item) ++dense;
  if (dense == in.last()) {
    const bool is_strided = run >= min_strided_run || in[in.last()].src_stride == 0;
    return is_strided ? CachedWay::by_plan : CachedWay::gathered;
  }
  const CachedChannels channels(in, dense);
  if (channels.are_few() && channels.bytes() >= min_of_channels) {
    transpose(channels);
    return CachedWay::transposed;
  }
  const CachedTile tile(in, dense);
  const bool is_larger = tile.is_wide() && tile.items() * in.item > channels.bytes();
  if (channels.are_few() && !is_larger) {
    transpose(channels);
    return CachedWay::transposed;
  }
  if (tile.is_wide() && !(tile.items() < min_transposed_items && in.loops.items() >= min_gathered_items)) {
    transpose(tile);
    return CachedWay::transposed;
  }
  return tile.items() > max_gathered_tile || run > max_places ? CachedWay::by_plan : CachedWay::gathered;
}

/// The loops around what moves as one item, with the way that goes without asking for more.
inline CachedWay inner_of(Inner& in) {
  if (in.count == 0 || in[in.last()].dst_stride != in.item) return CachedWay::by_plan;
  if (in[in.last()].src_stride == in.item) {
    const Index bytes = in[in.last()].extent * in.item;
    if (in.count == 1 || bytes > largest_item || !std::has_single_bit(static_cast<std::size_t>(bytes)))
      return CachedWay::in_rows;
    in.item = bytes;
    --in.count;
    if (in[in.last()].dst_stride != in.item) return CachedWay::by_plan;
  }
  return CachedWay::transposed;
}

}  // namespace tenstride::detail
