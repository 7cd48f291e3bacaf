// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "base/message.hpp"
#include "expression/scramble.hpp"
#include "tenstride/explain/explain.hpp"

/// What transpose and reshape to the same shape make of one tensor.
namespace tenstride {
namespace {

std::string index_text(const Dims& index) {
  std::string text;
  for (const Index i : index) text += (text.empty() ? "" : ",") + std::to_string(i);
  return '[' + text + ']';
}

/// "1  from [0,1]": the element, where it is known, and where it comes from.
std::string cell(const std::vector<std::string>& elements, std::size_t i, const Dims& from) {
  return (elements.empty() ? "" : elements[i] + "  ") + "from " + index_text(from);
}

}  // namespace

std::optional<ScrambleSeen> see_scramble(const Tensor& x, const Dims& sizes) {
  const Dims to = infer_shape(sizes, x.numel(), x.shape(), "reshape");
  const std::optional<Scramble> scramble = find_scramble(x.shape(), to);
  if (!scramble) return std::nullopt;
  return detail::see(*scramble, x);
}

std::optional<std::string> explain_scramble(const Tensor& x, const Dims& sizes) {
  const std::optional<ScrambleSeen> seen = see_scramble(x, sizes);
  if (!seen) return std::nullopt;
  return to_string(seen->scramble) + '\n' + to_string(*seen);
}

std::string to_string(const ScrambleSeen& seen) {
  std::vector<std::array<std::string, 3>> rows{
      {"at", detail::message("reshaped to ", seen.scramble.to), to_code(seen.scramble)}};
  for (std::size_t i = 0; i < seen.places.size(); ++i) {
    const ScrambledPlace& place = seen.places[i];
    rows.push_back({index_text(place.index), cell(seen.found, i, place.reshaped_from),
                    cell(seen.meant, i, place.meant_from)});
  }
  std::array<std::size_t, 2> widths{};
  for (const auto& row : rows) {
    for (std::size_t c = 0; c < widths.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
  }
  std::string text;
  for (const auto& row : rows) {
    text += "  ";
    for (std::size_t c = 0; c < widths.size(); ++c)
      text += row[c] + std::string(widths[c] + 3 - row[c].size(), ' ');
    text += row[2] + '\n';
  }
  text += "  ";
  if (seen.differing) {
    text += detail::message(*seen.differing, " of ", count_elements(seen.scramble.to),
                            " places hold another element");
  } else {
    text += "many places hold another element";
  }
  return text + "; if that is meant, a comment `# as meant` in the line says so";
}

}  // namespace tenstride
