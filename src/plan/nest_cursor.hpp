// SPDX-License-Identifier: Apache-2.0
// A position in a loop nest over several layouts: the one that copies, arithmetic and reductions share.
#pragma once

#include <array>
#include <cstddef>

#include "tenstride/base/dims.hpp"

namespace tenstride::detail {

/// Visits the positions of a loop nest, the last loop fastest, and keeps its offset in each of N layouts. A
/// Nest is small and copied; it says `size()`, the number of loops, `extent(loop)` and `stride(loop, k)` of
/// layout k.
template <class Nest, std::size_t N>
class NestCursor {
 public:
  /// As many loops as a copy has, and two that a way may add.
  static constexpr std::size_t max_loops = max_rank + 2;
  using Offsets = std::array<Index, N>;

  /// Begins at the first position, whose offsets are `first`. Pre: nest.size() <= max_loops.
  explicit NestCursor(const Nest& nest, const Offsets& first = {}) : nest_(nest), offsets_(first) {
    for (std::size_t d = 0; d < nest_.size(); ++d) index_[d] = 0;
  }

  /// The number of positions.
  [[nodiscard]] Index count() const {
    Index count = 1;
    for (std::size_t d = 0; d < nest_.size(); ++d) count *= nest_.extent(d);
    return count;
  }
  [[nodiscard]] std::size_t size() const { return nest_.size(); }
  [[nodiscard]] const Nest& nest() const { return nest_; }
  [[nodiscard]] const Offsets& offsets() const { return offsets_; }
  [[nodiscard]] Index index(std::size_t loop) const { return index_[loop]; }

  /// Moves to the position with this number, counted from 0. Pre: the cursor is at the first position.
  void seek(Index position) {
    for (std::size_t d = nest_.size(); d-- > 0;) {
      const Index extent = nest_.extent(d);
      index_[d] = position % extent;
      position /= extent;
      move(d, index_[d]);
    }
  }

  /// The number of positions from here to the end of the innermost loop.
  [[nodiscard]] Index run_left() const {
    const std::size_t size = nest_.size();
    return size == 0 ? 1 : nest_.extent(size - 1) - index_[size - 1];
  }

  /// Advances by `count` positions. Pre: 1 <= count <= run_left().
  void skip(Index count) {
    if (count > 1) {
      const std::size_t last = nest_.size() - 1;
      move(last, count - 1);
      index_[last] += count - 1;
    }
    next();
  }

  /// Advances by one position. Returns false after the last one; the cursor is then at the first position
  /// again.
  bool next() {
    for (std::size_t d = nest_.size(); d-- > 0;) {
      move(d, 1);
      const Index extent = nest_.extent(d);
      if (++index_[d] < extent) return true;
      move(d, -extent);
      index_[d] = 0;
    }
    return false;
  }

 private:
  void move(std::size_t loop, Index count) {
    for (std::size_t k = 0; k < N; ++k) offsets_[k] += count * nest_.stride(loop, k);
  }

  Nest nest_;
  Offsets offsets_;
  std::array<Index, max_loops> index_;
};

}  // namespace tenstride::detail
