// SPDX-License-Identifier: Apache-2.0
// How copies within the caches are cut: into tiles, channels, pixels, or items gathered by a table of
// offsets. Planning and src/copy/cached.cpp, which carries the copies out, both use this.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstdlib>

#include "plan/loops.hpp"

namespace tenstride::detail {

inline constexpr Index max_item_bytes = 16;
/// The most offsets in a table.
inline constexpr Index max_offsets = 512;
/// The shortest rows and columns that are transposed.
inline constexpr Index min_transposed_bytes = 8;
/// Tiles with shorter rows or columns are gathered item by item if they have at most this many items. Larger
/// ones are interleaved or deinterleaved by the kernels of a plan: 3.5 → 1.0 us (5 x 1000 floats).
inline constexpr Index max_gathered_tile = 1024;
/// Tiles of fewer items are gathered, too, where the copy has at least `min_gathered_items` items: one call
/// for hundreds of items in place of one for each tile. 3 x 3 floats, many times: a tenth of the time.
inline constexpr Index min_transposed_items = 64;
inline constexpr Index min_gathered_items = 512;
/// Matrices of 2 to 4 rows or columns are interleaved or deinterleaved within these bounds: the number of
/// rows or columns, the bytes of each, the items and the bytes of the matrix. Larger matrices are left to the
/// strategies that use workers.
inline constexpr Index max_cached_channels = 4;
inline constexpr Index min_channel_bytes = 16;
inline constexpr Index min_channel_items = 8;
inline constexpr Index max_channel_bytes = Index{32} << 10;
/// Smaller matrices are transposed several at a time where a tile takes in more of the loops. For 3 x 3
/// complex128 one call for each matrix took ten times as long.
inline constexpr Index min_lone_matrix_bytes = 256;
/// A side of a tile that is shorter takes in a part of the next loop where the whole loop does not fit.
inline constexpr Index short_side_bytes = 32;
/// The smallest tile that the kernel for short items takes: rows, and bytes of a row.
inline constexpr Index min_short_rows = 4;
inline constexpr Index min_short_bytes = 16;
/// Strided runs of at least this many items are left to the gather kernel of a plan.
inline constexpr Index min_strided_run = 64;

/// The offsets of the items that some loops visit, the innermost loop counting fastest.
struct OffsetTable {
  std::array<Index, max_offsets> offset;
  Index count = 1;

  OffsetTable() { offset[0] = 0; }

  [[nodiscard]] bool has_room(Index extent) const { return count * extent <= max_offsets; }

  /// Adds a loop around those that the table has. Pre: has_room(extent).
  void add_loop(Index extent, Index stride) {
    const Index end = count * extent;
    Index* const entries = offset.data();
    if (count == 1) {
      Index next = 0;
      for (Index i = 1; i < end; ++i) entries[i] = next += stride;
    } else {
      for (Index i = count; i < end; ++i) entries[i] = entries[i - count] + stride;
    }
    count = end;
  }
};

/// The outer `count` loops of a nest; the loops inside them make up an item of `item` bytes.
struct ItemLoops {
  const Loops& loops;
  std::size_t count;
  Index item;

  [[nodiscard]] const Loop& operator[](std::size_t d) const { return loops[d]; }
  [[nodiscard]] std::size_t last() const { return count - 1; }
  [[nodiscard]] std::size_t log2() const {
    return static_cast<std::size_t>(std::countr_zero(static_cast<std::size_t>(item)));
  }
};

/// The rows or the columns of a tile: one loop, or several that follow each other in the memory that the side
/// is contiguous in. If not all of the outermost loop fits, it is done in equal parts.
class TileSide {
 public:
  /// The offset of a part in the memory that the side is contiguous in, and in the other one.
  struct Part {
    Index contiguous;
    Index other;
  };

  TileSide(Index extent, Index item, Index stride) : item_(item) { take(extent, stride); }

  /// The number of items that are transposed at a time.
  [[nodiscard]] Index items() const { return inner_items_ * part_; }
  [[nodiscard]] bool is_cut() const { return part_ < extent_[last_]; }
  /// Whether the side can take in a loop: one that fits, or, for a short side, one of which a part fits.
  [[nodiscard]] bool can_take(Index extent) const {
    return !is_cut() && (items() * extent <= max_offsets || items() * item_ < short_side_bytes);
  }
  /// Takes in the next loop, whole or in part.
  void take(Index extent, Index stride) {
    inner_items_ = items();
    last_ = count_++;
    extent_[last_] = extent;
    stride_[last_] = stride;
    part_ = ceil_divide(extent, ceil_divide(extent, max_offsets / inner_items_));
  }

  /// Whether the side is one loop: `extent()` items, `stride()` bytes apart.
  [[nodiscard]] bool is_pitched() const { return count_ == 1; }
  [[nodiscard]] Index extent() const { return extent_[0]; }
  [[nodiscard]] Index stride() const { return stride_[0]; }

  /// The offsets of the items of a part.
  [[nodiscard]] OffsetTable offsets() const {
    OffsetTable table;
    for (std::size_t i = 0; i < last_; ++i) table.add_loop(extent_[i], stride_[i]);
    table.add_loop(part_, stride_[last_]);
    return table;
  }

  /// Calls `visit` with each part. The last part overlaps the one before it where they would not be equal.
  template <class Visit>
  void for_each_part(const Visit& visit) const {
    const Index extent = extent_[last_];
    for (Index next = 0; next < extent; next += part_) {
      const Index first = std::min(next, extent - part_);
      visit(Part{first * inner_items_ * item_, first * stride_[last_]});
    }
  }

 private:
  Index item_;
  std::array<Index, max_loops> extent_;
  std::array<Index, max_loops> stride_;
  std::size_t count_ = 0;
  /// The outermost loop, how many of its iterations a part has, and the items of the loops inside it.
  std::size_t last_ = 0;
  Index part_ = 1;
  Index inner_items_ = 1;
};

/// A tile whose rows are contiguous in the source and whose columns are contiguous in the destination, and
/// the loops around it.
class CachedTile {
 public:
  /// `dense` is the loop along which the source is contiguous.
  CachedTile(const ItemLoops& in, std::size_t dense)
      : in_(in),
        rows_(in[in.last()].extent, in.item, in[in.last()].src_stride),
        columns_(in[dense].extent, in.item, in[dense].dst_stride) {
    taken_[in.last()] = taken_[dense] = true;
    // The shorter side takes in the loop that follows it in memory.
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

  /// Whether rows and columns are long enough to be transposed.
  [[nodiscard]] bool is_wide() const {
    return std::min(rows_.items(), columns_.items()) * in_.item >= min_transposed_bytes;
  }
  [[nodiscard]] Index items() const { return rows_.items() * columns_.items(); }

  [[nodiscard]] const ItemLoops& in() const { return in_; }
  [[nodiscard]] const TileSide& rows() const { return rows_; }
  [[nodiscard]] const TileSide& columns() const { return columns_; }
  /// The loops around the tile.
  [[nodiscard]] Loops outer() const {
    Loops outer;
    for (std::size_t d = 0; d < in_.last(); ++d) {
      if (!taken_[d]) outer.add(in_[d]);
    }
    return outer;
  }

 private:
  /// Takes in the loop that continues the side in the memory of `dense`. Returns false where there is none.
  bool grow(TileSide& side, Stride dense, Stride other) {
    for (std::size_t d = 0; d < in_.last(); ++d) {
      const Loop& loop = in_[d];
      if (taken_[d] || loop.*dense != side.items() * in_.item || !side.can_take(loop.extent)) continue;
      side.take(loop.extent, loop.*other);
      taken_[d] = true;
      return true;
    }
    return false;
  }

  const ItemLoops& in_;
  TileSide rows_;
  TileSide columns_;
  std::array<bool, max_loops> taken_{};
};

/// Matrices of 2 to 4 columns that are deinterleaved, or of 2 to 4 rows that are interleaved.
class CachedChannels {
 public:
  /// `dense` is the loop along which the source is contiguous.
  CachedChannels(const ItemLoops& in, std::size_t dense)
      : in_(in), dense_(dense), rows_(in[in.last()].extent), columns_(in[dense].extent) {}

  [[nodiscard]] Index bytes() const { return rows_ * columns_ * in_.item; }
  /// Whether there is a kernel for such matrices.
  [[nodiscard]] bool has_kernel() const { return is_deinterleaved() || is_interleaved(); }

  [[nodiscard]] const ItemLoops& in() const { return in_; }
  /// The loop along which the source is contiguous.
  [[nodiscard]] std::size_t dense() const { return dense_; }
  [[nodiscard]] Index rows() const { return rows_; }
  [[nodiscard]] Index columns() const { return columns_; }
  [[nodiscard]] bool is_deinterleaved() const {
    return is_shape(columns_, rows_) && in_[in_.last()].src_stride == columns_ * in_.item;
  }

 private:
  [[nodiscard]] bool is_shape(Index channels, Index length) const {
    return channels >= 2 && channels <= max_cached_channels && length * in_.item >= min_channel_bytes &&
           channels * length >= min_channel_items && channels * length * in_.item <= max_channel_bytes;
  }
  [[nodiscard]] bool is_interleaved() const {
    return is_shape(rows_, columns_) && in_[dense_].dst_stride == rows_ * in_.item;
  }

  const ItemLoops& in_;
  std::size_t dense_;
  Index rows_;
  Index columns_;
};

/// A tile of items of 3, 5, 6 or 7 bytes, as the pixels of an image that is transposed. Longer items are
/// copied as rows.
class CachedPixels {
 public:
  explicit CachedPixels(const ItemLoops& in) : in_(in) {
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

  [[nodiscard]] const ItemLoops& in() const { return in_; }
  [[nodiscard]] std::size_t dense() const { return dense_; }
  [[nodiscard]] Index bytes() const { return bytes_; }

 private:
  const ItemLoops& in_;
  /// The loop along which items follow each other in the source, forwards or backwards.
  std::size_t dense_ = 0;
  /// Bytes of an item; 0 where there is no such tile.
  Index bytes_ = 0;
};

/// How the items of some loops are copied; `by_plan` leaves them to the kernels of a plan.
enum class CachedMethod { by_plan, in_rows, transposed, gathered };

/// The method for a nest whose items `strip_items` has found. Where that is to transpose, calls `transpose`
/// with the CachedChannels or the CachedTile.
template <class Transpose>
CachedMethod choose_method(const ItemLoops& in, const Transpose& transpose) {
  const Index run = in[in.last()].extent;
  std::size_t dense = 0;
  while (dense < in.last() && in[dense].src_stride != in.item) ++dense;
  if (dense == in.last()) {
    const bool is_strided = run >= min_strided_run || in[in.last()].src_stride == 0;
    return is_strided ? CachedMethod::by_plan : CachedMethod::gathered;
  }
  const CachedChannels channels(in, dense);
  if (channels.has_kernel() && channels.bytes() >= min_lone_matrix_bytes) {
    transpose(channels);
    return CachedMethod::transposed;
  }
  const CachedTile tile(in, dense);
  const bool is_larger = tile.is_wide() && tile.items() * in.item > channels.bytes();
  if (channels.has_kernel() && !is_larger) {
    transpose(channels);
    return CachedMethod::transposed;
  }
  if (tile.is_wide() && !(tile.items() < min_transposed_items && in.loops.items() >= min_gathered_items)) {
    transpose(tile);
    return CachedMethod::transposed;
  }
  return tile.items() > max_gathered_tile || run > max_offsets ? CachedMethod::by_plan
                                                               : CachedMethod::gathered;
}

/// Joins contiguous elements to an item of at most 16 bytes, and removes their loop. Returns `transposed`
/// where `choose_method` has to decide, otherwise the method itself.
inline CachedMethod strip_items(ItemLoops& in) {
  if (in.count == 0 || in[in.last()].dst_stride != in.item) return CachedMethod::by_plan;
  if (in[in.last()].src_stride == in.item) {
    const Index bytes = in[in.last()].extent * in.item;
    if (in.count == 1 || bytes > max_item_bytes || !std::has_single_bit(static_cast<std::size_t>(bytes)))
      return CachedMethod::in_rows;
    in.item = bytes;
    --in.count;
    if (in[in.last()].dst_stride != in.item) return CachedMethod::by_plan;
  }
  return CachedMethod::transposed;
}

}  // namespace tenstride::detail
