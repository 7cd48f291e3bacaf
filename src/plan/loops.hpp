// SPDX-License-Identifier: Apache-2.0
// The loops of a copy without a plan.
#pragma once

#include <array>
#include <cstddef>

#include "tenstride/dims.hpp"

namespace tenstride::detail {

inline constexpr std::size_t most_loops = Dims::inline_capacity;

/// Loops from the outermost to the innermost, the destination's strides falling; all strides in bytes.
struct Loops {
  std::size_t count = 0;
  std::array<Index, most_loops> extent;
  std::array<Index, most_loops> dst;
  std::array<Index, most_loops> src;

  /// Puts a loop at its place.
  void add(Index size, Index dst_stride, Index src_stride) {
    std::size_t at = count++;
    for (; at > 0 && dst[at - 1] < dst_stride; --at) {
      extent[at] = extent[at - 1];
      dst[at] = dst[at - 1];
      src[at] = src[at - 1];
    }
    extent[at] = size;
    dst[at] = dst_stride;
    src[at] = src_stride;
  }

  /// Makes one loop of neighbours that are one on both sides.
  void merge() {
    std::size_t last = 0;
    for (std::size_t d = 1; d < count; ++d) {
      if (dst[d] * extent[d] == dst[last] && src[d] * extent[d] == src[last]) {
        extent[last] *= extent[d];
      } else {
        ++last;
        extent[last] = extent[d];
      }
      dst[last] = dst[d];
      src[last] = src[d];
    }
    count = count == 0 ? 0 : last + 1;
  }

  [[nodiscard]] Index items() const {
    Index items = 1;
    for (std::size_t d = 0; d < count; ++d) items *= extent[d];
    return items;
  }

  [[nodiscard]] bool is_dense(const std::array<Index, most_loops>& strides, std::size_t item) const {
    auto step = static_cast<Index>(item);
    for (std::size_t d = count; d-- > 0;) {
      if (strides[d] != step) return false;
      step *= extent[d];
    }
    return true;
  }

  /// The strides of dense items in the order of the loops.
  [[nodiscard]] std::array<Index, most_loops> dense(Index item) const {
    std::array<Index, most_loops> strides;
    Index step = item;
    for (std::size_t d = count; d-- > 0;) {
      strides[d] = step;
      step *= extent[d];
    }
    return strides;
  }
};

/// Calls `visit(dst, src)` at each position of the first `count` loops.
template <class Visit>
void walk_positions(const Loops& loops, std::size_t count, std::byte* dst, const std::byte* src,
                    const Visit& visit) {
  std::array<Index, most_loops> index;
  for (std::size_t d = 0; d < count; ++d) index[d] = 0;
  for (;;) {
    visit(dst, src);
    std::size_t d = count;
    for (;;) {
      if (d-- == 0) return;
      dst += loops.dst[d];
      src += loops.src[d];
      if (++index[d] < loops.extent[d]) break;
      dst -= loops.extent[d] * loops.dst[d];
      src -= loops.extent[d] * loops.src[d];
      index[d] = 0;
    }
  }
}

}  // namespace tenstride::detail
