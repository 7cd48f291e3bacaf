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

/// The sizes of the source with its axes in the order that was meant.
Dims meant_sizes(const Scramble& scramble) {
  Dims sizes;
  for (const Index axis : scramble.order) sizes.push_back(scramble.from[static_cast<std::size_t>(axis)]);
  return sizes;
}

Index number_of(const Dims& index, const Dims& sizes) {
  Index number = 0;
  for (std::size_t d = 0; d < sizes.size(); ++d) number = number * sizes[d] + index[d];
  return number;
}

Dims index_of(Index number, const Dims& sizes) {
  Dims index = Dims::filled(sizes.size(), 0);
  for (std::size_t d = sizes.size(); d-- > 0; number /= sizes[d]) index[d] = number % sizes[d];
  return index;
}

/// The next index in row-major order along the given axes, the others standing still; false after the last.
bool advance(Dims& index, const Dims& sizes, const std::vector<std::size_t>& axes) {
  for (std::size_t i = axes.size(); i-- > 0;) {
    const std::size_t d = axes[i];
    if (++index[d] < sizes[d]) return true;
    index[d] = 0;
  }
  return false;
}

bool differs(const ScrambledPlace& place) {
  return place.reshaped_from != place.meant_from;
}

/// The axes along which a single step leads to different elements. Along the others both tensors go on alike.
std::vector<std::size_t> parting_axes(const Scramble& scramble) {
  std::vector<std::size_t> axes;
  for (std::size_t d = 0; d < scramble.to.size(); ++d) {
    if (scramble.to[d] == 1) continue;
    Dims step = Dims::filled(scramble.to.size(), 0);
    step[d] = 1;
    if (differs(place_at(scramble, step))) axes.push_back(d);
  }
  return axes;
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
  const Dims sizes = meant_sizes(scramble);
  Dims moved;
  for (std::size_t i = 0; i < scramble.order.size(); ++i) {
    if (scramble.order[i] != static_cast<Index>(i)) moved.push_back(static_cast<Index>(i));
  }
  std::string code =
      moved.size() == 2 ? ".transpose" + arguments(moved) : ".permute" + arguments(scramble.order);
  if (sizes != scramble.to) code += ".view" + arguments(scramble.to);
  return code;
}

ScrambledPlace place_at(const Scramble& scramble, const Dims& index) {
  const Index number = number_of(index, scramble.to);
  ScrambledPlace place{index, index_of(number, scramble.from), Dims::filled(scramble.from.size(), 0)};
  // Axes of size 1 do not count, so the sizes asked for and the permuted ones number the elements alike.
  const Dims permuted = index_of(number, meant_sizes(scramble));
  for (std::size_t i = 0; i < permuted.size(); ++i) {
    place.meant_from[static_cast<std::size_t>(scramble.order[i])] = permuted[i];
  }
  return place;
}

std::vector<ScrambledPlace> differing_places(const Scramble& scramble, std::size_t most) {
  const std::vector<std::size_t> axes = parting_axes(scramble);
  std::vector<ScrambledPlace> places;
  Dims index = Dims::filled(scramble.to.size(), 0);
  while (places.size() < most && advance(index, scramble.to, axes)) {
    ScrambledPlace place = place_at(scramble, index);
    if (differs(place)) places.push_back(std::move(place));
  }
  return places;
}

Index count_differing(const Scramble& scramble) {
  const std::vector<std::size_t> parting = parting_axes(scramble);
  Index unmoved = 1;
  std::size_t next = 0;
  for (std::size_t d = 0; d < scramble.to.size(); ++d) {
    if (next < parting.size() && parting[next] == d) {
      ++next;
    } else {
      unmoved *= scramble.to[d];
    }
  }
  Index count = 0;
  Dims index = Dims::filled(scramble.to.size(), 0);
  while (advance(index, scramble.to, parting)) count += differs(place_at(scramble, index)) ? 1 : 0;
  return count * unmoved;
}

std::string to_string(const Scramble& scramble) {
  return detail::message(
      "the sizes ", scramble.from, " are reordered to ", scramble.to,
      " but no axis is moved, so the elements are scrambled; probably meant: ", to_code(scramble));
}

}  // namespace tenstride
