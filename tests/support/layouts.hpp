// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

#include "tenstride/layout/layout.hpp"

/// The layouts that tests go through: all small ones, and a short list of odd ones.
namespace tenstride::testing {

/// Every shape of rank 0..max_rank with extents 0..max_extent.
inline std::vector<Dims> small_shapes(std::size_t max_rank, Index max_extent) {
  std::vector<Dims> shapes{Dims{}};
  for (std::size_t first = 0, rank = 1; rank <= max_rank; ++rank) {
    const std::size_t last = shapes.size();
    for (std::size_t i = first; i < last; ++i) {
      for (Index extent = 0; extent <= max_extent; ++extent) {
        Dims longer = shapes[i];
        longer.push_back(extent);
        shapes.push_back(longer);
      }
    }
    first = last;
  }
  return shapes;
}

/// Every order of `count` axes.
inline std::vector<Dims> all_orders(std::size_t count) {
  Dims order = Dims::filled(count, 0);
  std::iota(order.begin(), order.end(), Index{0});
  std::vector<Dims> orders;
  do orders.push_back(order);
  while (std::next_permutation(order.begin(), order.end()));
  return orders;
}

/// Strides where order[0] is the slowest axis and each axis steps over `padding` elements more than it must.
inline Dims strides_in_order(const Dims& shape, const Dims& order, Index padding) {
  Dims strides = Dims::filled(shape.size(), 1);
  Index step = 1;
  for (std::size_t i = order.size(); i-- > 0;) {
    const std::size_t axis = detail::at(order[i]);
    strides[axis] = step;
    step = step * std::max<Index>(shape[axis], 1) + padding;
  }
  return strides;
}

/// The layout with the axis reversed, offset moved so that the same positions are visited.
inline Layout reversed_axis(Layout layout, std::size_t axis) {
  layout.offset += std::max<Index>(layout.shape[axis] - 1, 0) * layout.strides[axis];
  layout.strides[axis] = -layout.strides[axis];
  return layout;
}

/// The shape with strides in every order of axes: dense, padded, and of both with each axis in turn expanded
/// (stride 0) or walked backwards; and all axes backwards.
inline std::vector<Layout> layouts_of(const Dims& shape) {
  std::vector<Layout> layouts;
  for (const Dims& order : all_orders(shape.size())) {
    for (const Index padding : {Index{0}, Index{1}}) {
      const Layout plain{shape, strides_in_order(shape, order, padding), 2 * padding};
      layouts.push_back(plain);
      Layout all_backwards = plain;
      for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        Layout expanded = plain;
        expanded.strides[axis] = 0;
        layouts.push_back(expanded);
        layouts.push_back(reversed_axis(plain, axis));
        all_backwards = reversed_axis(all_backwards, axis);
      }
      layouts.push_back(all_backwards);
    }
  }
  return layouts;
}

/// All layouts of all shapes of rank 0..max_rank with extents 0..max_extent.
inline std::vector<Layout> small_layouts(std::size_t max_rank = 4, Index max_extent = 3) {
  std::vector<Layout> layouts;
  for (const Dims& shape : small_shapes(max_rank, max_extent)) {
    for (Layout& layout : layouts_of(shape)) layouts.push_back(std::move(layout));
  }
  return layouts;
}

/// One of each kind that breaks careless code.
inline std::vector<Layout> odd_layouts() {
  Dims nine = Dims::filled(9, 1);
  nine[0] = 2;
  nine[4] = 3;
  nine[8] = 2;
  Dims sixty_four = Dims::filled(64, 1);
  sixty_four[1] = 2;
  sixty_four[62] = 5;
  return {
      {{}, {}, 7},                                        // rank 0
      {{0}, {1}, 0},                                      // extent 0
      {{2, 0, 3}, {3, 3, 1}, 4},                          // extent 0 in the middle
      {{3, 1}, {1, 17}, 2},                               // extent 1 with an odd stride, rightmost
      {{1, 4}, {-5, 1}, 5},                               // extent 1 with an odd stride, leftmost
      {{2, 1, 3}, {3, 99, 1}, 0},                         // extent 1 with an odd stride, between
      {{3, 4}, {0, 1}, 0},                                // expanded left
      {{3, 4}, {1, 0}, 0},                                // expanded right
      {{2, 3, 4}, {0, 0, 0}, 1},                          // one element seen everywhere
      {{4}, {-1}, 3},                                     // backwards
      {{2, 3}, {-3, -1}, 5},                              // both axes backwards
      {{3, 2}, {1, 3}, 0},                                // transposed
      {{2, 2, 3}, {6, 1, 2}, 0},                          // two axes of three swapped
      {{3, 4}, {6, 1}, 1},                                // padded rows
      {{5, 3}, {1, 1}, 0},                                // overlapping windows
      {nine, row_major_strides(nine), 3},                 // more axes than fit without a heap
      {sixty_four, column_major_strides(sixty_four), 0},  // as many axes as there may be
  };
}

}  // namespace tenstride::testing
