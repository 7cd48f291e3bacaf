// SPDX-License-Identifier: Apache-2.0
#include "tenstride/layout/scramble.hpp"

#include <algorithm>
#include <array>

#include "base/message.hpp"
#include "layout/scramble_sizes.hpp"

namespace tenstride {
namespace {

/// The sizes of the source, split, with the axes in the order that was meant.
Dims meant_sizes(const Scramble& scramble) {
  return detail::reordered(scramble.split, scramble.order);
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

/// The elements of a scramble by numbers: which element of the source stands where was meant to.
///
/// In the sizes that were meant, split, an index moves by `steps` in the new numbers and by `meant_steps` in
/// the source's. Along axes where the two are the same, both tensors go on alike.
struct Numbers {
  explicit Numbers(const Scramble& scramble) : sizes(meant_sizes(scramble)) {
    const Dims source = steps_of(scramble.split);
    steps = steps_of(sizes);
    for (const Index axis : scramble.order) meant_steps.push_back(source[static_cast<std::size_t>(axis)]);
    for (std::size_t d = 0; d < sizes.size(); ++d) {
      if (sizes[d] != 1 && steps[d] != meant_steps[d]) parting.push_back(d);
    }
  }

  static Dims steps_of(const Dims& sizes) {
    Dims steps = Dims::filled(sizes.size(), 1);
    for (std::size_t d = sizes.size(); d-- > 1;) steps[d - 1] = steps[d] * sizes[d];
    return steps;
  }

  [[nodiscard]] Index number(const Dims& index) const { return sum(index, steps); }
  [[nodiscard]] Index meant(const Dims& index) const { return sum(index, meant_steps); }

  /// The next index in row-major order along the parting axes, the others standing still; false after the
  /// last.
  bool advance(Dims& index) const {
    for (std::size_t i = parting.size(); i-- > 0;) {
      const std::size_t d = parting[i];
      if (++index[d] < sizes[d]) return true;
      index[d] = 0;
    }
    return false;
  }

  static Index sum(const Dims& index, const Dims& by) {
    Index total = 0;
    for (std::size_t d = 0; d < index.size(); ++d) total += index[d] * by[d];
    return total;
  }

  Dims sizes;
  Dims steps;
  Dims meant_steps;
  std::vector<std::size_t> parting;
};

std::string arguments(const Dims& numbers) {
  std::string text;
  for (const Index number : numbers) text += (text.empty() ? "" : ", ") + std::to_string(number);
  return '(' + text + ')';
}

}  // namespace

Dims detail::without_ones(const Dims& sizes) {
  Dims kept;
  for (const Index size : sizes) {
    if (size != 1) kept.push_back(size);
  }
  return kept;
}

Dims detail::reordered(const Dims& sizes, const Dims& order) {
  Dims result;
  for (const Index axis : order) result.push_back(sizes[static_cast<std::size_t>(axis)]);
  return result;
}

bool detail::are_as_many(const Dims& left, const Dims& right) {
  const auto count = [](const Dims& sizes) {
    std::optional<Index> product = 1;
    for (const Index size : sizes) {
      if (product) product = size < 1 ? std::nullopt : try_multiply(*product, size);
    }
    return product;
  };
  return count(left) && count(left) == count(right);
}

std::vector<Index> detail::boundaries_of(const Dims& sizes) {
  std::vector<Index> boundaries{1};
  for (const Index size : sizes) boundaries.push_back(boundaries.back() * size);
  return boundaries;
}

bool detail::nest(const std::vector<Index>& boundaries) {
  for (std::size_t i = 1; i < boundaries.size(); ++i) {
    if (boundaries[i] % boundaries[i - 1] != 0) return false;
  }
  return true;
}

std::string_view name(Certainty certainty) {
  constexpr std::array<std::string_view, 3> names{"possible", "likely", "certain"};
  return names[static_cast<std::size_t>(certainty)];
}

std::string to_code(const Scramble& scramble) {
  const Dims sizes = meant_sizes(scramble);
  std::string code;
  if (scramble.split != scramble.from) {
    const std::vector<Index> split = detail::boundaries_of(scramble.split);
    const std::vector<Index> from = detail::boundaries_of(scramble.from);
    const bool is_view = std::includes(split.begin(), split.end(), from.begin(), from.end());
    code += (is_view ? ".view" : ".reshape") + arguments(scramble.split);
  }
  Dims moved;
  for (std::size_t i = 0; i < scramble.order.size(); ++i) {
    if (scramble.order[i] != static_cast<Index>(i)) moved.push_back(static_cast<Index>(i));
  }
  code += moved.size() == 2 ? ".transpose" + arguments(moved) : ".permute" + arguments(scramble.order);
  if (sizes == scramble.to) return code;
  const bool is_view = detail::without_ones(sizes) == detail::without_ones(scramble.to);
  return code + (is_view ? ".view" : ".reshape") + arguments(scramble.to);
}

ScrambledPlace place_at(const Scramble& scramble, const Dims& index) {
  const Numbers numbers(scramble);
  const Index number = number_of(index, scramble.to);
  const Index meant = numbers.meant(index_of(number, numbers.sizes));
  return {index, index_of(number, scramble.from), index_of(meant, scramble.from)};
}

std::vector<ScrambledPlace> differing_places(const Scramble& scramble, std::size_t most) {
  const Numbers numbers(scramble);
  std::vector<ScrambledPlace> places;
  Dims index = Dims::filled(numbers.sizes.size(), 0);
  while (places.size() < most && numbers.advance(index)) {
    const Index number = numbers.number(index);
    const Index meant = numbers.meant(index);
    if (number == meant) continue;
    places.push_back(
        {index_of(number, scramble.to), index_of(number, scramble.from), index_of(meant, scramble.from)});
  }
  return places;
}

Index count_differing(const Scramble& scramble) {
  const Numbers numbers(scramble);
  Index alike = 1;
  for (std::size_t d = 0; d < numbers.sizes.size(); ++d) {
    if (std::find(numbers.parting.begin(), numbers.parting.end(), d) == numbers.parting.end()) {
      alike *= numbers.sizes[d];
    }
  }
  Index count = 0;
  Dims index = Dims::filled(numbers.sizes.size(), 0);
  while (numbers.advance(index)) count += numbers.number(index) != numbers.meant(index) ? 1 : 0;
  return count * alike;
}

std::string to_string(const Scramble& scramble) {
  const Dims sizes = meant_sizes(scramble);
  const bool is_reorder = detail::without_ones(sizes) == detail::without_ones(scramble.to) &&
                          detail::without_ones(scramble.split) == detail::without_ones(scramble.from);
  const bool is_possible = scramble.certainty == Certainty::possible;
  return detail::message("the sizes ", scramble.from, is_reorder ? " are reordered to " : " become ",
                         scramble.to, " but no axis is moved, so the elements ",
                         is_possible ? "may be scrambled; possibly" : "are scrambled; probably",
                         " meant: ", to_code(scramble));
}

}  // namespace tenstride
