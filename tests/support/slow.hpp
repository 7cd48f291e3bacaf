// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "tenstride/layout/layout.hpp"

/// The slow definitions that the fast functions are compared with: walk every index.
namespace tenstride::testing {

/// Calls `visit(index)` for every index of the shape, in row-major order.
template <typename Visit>
constexpr void for_each_index(const Dims& shape, Visit&& visit) {
  Dims index = Dims::filled(shape.size(), 0);
  for (const Index size : shape) {
    if (size == 0) return;
  }
  while (true) {
    visit(static_cast<const Dims&>(index));
    std::size_t d = shape.size();
    while (d > 0 && ++index[d - 1] == shape[d - 1]) index[--d] = 0;
    if (d == 0) return;
  }
}

/// offset + the sum of index * stride: what a layout means.
constexpr Index slow_position(const Layout& layout, const Dims& index) {
  Index position = layout.offset;
  for (std::size_t d = 0; d < index.size(); ++d) position += index[d] * layout.strides[d];
  return position;
}

/// The positions visited, in row-major order.
constexpr std::vector<Index> positions(const Layout& layout) {
  std::vector<Index> result;
  for_each_index(layout.shape, [&](const Dims& index) { result.push_back(slow_position(layout, index)); });
  return result;
}

inline std::vector<Index> sorted_positions(const Layout& layout) {
  std::vector<Index> result = positions(layout);
  std::sort(result.begin(), result.end());
  return result;
}

/// Whether no two indexes share a position.
inline bool is_unique(const Layout& layout) {
  const std::vector<Index> sorted = sorted_positions(layout);
  return std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
}

/// Whether positions start, start+1, start+2, … are visited in this order.
inline bool is_run(const std::vector<Index>& visited) {
  for (std::size_t n = 0; n < visited.size(); ++n) {
    if (visited[n] != visited[0] + static_cast<Index>(n)) return false;
  }
  return true;
}

/// Whether each element of `result` is the element of `source` at the index `map` gives for its index.
template <typename Map>
constexpr bool maps_elements(const Layout& result, const Layout& source, Map&& map) {
  bool agrees = result.shape.size() == result.strides.size();
  for_each_index(result.shape, [&](const Dims& index) {
    const Dims from = map(index);
    agrees =
        agrees && from.size() == source.rank() && slow_position(result, index) == slow_position(source, from);
    for (std::size_t d = 0; agrees && d < from.size(); ++d) {
      agrees = 0 <= from[d] && from[d] < source.shape[d];
    }
  });
  return agrees;
}

/// Some strides with which the shape visits exactly these positions in row-major order, found by trying the
/// only candidates there are (0 for axes of size 1); nothing where none exist.
inline std::optional<Layout> solve_layout(const std::vector<Index>& visited, const Dims& shape) {
  Layout layout{shape, Dims::filled(shape.size(), 0), visited.empty() ? 0 : visited[0]};
  Index after = 1;  // elements between two steps along the axis
  for (std::size_t d = shape.size(); d-- > 0 && !visited.empty();) {
    if (shape[d] > 1) layout.strides[d] = visited[static_cast<std::size_t>(after)] - visited[0];
    after *= shape[d];
  }
  if (positions(layout) != visited) return std::nullopt;
  return layout;
}

}  // namespace tenstride::testing
