// SPDX-License-Identifier: Apache-2.0
// A position in a loop nest.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "plan/loops.hpp"
#include "tenstride/dims.hpp"

namespace tenstride::copy {

using detail::Loop;

/// Visits the positions of a loop nest, the last loop fastest, and keeps the address of the current position
/// on both sides. Refers to the loops without copying them.
class Cursor {
 public:
  /// As many loops as a copy has, and two that a strategy may add.
  static constexpr std::size_t max_loops = max_rank + 2;

  /// Begins at the first position, whose addresses are `dst` and `src`. Pre: loops.size() <= max_loops.
  Cursor(std::span<const Loop> loops, std::byte* dst, const std::byte* src)
      : loops_(loops), dst_(dst), src_(src) {
    for (std::size_t d = 0; d < loops.size(); ++d) index_[d] = 0;
  }

  /// The number of positions.
  [[nodiscard]] Index count() const {
    Index count = 1;
    for (const Loop& loop : loops_) count *= loop.extent;
    return count;
  }
  [[nodiscard]] std::size_t size() const { return loops_.size(); }
  [[nodiscard]] std::byte* dst() const { return dst_; }
  [[nodiscard]] const std::byte* src() const { return src_; }
  [[nodiscard]] Index index(std::size_t loop) const { return index_[loop]; }

  /// Moves to the position with this number, counted from 0. Pre: the cursor is at the first position.
  void seek(Index position) {
    for (std::size_t d = loops_.size(); d-- > 0;) {
      const Loop& loop = loops_[d];
      index_[d] = position % loop.extent;
      position /= loop.extent;
      dst_ += index_[d] * loop.dst_stride;
      src_ += index_[d] * loop.src_stride;
    }
  }

  /// The number of positions from here to the end of the innermost loop.
  [[nodiscard]] Index run_left() const {
    return loops_.empty() ? 1 : loops_.back().extent - index_[loops_.size() - 1];
  }
  /// The innermost loop; of extent 1 where there is none.
  [[nodiscard]] Loop run() const { return loops_.empty() ? Loop{1, 0, 0} : loops_.back(); }

  /// Advances by `count` positions. Pre: 1 <= count <= run_left().
  void skip(Index count) {
    if (count > 1) {
      const Loop& loop = loops_.back();
      dst_ += (count - 1) * loop.dst_stride;
      src_ += (count - 1) * loop.src_stride;
      index_[loops_.size() - 1] += count - 1;
    }
    next();
  }

  /// Advances by one position. Returns false after the last one; the cursor is then at the first position
  /// again.
  bool next() {
    for (std::size_t d = loops_.size(); d-- > 0;) {
      const Loop& loop = loops_[d];
      dst_ += loop.dst_stride;
      src_ += loop.src_stride;
      if (++index_[d] < loop.extent) return true;
      dst_ -= loop.extent * loop.dst_stride;
      src_ -= loop.extent * loop.src_stride;
      index_[d] = 0;
    }
    return false;
  }

 private:
  std::span<const Loop> loops_;
  std::byte* dst_;
  const std::byte* src_;
  std::array<Index, max_loops> index_;
};

/// Calls `visit(dst, src)` with the addresses of each position of a loop nest.
template <class Visit>
void for_each_position(std::span<const Loop> loops, std::byte* dst, const std::byte* src,
                       const Visit& visit) {
  Cursor cursor(loops, dst, src);
  do {
    visit(cursor.dst(), cursor.src());
  } while (cursor.next());
}

}  // namespace tenstride::copy
