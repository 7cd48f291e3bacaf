// SPDX-License-Identifier: Apache-2.0
// The loop nest of a copy.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "tenstride/plan/copy_strategy.hpp"

namespace tenstride::detail {

inline constexpr std::size_t max_loops = PipelinedBlocks::max_loops;

/// One loop of a nest; strides in bytes.
struct Loop {
  Index extent;
  Index dst_stride;
  Index src_stride;
};

/// The strides of one side: `&Loop::dst_stride` or `&Loop::src_stride`.
using Stride = Index Loop::*;

/// A loop nest of up to 8 loops, outermost first, sorted by falling destination strides.
struct Loops {
  std::size_t count = 0;
  std::array<Loop, max_loops> loops;

  [[nodiscard]] const Loop& operator[](std::size_t d) const { return loops[d]; }
  [[nodiscard]] std::span<const Loop> all() const { return first(count); }
  [[nodiscard]] std::span<const Loop> first(std::size_t n) const { return {loops.data(), n}; }

  /// Inserts a loop where its destination stride belongs. Pre: count < max_loops.
  void add(const Loop& loop) {
    std::size_t d = count++;
    for (; d > 0 && loops[d - 1].dst_stride < loop.dst_stride; --d) loops[d] = loops[d - 1];
    loops[d] = loop;
  }

  /// Merges neighbouring loops that are one loop on both sides.
  void merge() {
    std::size_t last = 0;
    for (std::size_t d = 1; d < count; ++d) {
      const Loop& inner = loops[d];
      Loop& outer = loops[last];
      if (inner.dst_stride * inner.extent == outer.dst_stride &&
          inner.src_stride * inner.extent == outer.src_stride) {
        outer = {outer.extent * inner.extent, inner.dst_stride, inner.src_stride};
      } else {
        loops[++last] = inner;
      }
    }
    count = count == 0 ? 0 : last + 1;
  }

  /// The number of positions of the nest.
  [[nodiscard]] Index items() const {
    Index items = 1;
    for (std::size_t d = 0; d < count; ++d) items *= loops[d].extent;
    return items;
  }

  /// Whether the nest visits items of `item` bytes one directly behind the other on a side.
  [[nodiscard]] bool is_contiguous(Stride side, Index item) const {
    for (std::size_t d = count; d-- > 0; item *= loops[d].extent) {
      if (loops[d].*side != item) return false;
    }
    return true;
  }

  /// Sets the strides of a side so that items of `item` bytes follow each other without gaps.
  void make_contiguous(Stride side, Index item) {
    for (std::size_t d = count; d-- > 0; item *= loops[d].extent) loops[d].*side = item;
  }
};

}  // namespace tenstride::detail
