// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "reduce/walk.hpp"
#include "tenstride/dims.hpp"

namespace tenstride::detail {

/// A position in loops, counted from the first element.
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
  [[nodiscard]] std::ptrdiff_t offset() const { return offset_; }
  /// Positions up to the end of the fastest loop.
  [[nodiscard]] Index run() const { return loops_.empty() ? 1 : loops_.back().extent - index_.back(); }
  /// Of the fastest loop.
  [[nodiscard]] Index extent() const { return loops_.empty() ? 1 : loops_.back().extent; }
  [[nodiscard]] std::ptrdiff_t stride() const { return loops_.empty() ? 0 : loops_.back().stride; }
  /// Pre: count <= run().
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
