// SPDX-License-Identifier: Apache-2.0
#include "call.hpp"
#include "message.hpp"
#include "tenstride/rearrange.hpp"

/// einops' verbs, and what their steps would cost one by one.
namespace tenstride::detail {
namespace {

constexpr auto maybe_copy = OpClass::view_or_copy;

/// The layout after a reshape; counts the elements copied where that is no view.
Layout reshaped(const Layout& layout, const Dims& shape, std::vector<Index>& copies) {
  if (std::optional<Layout> viewed = try_view(layout, shape)) return *std::move(viewed);
  copies.push_back(numel(layout));
  return row_major(shape);
}

/// The elements of each copy that reshape, permute, expand and reshape make, one after the other.
std::vector<Index> copies_of_steps(const Layout& before, const BoundPattern& bound) {
  std::vector<Index> copies;
  Layout layout = bound.splits ? reshaped(before, bound.split, copies) : before;
  layout = permute(layout, bound.order);
  for (const Index added : bound.added) layout = unsqueeze(layout, added);
  layout = expand(layout, bound.parts);
  if (bound.merges) layout = reshaped(layout, bound.shape, copies);
  return copies;
}

}  // namespace

std::string pattern_reason(const Call& call, const Layout& before) {
  const auto verb = call.operation().name == "repeat" ? PatternVerb::repeat : PatternVerb::rearrange;
  const std::vector<AxisSize> sizes = call.sizes();
  const BoundPattern bound = Pattern::cached(call.text(0), verb)->bind(before.shape, sizes);
  std::string text = "the pattern puts together axes that are apart in memory";
  const std::vector<Index> copies = copies_of_steps(before, bound);
  if (copies.size() > 1) {
    Index elements = 0;
    for (const Index count : copies) elements += count;
    const Index bytes = 2 * elements * static_cast<Index>(call.self().element_size());
    text += message("; step by step it would be ", copies.size(), " copies, ", bytes, " bytes moved");
  }
  return text;
}

std::vector<Operation> notation_operations() {
  return {
      {"rearrange", function, maybe_copy, "pattern | **",
       [](Call& c) -> Value { return rearrange(c.self(), c.text(0), c.sizes()); }},
      {"repeat", function, maybe_copy, "pattern | **",
       [](Call& c) -> Value { return repeat(c.self(), c.text(0), c.sizes()); }},
      {"reduce", function, OpClass::fresh, "pattern reduction | **",
       [](Call& c) -> Value { return reduce(c.self(), c.text(0), c.text(1), c.sizes()); }},
  };
}

}  // namespace tenstride::detail
