// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <filesystem>

#include "convert.hpp"
#include "tenstride/pattern/pattern.hpp"

/// SPEC as a pattern of einops' notation: written out as the chain on x that it means.
namespace tenstride::cli {
namespace {

AxisSize parse_size(const std::string& text) {
  const std::size_t equals = text.find('=');
  AxisSize size{text.substr(0, equals), 0};
  const char* const end = text.data() + text.size();
  const char* const begin = equals == std::string::npos ? end : text.data() + equals + 1;
  const auto [last, error] = std::from_chars(begin, end, size.size);
  if (size.name.empty() || begin == end || error != std::errc{} || last != end) {
    throw UsageError("convert: \"" + text + "\" must be the size of an axis, e.g. h=2");
  }
  return size;
}

/// The call that the notation has for it.
std::string reduction_of(const ConvertCommand& command, const std::vector<AxisSize>& sizes) {
  std::string text = "reduce(x, '" + command.spec + "', '" + command.reduction + "'";
  for (const AxisSize& size : sizes) text += ", " + size.name + "=" + std::to_string(size.size);
  return text + ")";
}

}  // namespace

void refuse_file_as_spec(const ConvertCommand& command) {
  if (!std::filesystem::exists(command.spec)) return;
  throw UsageError(
      "SPEC: \"" + command.spec +
      "\" is a file, which must be an expression; several files are one input where their pattern "
      "stands in quotes ('frames/*.tif')");
}

std::string chain_for(const ConvertCommand& command, const Dims& shape) {
  if (!is_pattern(command.spec)) {
    if (command.sizes.empty() && command.reduction.empty() && !command.repeats) return command.spec;
    refuse_file_as_spec(command);
    throw UsageError(
        "convert: sizes of axes, --reduce and --repeat go with a pattern, e.g. 'h w c -> c h w'");
  }
  if (!command.reduction.empty() && command.repeats)
    throw UsageError("convert: --reduce and --repeat exclude each other");
  std::vector<AxisSize> sizes;
  for (const std::string& text : command.sizes) sizes.push_back(parse_size(text));
  const auto verb = !command.reduction.empty() ? PatternVerb::reduce
                    : command.repeats          ? PatternVerb::repeat
                                               : PatternVerb::rearrange;
  const BoundPattern bound = Pattern(command.spec, verb).bind(shape, sizes);
  return verb == PatternVerb::reduce ? reduction_of(command, sizes) : bound.written_out();
}

std::string written_out(const ConvertCommand& command, const Dims& shape) {
  try {
    return chain_for(command, shape);
  } catch (const PatternError& error) {
    throw UsageError("SPEC: " + std::string(error.what()));
  }
}

}  // namespace tenstride::cli
