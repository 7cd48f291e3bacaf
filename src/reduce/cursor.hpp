// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "reduce/reduce_plan.hpp"
#include "tenstride/dims.hpp"

namespace tenstride::detail {

/// A position in a loop nest, the slowest loop first.
class Cursor {
 public:
  Cursor(std::span<const ReduceLoop> loops, Index position)
      : loops_(loops), index_(Dims::filled(loops.size(), 0)) {
    for (std::size_t d = loops.size(); d-- > 0;) {
      index_[d] = position % loops[d].extent;
      position /= loops[d].extent;
      offset_ += index_[d] * loops[d].stride;
    }
  }
  /// Returns the position's offset in the source, in bytes.
  [[nodiscard]] std::ptrdiff_t offset() const { return offset_; }
  /// Returns the number of positions up to the end of the innermost loop.
  [[nodiscard]] Index run() const { return loops_.empty() ? 1 : loops_.back().extent - index_.back(); }
  /// Return the extent and the stride of the innermost loop.
  [[nodiscard]] Index extent() const { return loops_.empty() ? 1 : loops_.back().extent; }
  [[nodiscard]] std::ptrdiff_t stride() const { return loops_.empty() ? 0 : loops_.back().stride; }
  /// Goes `count` positions on. Precondition: count <= run().
  void skip(Index count) {
    for (std::size_t d = loops_.size(); d-- > 0; count = 1) {
      index_[d] += count;
      offset_ += count * loops_[d].stride;
      if (index_[d] < loops_[d].extent) return;
      offset_ -= index_[d] * loops_[d].stride;
      index_[d] = 0;
    }
  }

 private:
  std::span<const ReduceLoop> loops_;
  Dims index_;
  std::ptrdiff_t offset_ = 0;
};

}  // namespace tenstride::detail
