// SPDX-License-Identifier: Apache-2.0
#include "tenstride/scramble.hpp"

#include "message.hpp"

namespace tenstride {
namespace {

/// The first old axis of the size at or after which none is taken; `from.size()` where none is left.
std::size_t first_free(const Dims& from, const Dims& order, Index size) {
  std::size_t axis = 0;
  const auto is_taken = [&](std::size_t candidate) {
    for (const Index taken : order) {
      if (taken == static_cast<Index>(candidate)) return true;
    }
    return false;
  };
  while (axis < from.size() && (from[axis] != size || is_taken(axis))) ++axis;
  return axis;
}

Dims without_ones(const Dims& sizes) {
  Dims kept;
  for (const Index size : sizes) {
    if (size != 1) kept.push_back(size);
  }
  return kept;
}

std::string arguments(const Dims& numbers) {
  std::string text;
  for (const Index number : numbers) text += (text.empty() ? "" : ", ") + std::to_string(number);
  return '(' + text + ')';
}

}  // namespace

std::optional<Scramble> find_scramble(const Dims& from, const Dims& to) {
  const Dims kept = without_ones(to);
  if (kept == without_ones(from)) return std::nullopt;
  // With as many axes, those of size 1 are matched too; else they go to the end, and a view settles them.
  Dims order;
  for (const Index size : from.size() == to.size() ? to : kept) {
    const std::size_t axis = first_free(from, order, size);
    if (axis == from.size() || size == 0) return std::nullopt;
    order.push_back(static_cast<Index>(axis));
  }
  while (order.size() < from.size()) {
    const std::size_t axis = first_free(from, order, 1);
    if (axis == from.size()) return std::nullopt;
    order.push_back(static_cast<Index>(axis));
  }
  return Scramble{from, to, order};
}

std::string to_code(const Scramble& scramble) {
  Dims moved, sizes;
  for (std::size_t i = 0; i < scramble.order.size(); ++i) {
    const Index axis = scramble.order[i];
    if (axis != static_cast<Index>(i)) moved.push_back(static_cast<Index>(i));
    sizes.push_back(scramble.from[static_cast<std::size_t>(axis)]);
  }
  std::string code =
      moved.size() == 2 ? ".transpose" + arguments(moved) : ".permute" + arguments(scramble.order);
  if (sizes != scramble.to) code += ".view" + arguments(scramble.to);
  return code;
}

std::string to_string(const Scramble& scramble) {
  return detail::message(
      "the sizes ", scramble.from, " are reordered to ", scramble.to,
      " but no axis is moved, so the elements are scrambled; probably meant: ", to_code(scramble));
}

}  // namespace tenstride
