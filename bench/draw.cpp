// SPDX-License-Identifier: Apache-2.0
#include "draw.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "tenstride/layout/views.hpp"

namespace tenstride::bench {

std::size_t Draw::one_of(std::size_t count) {
  return std::uniform_int_distribution<std::size_t>(0, count - 1)(random_);
}

double Draw::uniform(double first, double last) {
  return std::uniform_real_distribution<double>(first, last)(random_);
}

Index Draw::log_uniform(Index first, Index last) {
  const double drawn =
      std::exp(uniform(std::log(static_cast<double>(first)), std::log(static_cast<double>(last) + 1)));
  return std::clamp(static_cast<Index>(drawn), first, last);
}

Index Draw::elements(DType type) {
  const Index bytes =
      is_tiny_ ? log_uniform(Index{1} << 10, Index{32} << 10) : log_uniform(Index{8} << 20, Index{256} << 20);
  return bytes / static_cast<Index>(item_size(type));
}

Dims Draw::extents(std::size_t rank, Index count) {
  const double whole = std::log(static_cast<double>(count));
  std::vector<double> cuts{0, whole};
  for (std::size_t d = 1; d < rank; ++d) cuts.push_back(uniform(0, whole));
  std::sort(cuts.begin(), cuts.end());
  Dims shape = Dims::of_size(rank);
  double left = static_cast<double>(count);
  std::size_t longest = 0;
  for (std::size_t d = 0; d < rank; ++d) {
    shape[d] = std::max<Index>(static_cast<Index>(std::lround(std::exp(cuts[d + 1] - cuts[d]))), 2);
    left /= static_cast<double>(shape[d]);
    if (shape[d] > shape[longest]) longest = d;
  }
  // Extents are rounded, and at least 2. The longest one makes up for the difference from `count`.
  shape[longest] = std::max<Index>(std::lround(static_cast<double>(shape[longest]) * left), 2);
  return shape;
}

Dims Draw::shuffled(std::size_t rank) {
  Dims order = identity_order(rank);
  while (order == identity_order(rank)) std::shuffle(order.begin(), order.end(), random_);
  return order;
}

void Draw::take_steps(Layout& view, std::size_t axis, std::string& name) {
  const auto step = static_cast<Index>(2 + one_of(2));
  view = slice(view, static_cast<Index>(axis), 0, view.shape[axis], step);
  name += " ::" + std::to_string(step) + "[" + std::to_string(axis) + "]";
}

void Draw::crop(Layout& view, std::size_t axis, std::string& name) {
  const Index extent = view.shape[axis];
  const Index length = std::max<Index>(static_cast<Index>(static_cast<double>(extent) * uniform(.5, 1)), 1);
  const auto start = static_cast<Index>(one_of(static_cast<std::size_t>(extent - length + 1)));
  view = narrow(view, static_cast<Index>(axis), start, length);
  name +=
      " " + std::to_string(start) + ":" + std::to_string(start + length) + "[" + std::to_string(axis) + "]";
}

Dims identity_order(std::size_t rank) {
  Dims order = Dims::of_size(rank);
  std::iota(order.begin(), order.end(), Index{0});
  return order;
}

}  // namespace tenstride::bench
