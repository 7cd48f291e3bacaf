// SPDX-License-Identifier: Apache-2.0
// The rows and columns of tiles that are transposed within the caches.
#pragma once

#include <algorithm>
#include <array>

#include "plan/nest.hpp"

namespace tenstride::detail {

/// The most offsets in a table.
inline constexpr Index max_offsets = 512;
/// A side of a tile that is shorter takes in a part of the next loop where the whole loop does not fit.
inline constexpr Index short_side_bytes = 32;

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

}  // namespace tenstride::detail
