// SPDX-License-Identifier: Apache-2.0
#include "expression/scramble.hpp"

#include <array>
#include <cstdio>

namespace tenstride::detail {
namespace {

constexpr std::size_t max_places = 3;
constexpr Index max_counted = 65'536;

std::string element_text(const Tensor& x, const Dims& index) {
  Tensor element = x;
  for (const Index i : index) element = element.select(0, i);
  const Scalar number = element.item();
  if (!number.is_floating_point()) return Value(number).repr();
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.5g", number.to<double>());
  return text.data();
}

}  // namespace

ScrambleSeen see(const Scramble& scramble, const Tensor& x) {
  ScrambleSeen seen{scramble, differing_places(scramble, max_places), {}, {}, std::nullopt};
  if (x.numel() <= max_counted) seen.differing = count_differing(scramble);
  if (!x.has_memory()) return seen;
  for (const ScrambledPlace& place : seen.places) {
    seen.found.push_back(element_text(x, place.reshaped_from));
    seen.meant.push_back(element_text(x, place.meant_from));
  }
  return seen;
}

}  // namespace tenstride::detail
