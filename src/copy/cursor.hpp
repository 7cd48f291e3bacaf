// SPDX-License-Identifier: Apache-2.0
// A position in the loop nest of a copy.
#pragma once

#include <cstddef>
#include <span>

#include "plan/nest_cursor.hpp"
#include "tenstride/plan/nest.hpp"

namespace tenstride::copy {

/// Loops of a copy as a nest; refers to them without copying them.
class LoopNest {
 public:
  explicit LoopNest(std::span<const Loop> loops) : loops_(loops) {}
  [[nodiscard]] std::size_t size() const { return loops_.size(); }
  [[nodiscard]] Index extent(std::size_t loop) const { return loops_[loop].extent; }
  [[nodiscard]] Index stride(std::size_t loop, std::size_t side) const {
    return side == 0 ? loops_[loop].dst_stride : loops_[loop].src_stride;
  }
  /// The innermost loop; of extent 1 where there is none.
  [[nodiscard]] Loop innermost() const { return loops_.empty() ? Loop{1, 0, 0} : loops_.back(); }

 private:
  std::span<const Loop> loops_;
};

/// Visits the positions of a loop nest and keeps the address of the current one on both sides.
class Cursor : public detail::NestCursor<LoopNest, 2> {
 public:
  /// Begins at the first position, whose addresses are `dst` and `src`.
  Cursor(std::span<const Loop> loops, std::byte* dst, const std::byte* src)
      : NestCursor(LoopNest(loops)), dst_(dst), src_(src) {}

  [[nodiscard]] std::byte* dst() const { return dst_ + offsets()[0]; }
  [[nodiscard]] const std::byte* src() const { return src_ + offsets()[1]; }
  [[nodiscard]] Loop run() const { return nest().innermost(); }

 private:
  std::byte* dst_;
  const std::byte* src_;
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
