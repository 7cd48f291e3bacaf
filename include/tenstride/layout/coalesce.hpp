// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

#include "tenstride/layout/layout.hpp"

namespace tenstride {

/// Fewest axes that walk N layouts of one shape in the same order: axes of extent 1 go, and two neighbours
/// merge where they are one axis in every layout. Post: the n-th visited position of each layout is unchanged
/// for every n. An empty shape becomes (0):(1), a single element rank 0. Pre: equal shapes. Cost O(rank).
/// Example: (2,3,4):(12,4,1) with (2,3,4):(24,4,1) -> (2,12):(12,1) with (2,12):(24,1).
template <std::size_t N>
constexpr std::array<Layout, N> coalesce(const std::array<Layout, N>& layouts) {
  std::array<Layout, N> result;
  for (std::size_t k = 0; k < N; ++k) result[k].offset = layouts[k].offset;
  if (is_empty(layouts[0])) {
    for (Layout& layout : result) {
      layout.shape = {0};
      layout.strides = {1};
    }
    return result;
  }
  for (std::size_t d = 0; d < layouts[0].rank(); ++d) {
    const Index extent = layouts[0].shape[d];
    if (extent == 1) continue;
    bool merges = !result[0].shape.empty();
    for (std::size_t k = 0; merges && k < N; ++k) {
      merges = try_multiply(layouts[k].strides[d], extent) == result[k].strides.back();
    }
    for (std::size_t k = 0; k < N; ++k) {
      if (merges) {
        result[k].shape.back() *= extent;
        result[k].strides.back() = layouts[k].strides[d];
      } else {
        result[k].shape.push_back(extent);
        result[k].strides.push_back(layouts[k].strides[d]);
      }
    }
  }
  return result;
}

/// Fewest axes that visit the same elements in the same order.
/// Post: size kept; the n-th visited element unchanged for every n.
/// Example: (2,3,4):(12,4,1) -> (24):(1).   (2,3):(1,2) stays.
constexpr Layout coalesce(const Layout& layout) {
  return coalesce(std::array<Layout, 1>{layout})[0];
}

}  // namespace tenstride
