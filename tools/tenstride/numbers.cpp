// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <cmath>

#include "cli.hpp"

namespace tenstride::cli {
namespace {

double parse_plain(const std::string& option, const std::string& whole, std::string_view text) {
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
    throw UsageError(option + ": \"" + whole + "\" must be a number like 0.5 or 1/255");
  }
  return value;
}

}  // namespace

double parse_number(const std::string& option, const std::string& text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos) return parse_plain(option, text, text);
  const std::string_view view = text;
  const double below = parse_plain(option, text, view.substr(slash + 1));
  if (below == 0) throw UsageError(option + ": \"" + text + "\" must not divide by 0");
  return parse_plain(option, text, view.substr(0, slash)) / below;
}

std::vector<double> parse_numbers(const std::string& option, const std::string& text) {
  std::vector<double> numbers;
  std::size_t begin = 0;
  while (!text.empty()) {
    const std::size_t comma = text.find(',', begin);
    numbers.push_back(parse_number(option, text.substr(begin, comma - begin)));
    if (comma == std::string::npos) break;
    begin = comma + 1;
  }
  return numbers;
}

}  // namespace tenstride::cli
