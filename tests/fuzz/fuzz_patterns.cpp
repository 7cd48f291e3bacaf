// SPDX-License-Identifier: Apache-2.0
// einops' patterns. The lines of an input: the pattern, the shape it is bound to, and sizes of axes.
// Example: "b (h d) -> h b d", "(2,12)", "h=3".
#include <sstream>

#include "fuzz/support.hpp"
#include "tenstride/einops/rearrange.hpp"
#include "tenstride/expression/expression.hpp"
#include "tenstride/layout/text.hpp"
#include "tenstride/ops/reduce_pattern.hpp"
#include "tenstride/pattern/pattern.hpp"
#include "tenstride/tensor/factory.hpp"

namespace tenstride::fuzz {
namespace {

std::vector<AxisSize> parse_sizes(const std::string& line) {
  std::vector<AxisSize> sizes;
  std::istringstream words(line);
  for (std::string word; words >> word;) {
    const std::size_t sign = word.find('=');
    if (sign == std::string::npos) continue;
    sizes.push_back({word.substr(0, sign), std::strtoll(word.c_str() + sign + 1, nullptr, 10)});
  }
  return sizes;
}

Tensor carried_out(const Pattern& pattern, const Tensor& x, const std::vector<AxisSize>& sizes) {
  switch (pattern.verb()) {
    case PatternVerb::rearrange:
      return rearrange(x, pattern, sizes);
    case PatternVerb::reduce:
      return reduce(x, pattern, Reduction::max, sizes);
    case PatternVerb::repeat:
      break;
  }
  return repeat(x, pattern, sizes);
}

/// Carries out the calls that the pattern stands for, without elements. Both are refused where sizes beside a
/// size of 0 need strides of more than 64 bits.
void check_written_out(const Pattern& pattern, const BoundPattern& bound, const Dims& shape,
                       const std::vector<AxisSize>& sizes) {
  const Tensor x = empty(shape, {.dtype = DType::uint8, .device = Device::meta});
  EvaluateOptions options;
  options.device = Device::meta;
  options.inputs = {{"x", x}};
  const Evaluation evaluation = evaluate(Program::parse(bound.written_out()), options);
  if (!accepted([&] { return carried_out(pattern, x, sizes); })) {
    require(evaluation.failure.has_value(), "a pattern that is refused is refused when it is written out");
    return;
  }
  require(!evaluation.failure, "a pattern written out can be carried out: " + bound.written_out());
  const Tensor* const result = evaluation.value.tensor();
  require(result != nullptr && result->layout().shape == bound.shape,
          "a pattern written out gives its shape: " + bound.written_out());
}

void check(const Pattern& pattern, const Dims& shape, const std::vector<AxisSize>& sizes) {
  const auto bound = accepted([&] { return pattern.bind(shape, sizes); });
  if (!bound) return;
  require(bound->kept <= bound->order.size(), "a pattern keeps axes that there are");
  require(count_elements(bound->split) == count_elements(shape), "splitting keeps the elements");
  if (pattern.verb() == PatternVerb::rearrange) {
    require(count_elements(bound->shape) == count_elements(shape), "rearrange keeps the elements");
  }
  if (bound->kept == bound->order.size()) check_written_out(pattern, *bound, shape, sizes);
}

/// Nothing where no tensor can have the shape.
std::optional<Dims> shape_of_tensor(const std::string& line) {
  return accepted([&] {
    Dims shape = parse_dims(line);
    static_cast<void>(empty(shape, {.dtype = DType::uint8, .device = Device::meta}));
    return shape;
  });
}

void check(const std::string& input) {
  std::istringstream lines(input);
  std::string text, shape_line, size_line;
  std::getline(lines, text);
  std::getline(lines, shape_line);
  std::getline(lines, size_line);
  const Dims shape = shape_of_tensor(shape_line).value_or(Dims{2, 3, 4});
  const std::vector<AxisSize> sizes = parse_sizes(size_line);
  for (const PatternVerb verb : {PatternVerb::rearrange, PatternVerb::reduce, PatternVerb::repeat}) {
    const auto pattern = accepted([&] { return Pattern(text, verb); });
    if (pattern) check(*pattern, shape, sizes);
  }
  static_cast<void>(accepted([&] { return parse_shape(shape, text); }));
  static_cast<void>(accepted([&] { return parse_pack_pattern("pack", text).before; }));
}

}  // namespace
}  // namespace tenstride::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  tenstride::fuzz::check(tenstride::fuzz::text_of(data, size));
  return 0;
}
